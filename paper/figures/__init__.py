"""The paper's figures, drawn from the tables of a reproduction."""

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure as Picture

from paper.experiment import Experiment, Figure
from paper.figures.files import as_png, as_svg
from paper.figures.lines import draw_lines
from paper.figures.represented import draw_represented

__all__ = ["as_png", "as_svg", "draw"]

_KINDS = {"lines": draw_lines, "represented": draw_represented}


def draw(figure: Figure, experiment: Experiment, table: pd.DataFrame) -> Picture:
    """Draw a figure of an experiment from its table.

    The picture belongs to nobody: pyplot does not know it, and nothing has to be closed. What is not in the
    table is not in the picture; if nothing is, it says so in a sentence.

    Parameters
    ----------
    figure : Figure
        What is to be drawn.
    experiment : Experiment
        The experiment that it is of, whose methods come in their order.
    table : DataFrame
        The experiment's table; runs may be missing, and one or two solvers may be in it.

    Returns
    -------
    matplotlib.figure.Figure
        The picture.
    """
    drawn = table.dropna(subset=[figure.measure])
    is_there = bool(drawn["method"].isin(figure.methods or experiment.methods).any())
    # A picture is the same whatever this machine's matplotlibrc says.
    with mpl.rc_context():
        mpl.rcdefaults()
        picture = _KINDS[figure.kind](figure, experiment, drawn) if is_there else _nothing()
        _settle(picture)
    return picture


def _settle(picture: Picture) -> None:
    """Divide the room once: done anew for every file, it would depend on what was written before."""
    picture.draw_without_rendering()
    picture.set_layout_engine("none")
    # The last digits depend on what this process drew before, and names inside an SVG are made of them.
    for ax in picture.axes:
        left, bottom, width, height = (round(float(part), 6) for part in ax.get_position().bounds)
        ax.set_position((left, bottom, width, height))


def _nothing() -> Picture:
    picture = Picture(figsize=(6, 1))
    picture.text(0.5, 0.5, "No run of this experiment is done yet.", ha="center", va="center")
    return picture
