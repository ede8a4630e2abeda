import json
from pathlib import Path

from cli.people import people, refused, run, text, write


def clustered(folder: Path) -> str:
    rows = [[*row, f"{i % 11}"] for i, row in enumerate(people())]
    rows[0][-1] = "cluster"
    return write(folder, content=text(rows))


def test_a_broken_promise_is_exit_code_1(tmp_path: Path) -> None:
    result = run("audit", clustered(tmp_path), "-g", "sex", "--alpha", "0.9", "--beta", 3)
    assert result.exit_code == 1
    assert "Broken: " in result.stdout
    assert result.stderr == ""


def test_kept_promises_are_exit_code_0(tmp_path: Path) -> None:
    result = run("audit", clustered(tmp_path), "--cluster", "cluster", "-g", "sex", "--beta", "Male:1")
    assert result.exit_code == 0
    assert "Every promise is kept." in result.stdout


def test_clusters_are_sorted_as_numbers(tmp_path: Path) -> None:
    told = json.loads(run("audit", clustered(tmp_path), "-g", "sex", "--beta", 0, "--json", "-").stdout)
    assert told["clusters"] == list(range(11))
    assert sum(told["sizes"]) == 60
    weighed = run("audit", clustered(tmp_path), "-g", "sex", "--beta", 0, "--weight", "weight", "--json", "-")
    assert sum(json.loads(weighed.stdout)["sizes"]) == 120


def test_what_fit_writes_passes(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert run("fit", write(tmp_path), "-g", "sex", "-g", "region", "-k", 4, "--out", out).exit_code == 0
    assert run("audit", out, "-g", "sex", "-g", "region").exit_code == 0


def test_rows_without_a_cluster_can_be_dropped(tmp_path: Path) -> None:
    file = clustered(tmp_path)
    Path(file).write_text(Path(file).read_text(encoding="utf-8").replace(",1\n", ",\n", 1), encoding="utf-8")
    refused(run("audit", file, "-g", "sex"), "--missing drop")
    assert run("audit", file, "-g", "sex", "--beta", 0, "--missing", "drop").exit_code == 0


def fitted_without(folder: Path, word: str, *options: str) -> Path:
    """What `fit` writes of people of whom three have `word` for their sex."""
    rows = people()
    for row in rows[4:7]:
        row[4] = word
    out = folder / "out.csv"
    file = write(folder, content=text(rows))
    assert run("fit", file, "-g", "sex", "-k", 3, "--missing", "mean", *options, "--out", out).exit_code == 0
    return out


def test_rows_that_fit_left_out_for_want_of_a_group(tmp_path: Path) -> None:
    result = run("audit", fitted_without(tmp_path, ""), "-g", "sex")
    assert result.exit_code == 0
    assert result.stderr == "warning: 3 of 60 rows have neither a group nor a cluster and are left out\n"
    out = fitted_without(tmp_path, "?", "--na", "?")
    assert run("audit", out, "-g", "sex", "--na", "?").exit_code == 0
    said = "3 of 60 rows have no value in --cluster 'cluster', among them all 3 with '?' in sex"
    refused(run("audit", out, "-g", "sex"), said, "add --na '?'", "(57 rows are left)")


def test_what_is_advised_about_missing_cells_can_be_done(tmp_path: Path) -> None:
    file = clustered(tmp_path)
    Path(file).write_text(Path(file).read_text(encoding="utf-8").replace(",Male,", ",,", 1), encoding="utf-8")
    result = run("audit", file, "-g", "sex")
    refused(result, "Choose --missing drop (59 rows are left), or --missing category (a group of their own).")
    result = run("fit", file, "-g", "sex", "-k", 3)
    refused(result, "--missing category (fill them in, and make rows without a group one of their own)")
    refused(result, "--missing mean (fill them in, and leave out rows without a group)")


def test_an_empty_column_is_called_so(tmp_path: Path) -> None:
    rows = people()
    for row in rows[1:]:
        row[5] = ""
    file = write(tmp_path, content=text(rows))
    said = "column 'region' is empty: every cell of it is missing; name another column"
    for options in (("-g", "region"), ("-g", "sex", "--weight", "region"), ("-g", "sex", "-g", "region")):
        refused(run("fit", file, "-k", 3, *options), said)
        refused(run("fit", file, "-k", 3, *options, "--missing", "drop"), said)
    refused(run("audit", file, "-g", "sex", "--cluster", "region"), said)
    refused(run("audit", file, "-g", "region", "--cluster", "job"), said)


def test_clusters_that_look_like_something_else(tmp_path: Path) -> None:
    rows = [[*row, f"{i * 3.25}"] for i, row in enumerate(people())]
    rows[0][-1] = "height"
    file = write(tmp_path, content=text(rows))
    for column in ("code", "height"):
        result = run("audit", file, "-g", "sex", "--cluster", column, "--beta", 0)
        said = f"--cluster '{column}' has 60 values in 60 rows: it looks like an identifier or a measurement"
        assert said in result.stderr
    assert run("audit", file, "-g", "sex", "--cluster", "job", "--beta", 0).stderr == ""


def test_clusters_are_sorted_by_their_numbers(tmp_path: Path) -> None:
    for names, shown in (
        (["63.3", "8.0", "-1", "1e2"], [-1, 8, 63.3, 100]),
        (["10", "9", "-1", "100"], [-1, 9, 10, 100]),
        (["010", "9", "1", "100"], ["010", "1", "100", "9"]),
        (["1", "1.0", "2", "10"], ["1", "1.0", "10", "2"]),
    ):
        rows = [[*row, names[i % 4]] for i, row in enumerate(people())]
        rows[0][-1] = "cluster"
        result = run("audit", write(tmp_path, content=text(rows)), "-g", "sex", "--beta", 0, "--json", "-")
        assert json.loads(result.stdout)["clusters"] == shown
