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
