import pytest

from minirel import demo


def test_demo_shows_who_is_left_out_and_that_nobody_is_afterwards(capsys: pytest.CaptureFixture[str]) -> None:
    demo.main()
    before, after = capsys.readouterr().out.split("Fair assignment")
    assert before.count("<- too few") == 1
    assert after.count("3 clusters") == 3
    assert "(optimal)" in after
