"""Reports: the same finding in plain text, with rich, and on a page."""

import io

import pytest

import rushlight as torch
from rushlight import doctor, nn
from rushlight.doctor.report import page, plots, terminal, words


class Terminal(io.StringIO):
    """A file that says it is a terminal."""

    def isatty(self):
        return True


@pytest.fixture(scope="module")
def watch():
    torch.manual_seed(0)
    first, second = nn.Linear(3, 4), nn.Linear(4, 1)
    optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.01)
    x = torch.randn(8, 3)
    with doctor.watch() as watch:
        for _ in range(5):
            hidden = first(x).detach()
            optimizer.zero_grad()
            second(hidden).pow(2).mean().backward()
            optimizer.step()
    return watch


def test_plain_text_underlines_the_call(watch):
    file = io.StringIO()
    terminal.print_report(watch, file)
    lines = file.getvalue().splitlines()
    at = next(number for number, line in enumerate(lines) if line.strip() == "hidden = first(x).detach()")
    start = lines[at].index("first(x).detach()")
    assert lines[at + 1] == " " * start + "^" * len("first(x).detach()")
    assert "\x1b" not in file.getvalue()


def test_a_terminal_with_rich_gets_frames_and_colours(watch, monkeypatch):
    pytest.importorskip("rich")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    file = Terminal()
    terminal.print_report(watch, file)
    assert "history-detach" in file.getvalue() and "╭" in file.getvalue()


def test_a_terminal_without_rich_gets_colours(watch, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(terminal, "find_spec", lambda name: None)
    file = Terminal()
    terminal.print_report(watch, file)
    assert "\x1b[31;1mhistory-detach\x1b[0m" in file.getvalue() and "╭" not in file.getvalue()


def test_the_page_quotes_the_source_and_draws_the_way(watch):
    text = page.page(watch)
    assert "<u>first(x).detach()</u>" in text
    assert "<code>.detach()</code>" in text
    assert "gradients stop here" in text and "first.weight" in text


def test_a_page_that_cannot_be_written_leaves_the_old_one(watch, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")
    monkeypatch.setattr(page, "page", lambda watch: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        page.write(watch, str(path))
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_curves_are_broken_where_there_is_no_number():
    drawn = plots.curve([1.0, 2.0, float("nan"), 3.0, 4.0], "loss")
    assert drawn.count("M") == 2
    assert plots.curve([1.0], "loss") == "" and plots.spark([0.0, 0.0], "gradient") == ""


def test_the_course_of_the_loss_in_words():
    assert words.course_of_loss([]) == "No backward() was seen."
    assert words.course_of_loss([2.0, 1.0, 0.5]) == "The loss went from 2 to 0.5 over 3 backward passes."
    assert "no number since backward 2" in words.course_of_loss([2.0, float("nan"), 1.0])
