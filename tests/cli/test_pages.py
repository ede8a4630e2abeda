from pathlib import Path

import pytest

from cli.people import people, run, text, write

pytest.importorskip("minirel.report")


def test_fit_writes_a_page(tmp_path: Path) -> None:
    page, file = tmp_path / "page.html", write(tmp_path)
    result = run("fit", file, "-g", "sex", "-k", 3, "--report", page)
    assert result.exit_code == 0, (result.output, result.exception)
    told = page.read_text(encoding="utf-8")
    assert "<html" in told
    assert "minirel fit" in told
    assert "looks like an identifier" in told


def test_audit_writes_a_page(tmp_path: Path) -> None:
    page, file = tmp_path / "page.html", write(tmp_path)
    result = run("audit", file, "--cluster", "job", "-g", "sex", "--beta", 0, "--report", page)
    assert result.exit_code == 0, (result.output, result.exception)
    assert "minirel audit" in page.read_text(encoding="utf-8")


def test_demo(tmp_path: Path) -> None:
    page = tmp_path / "demo.html"
    result = run("demo", "--report", page)
    assert result.exit_code == 0, (result.output, result.exception)
    before, after = result.stdout.split("minirel promises")
    assert "'rents' lacks 2 clusters" in before
    assert "Every promise is kept." in after
    assert "<html" in page.read_text(encoding="utf-8")


def test_one_command_explains_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minirel.outcome import explanation

    calls, result_of = [], explanation.result_of
    monkeypatch.setattr(explanation, "result_of", lambda model: calls.append(model) or result_of(model))
    page, json = tmp_path / "page.html", tmp_path / "all.json"
    done = run("fit", write(tmp_path), "--group", "sex", "-k", 3, "--report", page, "--json", json)
    assert done.exit_code == 0, done.output
    assert len(calls) == 1


def test_codes_are_not_expanded_to_be_encoded_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from minirel.points import columns

    monkeypatch.setattr(columns, "_encode_objects", lambda *_: pytest.fail("values were expanded"))
    out = tmp_path / "out.csv"
    file = write(tmp_path)
    assert (
        run("fit", file, "--group", "sex", "--group", "job", "-k", 3, "--beta", 0, "--out", out).exit_code
        == 0
    )
    assert run("audit", out, "--group", "sex").exit_code in (0, 1)


@pytest.mark.parametrize(
    ("asked", "has"),
    [(["--missing", "mean"], "have no group"), (["--missing=drop"], "have missing cells")],
    ids=["mean", "drop"],
)
@pytest.mark.parametrize("command", ["fit", "frontier", "audit"])
def test_pages_say_which_rows_were_left_out(tmp_path: Path, command: str, asked: list[str], has: str) -> None:
    rows = people()
    for row in rows[1:5]:
        row[4] = ""
    page, file = tmp_path / "page.html", write(tmp_path, content=text(rows))
    own = {
        "fit": ["-k", 3, "--beta", 1],
        "frontier": ["-k", "3", "--beta", "1", "--seeds", 0],
        "audit": ["--cluster", "job", "--beta", 0],
    }
    done = run(command, file, "-g", "sex", "--report", page, *own[command], *asked)
    assert done.exit_code == 0, (done.output, done.exception)
    told = page.read_text(encoding="utf-8")
    so = "not counted" if command == "audit" else "in no cluster"
    sentence = f"4 of 60 rows {has} and are {so} ({' '.join(asked).replace('=', ' ')})."
    assert sentence in told
    assert told.index(sentence) < told.index("<h2", told.index("<h2") + 1)  # with the first answer
    assert "in exactly one cluster, but for those that were left out." in told
    assert "Nothing: " not in told
    if command == "fit":
        assert f"<code>{sentence.rpartition('(')[2][:-2]}</code>" in told
