"""The commands and what they have in common."""

from typing import Annotated, Any

import typer

from minirel.cli.audit import audit
from minirel.cli.demo import demo
from minirel.cli.fit import fit
from minirel.cli.frontier import frontier
from minirel.cli.typed import keep_typed
from minirel.cli.usage import VisibleGroup


class _Commands(VisibleGroup):
    """Remembers the command line as typed, for the report."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        keep_typed(args)
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=_Commands,
    invoke_without_command=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]},
)


_NEXT = """\
minirel: clustering in which every group counts somewhere. What next?

  minirel demo                                      the story of a small town, as a page
  minirel fit FILE --group COLUMN --report PAGE     cluster a CSV, TSV or Parquet file
  minirel audit FILE --group COLUMN                 who is represented in clusters that exist
  minirel frontier FILE --group COLUMN -k 4,6,8     what each of many promises would cost
  minirel --help                                    all commands; with a command, its options
  minirel --install-completion                      completion by the tab key, for your shell"""


def _show_version(wanted: bool) -> None:
    if wanted:
        from minirel import __version__

        typer.echo(f"minirel {__version__}")
        raise typer.Exit


@app.callback()
def _minirel(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Clustering in which every group counts somewhere.

    Every group (of sex, of age, of district, ...) makes up a share --alpha of at least --beta clusters, at
    the least cost, and the answer comes with a proof of how good it is.

    \b
    Examples:
      minirel demo
      minirel fit people.csv --group sex -k 8 --out clustered.csv --report page.html
      minirel frontier people.csv --group sex -k 4,6,8 --beta 1,2 --report page.html
      minirel audit clustered.csv --cluster cluster --group sex --alpha 0.51 --beta 2

    \b
    Messages go to standard error, data to standard output. Exit codes: 0 every promise is kept,
    1 (audit) a promise is broken, 2 the request is wrong or cannot be met, 130 interrupted.
    """  # noqa: D301 -- \b keeps the lines of a paragraph
    if context.invoked_subcommand is None:
        typer.echo(_NEXT)


app.command()(fit)
app.command()(frontier)
app.command()(audit)
app.command()(demo)
