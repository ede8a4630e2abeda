"""Groups from every container, with the same names and the same signatures."""

import datetime as dt
import sys
from collections.abc import Callable, Hashable
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import MultiLabelBinarizer

from minirel.points.groups import Groups, read_groups

Columns = dict[str, list]
NUMBERS = "sensitive_features holds nothing but 0 and 1"


def object_array(rows: list) -> np.ndarray:
    array = np.empty((len(rows), len(rows[0])), dtype=object)
    array[:] = rows
    return array


def rows_of(columns: Columns) -> list[list]:
    return [list(row) for row in zip(*columns.values(), strict=True)]


COLUMNS: dict[str, Callable[[list], object]] = {
    "list": list,
    "tuple": tuple,
    "numpy": np.array,
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy strided": lambda values: np.repeat(np.array(values, dtype=object), 2)[::2],
    "pandas": pd.Series,
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas nullable": lambda values: pd.Series(values).convert_dtypes(),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas index": pd.Index,
    "polars": pl.Series,
    "one column of a dict": lambda values: {"a": values},
    "one column of a frame": lambda values: pd.DataFrame({"a": values}),
    "one column of a polars frame": lambda values: pl.DataFrame({"a": values}),
    "one column of an array": lambda values: np.array(values).reshape(-1, 1),
    "one column of rows": lambda values: [[value] for value in values],
}
FRAMES: dict[str, Callable[[Columns], object]] = {
    "dict": dict,
    "dict of arrays": lambda columns: {name: np.array(values) for name, values in columns.items()},
    "dict of series": lambda columns: {name: pl.Series(values) for name, values in columns.items()},
    "pandas": pd.DataFrame,
    "pandas object": lambda columns: pd.DataFrame(columns, dtype=object),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas reindexed": lambda columns: pd.DataFrame(columns).set_axis(
        [9] * len(next(iter(columns.values())))
    ),
    "polars": pl.DataFrame,
}
ARRAYS: dict[str, Callable[[Columns], object]] = {
    "rows": rows_of,
    "tuples": lambda columns: tuple(map(tuple, rows_of(columns))),
    "list of arrays": lambda columns: [np.array(row, dtype=object) for row in rows_of(columns)],
    "array": lambda columns: object_array(rows_of(columns)),
    "frame without names": lambda columns: pd.DataFrame(rows_of(columns)),
    "array by column": lambda columns: np.asfortranarray(object_array(rows_of(columns))),
}


def table(entries: dict) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("container", entries.values(), ids=entries)


def members(groups: Groups) -> dict[Hashable, list[int]]:
    """Members of each group; dicts compare whatever the order, so names are checked apart."""
    return {name: np.flatnonzero(groups.membership[:, g]).tolist() for g, name in enumerate(groups.names)}


def check(groups: Groups) -> None:
    """Everything that holds of any groups; signatures against NumPy's own distinct rows."""
    assert len(set(groups.names)) == groups.n_groups
    assert groups.membership.shape == (groups.n_points, groups.n_groups)
    assert groups.signatures.shape == (groups.n_signatures, groups.n_groups)
    assert groups.membership.dtype == groups.signatures.dtype == np.bool_
    assert groups.signature.dtype == np.int32
    np.testing.assert_array_equal(groups.signatures[groups.signature], groups.membership)
    np.testing.assert_array_equal(groups.n_members, groups.membership.sum(axis=0))
    for g in range(groups.n_groups):
        np.testing.assert_array_equal(groups.members(g), groups.membership[:, g])
    if groups.n_groups:
        distinct, inverse = np.unique(~groups.membership, axis=0, return_inverse=True)
        np.testing.assert_array_equal(groups.signatures, ~distinct)
        np.testing.assert_array_equal(groups.signature, inverse.ravel())
    for array in (groups.membership, groups.signature, groups.signatures):
        assert not array.flags.writeable


# ---- names and members, whatever the container ----------------------------------------------------------


@table(COLUMNS)
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["Male", "Female", "Male"], {"Female": [1], "Male": [0, 2]}),
        ([2, -1, 10, 2], {-1: [1], 2: [0, 3], 10: [2]}),
        ([0.5, 2.0, 0.5], {0.5: [0, 2], 2: [1]}),
        ([2**62, -(2**62), 2**62], {-(2**62): [1], 2**62: [0, 2]}),
    ],
    ids=["strings", "integers", "floats", "far integers"],
)
def test_column_makes_a_group_of_each_value(
    container: Callable[[list], object], values: list, expected: dict[Hashable, list[int]]
) -> None:
    groups = read_groups(container(values), n_points=len(values))
    check(groups)
    assert groups.names == tuple(expected)
    assert members(groups) == expected
    assert {type(name) for name in groups.names} <= {str, int, float}


@table({name: make for name, make in COLUMNS.items() if not name.startswith("one")})
def test_boolean_column_makes_two_groups(container: Callable[[list], object]) -> None:
    groups = read_groups(container([True, False, True]))
    assert groups.names == (False, True)
    assert all(type(name) is bool for name in groups.names)
    assert members(groups) == {False: [1], True: [0, 2]}
    assert read_groups(container([True, True])).names == (True,)


@table({name: make for name, make in COLUMNS.items() if name.startswith("one")})
def test_single_boolean_column_of_a_table_is_membership(container: Callable[[list], object]) -> None:
    groups = read_groups(container([True, False, True]))
    assert groups.names in [("a",), (0,)]
    assert groups.membership.ravel().tolist() == [True, False, True]


MIXED: Columns = {"sex": ["M", "F", "M"], "age": [30, 4, 30], "old": [True, False, False]}
MIXED_MEMBERS = {
    "sex=F": [1],
    "sex=M": [0, 2],
    "age=4": [1],
    "age=30": [0, 2],
    "old=False": [1, 2],
    "old=True": [0],
}


@table(FRAMES)
def test_frame_makes_groups_of_every_column(container: Callable[[Columns], object]) -> None:
    groups = read_groups(container(MIXED))
    check(groups)
    assert groups.names == tuple(MIXED_MEMBERS)
    assert members(groups) == MIXED_MEMBERS


@table(ARRAYS)
def test_array_columns_are_numbered(container: Callable[[Columns], object]) -> None:
    groups = read_groups(container(MIXED))
    check(groups)
    assert groups.names == ("0=F", "0=M", "1=4", "1=30", "2=False", "2=True")
    assert list(members(groups).values()) == list(MIXED_MEMBERS.values())


MEMBERSHIP: Columns = {
    "b": [True, True, False],
    "none": [False] * 3,
    "a": [False, True, False],
    "all": [True] * 3,
}


@table(FRAMES)
def test_boolean_frame_is_membership(container: Callable[[Columns], object]) -> None:
    groups = read_groups(container(MEMBERSHIP))
    check(groups)
    assert groups.names == ("b", "none", "a", "all")
    assert members(groups) == {"b": [0, 1], "none": [], "a": [1], "all": [0, 1, 2]}


@table(ARRAYS | {"boolean array": lambda columns: np.array(rows_of(columns))})
def test_boolean_array_is_membership(container: Callable[[Columns], object]) -> None:
    groups = read_groups(container(MEMBERSHIP))
    check(groups)
    assert groups.names == (0, 1, 2, 3)
    np.testing.assert_array_equal(groups.membership, rows_of(MEMBERSHIP))


@pytest.mark.parametrize(
    ("values", "names"),
    [
        (["b", 1, "a", 0], ("b", 1, "a", 0)),
        ([1, 3, 2, "a"], (1, 3, 2, "a")),
        ([1j, 0j], (1j, 0j)),
        ([1, 1.0, 2.5], (1, 2.5)),
        ([np.int64(3), np.float32(0.5), 3], (0.5, 3)),
        ([np.bool_(True), False], (False, True)),
        ([np.str_("x"), "x"], ("x",)),
        (range(3), (0, 1, 2)),
        ([np.array(2), np.array(1)], (1, 2)),
        (np.array([-128, 127], dtype=np.int8), (-128, 127)),
        (np.array([2**64 - 1, 2**63, 2**64 - 1], dtype=np.uint64), (2**63, 2**64 - 1)),
        (np.array([2**64 - 1, 0], dtype=np.uint64), (0, 2**64 - 1)),
        (np.array([-(2**63), 2**63 - 1]), (-(2**63), 2**63 - 1)),
        (np.array([b"x"]), (b"x",)),
        (np.array(["2020-01-02", "2020-01-01"], "M8[D]"), (dt.date(2020, 1, 1), dt.date(2020, 1, 2))),
        (np.array(["2020-01-02"], "M8[ns]"), (dt.datetime(2020, 1, 2),)),
        ([np.datetime64("2020-01-02", "ns")], (dt.datetime(2020, 1, 2),)),
        (pd.Series(pd.to_datetime(["2020-01-02"])), (dt.datetime(2020, 1, 2),)),
        (pd.Series(["b", "a"], dtype=pd.CategoricalDtype(["c", "b", "a"])), ("a", "b")),
        (pd.MultiIndex.from_tuples([("b", 1), ("a", 2)]), (("a", 2), ("b", 1))),
    ],
)
def test_names_are_plain_values_in_order(values: object, names: tuple[Hashable, ...]) -> None:
    groups = read_groups(values)
    check(groups)
    assert groups.names == names
    assert not any(isinstance(name, np.generic) for name in groups.names)


def test_integers_keep_their_names_when_pandas_makes_them_floats() -> None:
    columns: Columns = {"a": [1, None, 2], "b": [3, 3, 4]}
    for container in FRAMES.values():
        groups = read_groups(container(columns), missing="none")
        assert groups.names == ("a=1", "a=2", "b=3", "b=4")


def test_integers_beyond_doubles_stay_apart_beside_a_missing_one() -> None:
    for series in (pl.Series([2**60, 2**60 + 1, None]), pd.Series([2**60, 2**60 + 1, None], dtype="Int64")):
        assert read_groups(series, missing="none").names == (2**60, 2**60 + 1)


def test_the_input_is_copied() -> None:
    array = np.array([[True, False], [False, True]])
    groups = read_groups(array)
    array[:] = True
    assert groups.membership.tolist() == [[True, False], [False, True]]


def test_lists_and_arrays_do_without_narwhals(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "narwhals"] + ["narwhals"]:
        monkeypatch.setitem(sys.modules, name, None)
    for features in (["a", "b"], np.array([1, 2]), np.array([[True], [False]]), {"a": [1, 2]}):
        assert read_groups(features).n_points == 2
    with pytest.raises(ImportError):
        read_groups(pd.Series([1, 2]))


# ---- signatures -----------------------------------------------------------------------------------------


def test_disjoint_groups_are_their_own_signatures() -> None:
    groups = read_groups(["c", "a", "b", "a"])
    assert groups.signature.tolist() == [2, 0, 1, 0]
    np.testing.assert_array_equal(groups.signatures, np.eye(3, dtype=bool))


@pytest.mark.parametrize("n_groups", [7, 8, 9, 64, 65, 200])
def test_many_overlapping_groups(n_groups: int) -> None:
    rng = np.random.default_rng(n_groups)
    kinds = rng.random((40, n_groups)) < 0.5
    # These two differ in the last group alone.
    kinds[1] = kinds[0]
    kinds[1, -1] = not kinds[0, -1]
    groups = read_groups(kinds[np.concatenate([np.arange(40), rng.integers(0, 40, 500)])])
    check(groups)
    assert groups.n_signatures == len({row.tobytes() for row in kinds})
    assert groups.signature[0] != groups.signature[1]


def test_many_distinct_signatures_need_no_wide_table() -> None:
    membership = np.random.default_rng(0).random((3000, 40)) < 0.5
    groups = read_groups(membership)
    check(groups)
    assert groups.n_signatures == 3000


def test_many_values() -> None:
    values = np.random.default_rng(0).permutation(np.repeat(np.arange(100), 3))
    groups = read_groups(values)
    check(groups)
    np.testing.assert_array_equal(groups.signature, values)


def test_many_values_of_several_columns() -> None:
    groups = read_groups(np.column_stack([np.repeat([0, 1], 300), np.tile(np.arange(300), 2)]))
    check(groups)
    assert groups.n_signatures == 600


@pytest.mark.parametrize(("n_points", "n_signatures"), [(3, 1), (0, 0)])
def test_no_groups(n_points: int, n_signatures: int) -> None:
    groups = read_groups(None, n_points=n_points)
    check(groups)
    assert groups.names == ()
    assert groups.signatures.shape == (n_signatures, 0)
    assert groups.n_points == n_points


def test_groups_pass_through() -> None:
    groups = read_groups(["a", "b"])
    assert read_groups(groups, n_points=2) is groups
    with pytest.raises(ValueError, match="2 rows for 3 points"):
        read_groups(groups, n_points=3)


CELLS = st.one_of(
    st.none(), st.just(float("nan")), st.integers(-3, 3), st.sampled_from(["F", "M", ""]), st.just(0.5)
)


@st.composite
def tables(draw: st.DrawFn) -> Columns:
    n_points = draw(st.integers(1, 12))
    kinds = [CELLS, st.booleans(), st.one_of(st.none(), st.booleans()), st.sampled_from([0, 1, None])]
    alike = st.sampled_from([draw(st.sampled_from(kinds))]) if draw(st.booleans()) else st.sampled_from(kinds)
    names = draw(st.lists(st.sampled_from("abcdefghijkl"), min_size=1, unique=True))
    return {name: draw(st.lists(draw(alike), min_size=n_points, max_size=n_points)) for name in names}


def is_missing(value: object) -> bool:
    return value is None or value != value


@pytest.mark.filterwarnings(f"ignore:{NUMBERS}")
@given(columns=tables(), missing=st.sampled_from(["group", "none"]))
def test_groups_hold_who_they_say(columns: Columns, missing: str) -> None:
    groups = read_groups(columns, missing=missing)
    check(groups)
    known = [v for values in columns.values() for v in values if not is_missing(v)]
    is_membership = all(isinstance(v, bool) for v in known)
    is_membership |= len(columns) > 1 and all(v in (0, 1) for v in known)
    is_membership &= bool(known)
    expected: dict[Hashable, list[int]] = {}
    for name, values in columns.items():
        if is_membership:
            expected[name] = []
        for point, value in enumerate(values):
            if is_missing(value) and missing == "none":
                continue
            called: Hashable = "missing" if is_missing(value) else value
            if is_membership:
                if called == 0:
                    continue
                called = name if called == 1 else f"{name}=missing"
            elif len(columns) > 1:
                called = f"{name}={called}"
            expected.setdefault(called, []).append(point)
    assert members(groups) == expected

    again = read_groups(groups.membership) if groups.n_groups else groups
    np.testing.assert_array_equal(again.membership, groups.membership)
    np.testing.assert_array_equal(again.signature, groups.signature)
    np.testing.assert_array_equal(again.signatures, groups.signatures)


@pytest.mark.filterwarnings(f"ignore:{NUMBERS}")
@given(columns=tables(), missing=st.sampled_from(["group", "none"]))
def test_containers_agree(columns: Columns, missing: str) -> None:
    groups = read_groups(columns, missing=missing)
    frame = read_groups(pd.DataFrame(columns, dtype=object), missing=missing)
    rows = read_groups(rows_of(columns), missing=missing)
    assert frame.names == groups.names
    for other in (frame, rows):
        np.testing.assert_array_equal(other.membership, groups.membership)
        np.testing.assert_array_equal(other.signature, groups.signature)


# ---- columns of 0 and 1 ---------------------------------------------------------------------------------

STATUS = ["married", "single", "divorced", "single"]
DUMMIES = pd.get_dummies(pd.Series(STATUS))


@pytest.mark.parametrize(
    "features",
    [
        DUMMIES,
        DUMMIES.astype(int),
        DUMMIES.astype("uint8"),
        DUMMIES.astype(float),
        DUMMIES.astype("Int64"),
        DUMMIES.astype(object),
        DUMMIES.astype({"single": int}),
        pl.from_pandas(DUMMIES.astype(int)),
        {name: list(values) for name, values in DUMMIES.astype(int).items()},
    ],
    ids=["bool", "int", "uint8", "float", "nullable", "object", "one int", "polars", "dict"],
)
def test_dummies_are_membership(features: object) -> None:
    groups = read_groups(features)
    check(groups)
    assert members(groups) == {"divorced": [2], "married": [0], "single": [1, 3]}


@pytest.mark.parametrize("dtype", [int, float, bool])
def test_dummies_as_an_array_are_membership(dtype: type) -> None:
    assert members(read_groups(DUMMIES.to_numpy(dtype))) == {0: [2], 1: [0], 2: [1, 3]}


def test_overlapping_columns_of_numbers_are_membership_with_a_warning() -> None:
    genres = MultiLabelBinarizer().fit_transform([["crime", "drama"], ["drama"], []])
    with pytest.warns(UserWarning, match=f"{NUMBERS}.* 0, 1: .* boolean to say so, or text"):
        groups = read_groups(genres)
    assert members(groups) == {0: [0], 1: [0, 1]}
    assert members(read_groups(genres.astype(bool))) == {0: [0], 1: [0, 1]}
    each = {"0=0": [1, 2], "0=1": [0], "1=0": [2], "1=1": [0, 1]}
    assert members(read_groups(genres.astype(str))) == each


@pytest.mark.parametrize(
    ("features", "names"),
    [
        ([0, 1, 1], (0, 1)),
        (pd.DataFrame({"a": [0, 1, 1]}), (0, 1)),
        ({"a": [0, 1, 1], "b": [0, 1, 2]}, ("a=0", "a=1", "b=0", "b=1", "b=2")),
        ({"a": ["0", "1", "1"], "b": ["x", "x", "y"]}, ("a=0", "a=1", "b=x", "b=y")),
        ({"a": [False, True, True], "b": ["x", "x", "y"]}, ("a=False", "a=True", "b=x", "b=y")),
    ],
    ids=["column", "one column", "codes", "text", "booleans"],
)
def test_other_columns_with_0_and_1_are_values(features: object, names: tuple[Hashable, ...]) -> None:
    assert read_groups(features).names == names


def test_columns_of_numbers_beside_text_are_values_with_a_warning() -> None:
    said = f"{NUMBERS} in column 'div', column 'vet', .* others are text.* astype.* all columns boolean"
    features = {"sex": ["F", "M", "F"], "div": [0, 1, 1], "age": [0, 1, 2], "vet": [0.0, 1.0, 0.0]}
    with pytest.warns(UserWarning, match=said):
        groups = read_groups(features)
    assert [name for name in groups.names if "v" in str(name)] == ["div=0", "div=1", "vet=0", "vet=1"]
    with pytest.warns(UserWarning, match=f"{NUMBERS} in column 1, which"):
        read_groups([["F", 0], ["M", 1]])
    assert read_groups(features, like=groups.names).names == groups.names
    assert read_groups(features | {"div": [1, 1, 1], "vet": [True, False, True]}).n_groups == 8


def test_columns_of_numbers_are_read_like_those_before() -> None:
    batch = {"a": [1, 1, 0], "b": [0, 1, 0]}
    assert read_groups(batch, like=("b", "a", "c")).names == ("a", "b")
    assert read_groups(batch, like=("a=0", "a=1", "a=2", "b=0", "b=1")).names == ("a=0", "a=1", "b=0", "b=1")


# ---- missing values -------------------------------------------------------------------------------------

HOLES = {
    "None in a list": ["x", None, "y", None],
    "NaN in a list": ["x", float("nan"), "y", float("nan")],
    "numpy object": np.array(["x", None, "y", np.nan], dtype=object),
    "masked": np.ma.array(["x", "q", "y", "q"], mask=[False, True, False, True]),
    "pandas": pd.Series(["x", None, "y", None]),
    "pandas object": pd.Series(["x", pd.NA, "y", pd.NaT], dtype=object),
    "pandas nullable": pd.Series(["x", None, "y", None], dtype="string[python]"),
    "pandas category": pd.Series(["x", None, "y", None], dtype="category"),
    "polars": pl.Series(["x", None, "y", None]),
    "polars category": pl.Series(["x", None, "y", None], dtype=pl.Categorical),
    "polars enum": pl.Series(["x", None, "y", None], dtype=pl.Enum(["z", "y", "x"])),
    "one column of a polars frame": pl.DataFrame({"a": ["x", None, "y", None]}),
    "one column of rows": [["x"], [None], ["y"], [pd.NA]],
    "numpy floats": np.array([1, np.nan, 2, np.nan]),
    "pandas floats": pd.Series([1, None, 2, None]),
    "pandas integers": pd.Series([1, None, 2, None], dtype="Int64"),
    "polars integers": pl.Series([1, None, 2, None]),
    "polars floats": pl.Series([1.0, None, 2.0, float("nan")]),
    "pandas booleans": pd.Series([False, None, True, None], dtype="boolean"),
    "booleans and NaN": pd.Series([False, np.nan, True, np.nan], dtype=object),
    "polars booleans": pl.Series([False, None, True, None]),
    "numpy dates": np.array(["2020-01-01", "NaT", "2020-01-02", "NaT"], "M8[ns]"),
    "pandas dates": pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02", None])),
    "decimals": [Decimal(1), Decimal("NaN"), Decimal(2), None],
}


@pytest.mark.parametrize("features", HOLES.values(), ids=HOLES)
def test_missing_values_of_a_column(features: object) -> None:
    with pytest.raises(ValueError, match=r"2 in (the column|column .*), of 4 points.*'group'.*'none'"):
        read_groups(features)

    grouped = read_groups(features, missing="group")
    check(grouped)
    assert grouped.names[2:] == ("missing",)
    assert list(members(grouped).values()) == [[0], [2], [1, 3]]

    left_out = read_groups(features, missing="none")
    check(left_out)
    assert left_out.names == grouped.names[:2]
    assert list(members(left_out).values()) == [[0], [2]]


@table(FRAMES)
def test_missing_values_of_a_frame(container: Callable[[Columns], object]) -> None:
    features = container({"sex": ["M", "F", None], "race": ["x", None, None]})
    with pytest.raises(ValueError, match="1 in column 'sex', 2 in column 'race', of 3 points"):
        read_groups(features)
    groups = read_groups(features, missing="group")
    check(groups)
    assert groups.names == ("sex=F", "sex=M", "sex=missing", "race=x", "race=missing")
    assert list(members(groups).values()) == [[1], [0], [2], [0], [1, 2]]
    groups = read_groups(features, missing="none")
    check(groups)
    assert members(groups) == {"sex=F": [1], "sex=M": [0], "race=x": [0]}


@table(FRAMES)
def test_missing_memberships(container: Callable[[Columns], object]) -> None:
    features = container({"a": [True, None, False], "b": [False, False, True], "c": [None, None, True]})
    with pytest.raises(ValueError, match="1 in column 'a', 2 in column 'c'"):
        read_groups(features)
    groups = read_groups(features, missing="group")
    check(groups)
    assert groups.names == ("a", "a=missing", "b", "c", "c=missing")
    assert list(members(groups).values()) == [[0], [1], [2], [2], [0, 1]]
    groups = read_groups(features, missing="none")
    check(groups)
    assert members(groups) == {"a": [0], "b": [2], "c": [2]}


def test_memberships_that_are_all_missing() -> None:
    groups = read_groups([[True, None], [False, None]], missing="group")
    assert members(groups) == {0: [0], 1: [], "1=missing": [0, 1]}


def test_nothing_but_missing_values() -> None:
    for features in (
        [None, None],
        np.array([np.nan, np.nan]),
        pd.Series([None, None], dtype="str"),
        pd.Series([None, None], dtype="category"),
        pl.Series([None, None]),
        pl.Series([None, None], dtype=pl.String),
        pl.DataFrame({"a": [None, None]}, schema={"a": pl.Categorical}),
    ):
        assert members(read_groups(features, missing="group")) == {"missing": [0, 1]}
        groups = read_groups(features, missing="none")
        check(groups)
        assert groups.names == ()
        assert groups.n_signatures == 1


@pytest.mark.parametrize("missing", ["error", "group", "none"])
def test_no_missing_values_no_missing_group(missing: str) -> None:
    assert read_groups(["missing", "a"], missing=missing).names == ("a", "missing")


# ---- errors ---------------------------------------------------------------------------------------------

WRONG = {
    "string": ("abc", TypeError, "sensitive_features must be a column .* but is 'abc'"),
    "number": (5, TypeError, "but is 5"),
    "NumPy number": (np.int64(5), TypeError, "sensitive_features must be a column"),
    "set": ({1, 2}, TypeError, "but is of type set"),
    "generator": ((i for i in range(2)), TypeError, "of type generator"),
    "lazy frame": (pl.LazyFrame({"a": [1]}), TypeError, "in memory.* of type LazyFrame"),
    "number in a dict": ({"a": 1}, TypeError, r"sensitive_features\['a'\] must be a column"),
    "0-d": (np.array(5), ValueError, r"one or two dimensions, but has shape \(\)"),
    "3-d array": (np.zeros((2, 2, 2)), ValueError, r"one or two dimensions, but has shape \(2, 2, 2\)"),
    "3-d list": ([[[1], [2]]], ValueError, "one or two dimensions, but its rows hold rows"),
    "2-d column": ({"a": [[1, 2]]}, ValueError, "1-d columns, but column 'a' is 2-d"),
    "empty list": ([], ValueError, "sensitive_features is empty"),
    "empty array": (np.zeros((0, 2)), ValueError, "is empty"),
    "no columns": (np.zeros((3, 0)), ValueError, "is empty"),
    "empty rows": ([[], []], ValueError, "is empty"),
    "empty frame": (pd.DataFrame(), ValueError, "is empty"),
    "empty series": (pl.Series([], dtype=pl.Int64), ValueError, "is empty"),
    "empty strings": (pl.Series([], dtype=pl.String), ValueError, "is empty"),
    "empty categories": (pd.Series([], dtype="category"), ValueError, "is empty"),
    "empty dict": ({}, ValueError, "is empty"),
    "ragged rows": ([[1], [1, 2]], ValueError, r"rows of one length, but has lengths \[1, 2\]"),
    "rows and values": ([[1], 2], ValueError, "mixes rows and single values"),
    "ragged columns": ({"a": [1], "b": [1, 2]}, ValueError, "one length, but 'a' has 1, 'b' has 2"),
    "lists in an array": (
        np.array([[1], [1, 2]], dtype=object),
        TypeError,
        "the column does not: .*unhashable",
    ),
    "lists in a series": (pl.Series("s", [[1], [2]]), TypeError, "column 's' does not: .*unhashable"),
    "series in a list": ([pd.Series([1]), pd.Series([2])], TypeError, "unhashable type: 'Series'"),
    "columns of one name": (
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        ValueError,
        "(?s)sensitive_features.*unique column names.*'a'",
    ),
    "groups of one name": ({"a": ["b=c"], "a=b": ["c"]}, ValueError, "several groups named 'a=b=c': rename"),
    "1 and '1'": ({"a": [1, "1"], "b": [1, 1]}, ValueError, "several groups named 'a=1'"),
    "booleans and numbers": ([True, 1, 0], ValueError, "the column does, and Python holds that True == 1"),
    "booleans and floats": ({"a": [1.0, np.True_], "b": [1, 1]}, ValueError, "booleans and numbers.*'a'"),
    "too many values": (np.arange(70_000) * 7, ValueError, "too many groups: the column has 70000"),
    "fractions": (
        np.arange(50) / 7,
        ValueError,
        "the column holds 50 distinct .* not whole.* bin them first",
    ),
    "fractions in a list": (
        {"a": [0.5, *range(20)]},
        ValueError,
        "column 'a' holds 21 distinct .*pandas.cut",
    ),
    "fractions beside a column": (
        pd.DataFrame({"sex": ["F", "M"] * 50, "age": np.linspace(20, 30, 100)}),
        ValueError,
        "column 'age' holds 100 distinct",
    ),
}


@pytest.mark.parametrize(("features", "kind", "message"), WRONG.values(), ids=WRONG)
def test_wrong_features(features: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        read_groups(features)


@pytest.mark.parametrize(
    "features",
    [["a", "b"], np.array([[True], [False]]), pd.DataFrame({"a": [1, 2], "b": [1, 2]}), pl.Series([None, 1])],
    ids=["list", "membership", "frame", "missing too"],
)
def test_wrong_length(features: object) -> None:
    with pytest.raises(ValueError, match=r"sensitive_features must .* 2 rows for 3 points"):
        read_groups(features, n_points=3)


def test_none_needs_a_number_of_points() -> None:
    with pytest.raises(ValueError, match="n_points must say"):
        read_groups(None)


def test_unknown_way_with_missing_values() -> None:
    with pytest.raises(ValueError, match="missing must be one of 'error', 'group', 'none', but is 'drop'"):
        read_groups(["a"], missing="drop")


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["missing", None], "second group 'missing', because the column holds .* missing='none'"),
        ({"a": ["missing", None], "b": [1, 1]}, "second group 'a=missing', because column 'a'"),
        ({"a": [True, None], "a=missing": [True, False]}, "several groups named 'a=missing'"),
    ],
    ids=["column", "frame", "membership"],
)
def test_missing_name_is_taken(features: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_groups(features, missing="group")


def test_few_fractions_and_many_whole_numbers_are_groups() -> None:
    assert read_groups(np.arange(20) / 2).n_groups == 20
    assert read_groups(np.arange(100.0)).n_groups == 100
    assert read_groups((np.arange(100) / 7).astype(str)).n_groups == 100


# ---- groups without members -----------------------------------------------------------------------------


def test_including_groups_without_members() -> None:
    groups = read_groups(["x", "y", "x"]).including(["a", "y", "b"])
    check(groups)
    assert members(groups) == {"x": [0, 2], "y": [1], "a": [], "b": []}
    assert members(read_groups(None, n_points=2).including(["a"])) == {"a": []}


# ---- looking up a name ----------------------------------------------------------------------------------


def test_index_of_a_name() -> None:
    groups = read_groups(["Male", "Female"])
    assert [groups.index(name, "beta") for name in groups.names] == [0, 1]
    with pytest.raises(
        ValueError, match=r"^beta names an unknown group 'X': the groups are 'Female', 'Male'$"
    ):
        groups.index("X", "beta")


def test_index_among_many_or_no_names() -> None:
    with pytest.raises(ValueError, match=r"alpha names an unknown group '5': .* 18, 19 and 80 more"):
        read_groups(np.arange(100)).index("5", "alpha")
    with pytest.raises(ValueError, match="there are no groups"):
        read_groups(None, n_points=1).index("a", "prefix")
