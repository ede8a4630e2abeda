from pathlib import Path

import pytest

from cli.people import run, write

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
