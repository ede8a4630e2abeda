"""The maps of a frontier: one table per number of clusters, a cell for each share and number promised."""

from minirel.report.frontier_view import View
from minirel.report.markup import Child, Markup, tag
from minirel.report.table import paragraph

MARKS = {
    "best": ("✓", "nothing better within the budget"),
    "knee": ("◆", "the price turns up after this"),
    "dominated": ("○", "another request promises more and costs no more"),
    "never": ("✕", "no clustering can keep it"),
    "open": ("?", "open: no answer yet"),
}


def legend() -> Markup:
    """What the cells say."""
    return paragraph(
        "Each cell is a request, with what it costs more than plain k-means with as many clusters. The "
        "darker, the dearer; a price that is struck through is beyond the budget, and a hatched cell cannot "
        "be kept by any clustering. In cells and charts: ",
        "; ".join(f"{sign} {said}" for sign, said in MARKS.values()),
        ". The dashed line of a chart is the budget.",
        class_="about legend",
    )


def heat_map(view: View, number: int, share: int) -> Markup:
    """The cells of one number of clusters (and one largest share)."""
    alphas, betas = (range(len(view.values[name])) for name in ("alpha", "beta"))
    head = tag(
        "tr",
        tag("td", tag("span", "share \\ clusters promised", class_="corner")),
        (tag("th", view.label("beta", b), scope="col") for b in betas),
    )
    body = (
        tag(
            "tr",
            tag("th", view.label("alpha", a), scope="row"),
            (cell(view, view.row(n_clusters=number, alpha=a, beta=b, max_share=share)) for b in betas),
        )
        for a in alphas
    )
    label = f"Prices with {view.values['n_clusters'][number]} clusters"
    if len(view.values["max_share"]) > 1:
        label += f" and a largest share of {view.label('max_share', share)}"
    whole = tag("table", tag("thead", head), tag("tbody", body), class_="heat")
    return tag("div", whole, class_="scroll", role="region", tabindex=0, aria_label=label)


def cell(view: View, i: int) -> Markup:
    """A cell, which leads to its request."""
    signs: list[Child] = []
    for name, has in (
        ("best", i in view.best),
        ("knee", view.columns["knee"][i]),
        ("dominated", view.columns["dominated"][i]),
    ):
        if has:
            sign, said = MARKS[name]
            signs.append(tag("span", sign, class_=f"sign {name}", role="img", aria_label=said))
    price = "cannot be kept" if view.heat(i) == "never" else view.price(i)
    shown = "–" if view.heat(i) == "never" else view.price(i)
    link = tag("a", tag("span", shown), signs, href=f"#r{i}", data_row=i, title=f"{view.title(i)}: {price}")
    beyond = " beyond" if view.columns["price"][i] > view.budget else ""
    return tag("td", link, class_=f"{view.heat(i)}{beyond}", data_row=i)
