"""Messages that know which of their words belong to Python, so that the command line can say its own."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from minirel.points.wording import listed


class Term(str):
    """Words of Python that the command line has others for."""


class Parameter(Term):
    """A parameter in a message, as Python writes it.

    Attributes
    ----------
    name : str
        Its name.
    group : hashable or None
        The group whose entry is meant.
    value : object
        The value that is told with it; None if there is none.

    Examples
    --------
    >>> print(Parameter("beta"), Parameter("beta", group="F"), Parameter("gap", value=0.1))
    beta beta['F'] gap=0.1
    """

    name: str
    group: Hashable
    value: object

    def __new__(cls, name: str, group: Hashable = None, value: object = None) -> "Parameter":
        """Write it."""
        entry = "" if group is None else f"[{group!r}]"
        self = super().__new__(cls, name + entry + ("" if value is None else f"={shown(value)}"))
        self.name, self.group, self.value = name, group, value
        return self


class Value(Term):
    """The value of a parameter, which may be a list, as Python writes it."""

    value: object

    def __new__(cls, value: object) -> "Value":
        """Write it."""
        self = super().__new__(cls, shown(value))
        self.value = value
        return self


class Points(Term):
    """Points in a message, the first few by their indices; the command line has names for its rows.

    Examples
    --------
    >>> points = Points(range(3, 9), most=2)
    >>> print(points, "|", points.named("abcdefghi"))
    3, 4 and 4 more | d, e and 4 more
    """

    indices: Sequence[int]
    most: int

    def __new__(cls, indices: Sequence[int], most: int) -> "Points":
        """Write their indices."""
        self = super().__new__(cls, _some([str(i) for i in indices], most))
        self.indices, self.most = indices, most
        return self

    def named(self, names: Sequence[str]) -> str:
        """The same by name."""
        return _some([names[i] for i in self.indices], self.most)


class Row(Points):
    """One point in a message, as the row of a table that it is.

    Examples
    --------
    >>> print(Row(3), "|", Row(3).named("abcdefghi"))
    row 3 | d
    """

    def __new__(cls, index: int) -> "Row":
        """Write its index."""
        self = Term.__new__(cls, f"row {index}")
        self.indices, self.most = [index], 1
        return self


# What can be said in Python only, or is said otherwise there.
BY_GROUP = Term("a dict by group")
PAIRS = Term("a list of (group, cluster) pairs, or None")
GENERATOR = Term(", a RandomState or None")
NO_LIMIT = Term("use None for no limit")
OR_MATRIX = Term(", or be a sparse matrix of them")
VALUES_OR_MEMBERS = Term(
    "Make them text, astype(str), to say so; for membership make all columns boolean, as pandas.get_dummies "
    "does with text"
)


class Message(str):
    """A text made of parts, of which some may be of type `Term`.

    Examples
    --------
    >>> message = Message("lower ", Parameter("beta", group="F"), " to 3")
    >>> print(message)
    lower beta['F'] to 3
    >>> spelled(message, str.upper)
    "lower BETA['F'] to 3"
    """

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> "Message":
        """Put the parts together."""
        self = super().__new__(cls, "".join(parts))
        self.parts = tuple(piece for part in parts for piece in _pieces(part))
        return self


def joined(separator: str, parts: Iterable[str]) -> Message:
    """The parts with a separator between them."""
    told: list[str] = []
    for part in parts:
        told += [separator, part] if told else [part]
    return Message(*told)


def spelled(message: str, spell: Callable[[Term], str]) -> str:
    """The message with its terms as `spell` says them."""
    return "".join(spell(part) if isinstance(part, Term) else part for part in _pieces(message))


def shown(value: object) -> str:
    """A value as it is written."""
    return repr(value) if isinstance(value, str) else str(value)


def _some(names: list[str], most: int) -> str:
    return listed(names, most=most, last=" and ")


def _pieces(part: str) -> tuple[str, ...]:
    return part.parts if isinstance(part, Message) else (part,)
