import json
from pathlib import Path

from cli.people import people, run, text, write


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
    refused = run("audit", file, "-g", "sex")
    assert refused.exit_code == 2
    assert "--missing drop" in refused.stderr
    assert run("audit", file, "-g", "sex", "--beta", 0, "--missing", "drop").exit_code == 0
