"""The runner of the examples: none is forgotten, losses are compared, failures are seen."""

import sys
from pathlib import Path

import pytest

from tools import examples
from tools.examples import Example, Run

TRAINED, PRINTED = Example("gan", r"score (\S+)"), Example("graph", r"\d+ functions", False)


def test_every_example_is_run_or_left_out():
    files = {file.stem for file in Path(examples.ROOT, "examples").glob("*.py")}
    assert files == {each.name for each in examples.EXAMPLES} | set(examples.LEFT_OUT)


def test_every_example_with_losses_takes_the_option():
    for each in examples.EXAMPLES:
        source = Path(examples.ROOT, "examples", f"{each.name}.py").read_text(encoding="utf-8")
        assert ('"--losses"' in source) == each.has_losses, each.name
        assert "\nimport rushlight as torch" in source, each.name


def test_the_result_is_that_of_the_last_line_that_has_one():
    assert examples.find_result(TRAINED, "score 1\nscore 2.5\nend") == "2.5"
    assert examples.find_result(PRINTED, "11   functions\n12 functions, 2 leaves") == "12 functions"


def test_losses_are_compared_relative_to_large_ones_and_absolutely_to_small_ones():
    ours, theirs = Run("", 1.0, ["200.0", "0.5"]), Run("", 1.0, ["100.0", "0.25"])
    assert examples.difference(TRAINED, ours, theirs) == 1.0
    assert examples.difference(TRAINED, Run("", 1.0, ["0.5"]), Run("", 1.0, ["0.25"])) == 0.25


def test_another_number_of_losses_is_no_comparison():
    assert examples.difference(TRAINED, Run("", 1.0, ["1.0"]), Run("", 1.0, ["1.0", "2.0"])) == float("inf")


def test_an_agent_has_to_solve_its_task():
    agent = Example("ppo", examples.GREEDY, least=475)
    assert examples.find_result(agent, "mean return of 20 greedy episodes: -150.2") == "-150.2"
    assert examples.reaches_level(agent, Run("475.0", 1.0, [])) and not examples.reaches_level(
        agent, Run("474.9", 1.0, [])
    )
    assert "| **474.9** | 1.0 |" in examples.row(agent, Run("474.9", 1.0, []), None)
    levels = {each.name: each.least for each in examples.EXAMPLES if each.least is not None}
    assert levels == dict.fromkeys("actor_critic reinforce a2c ppo dqn".split(), 475) | {"td3": -200, "sac": -200}


def test_an_agent_that_gave_up_has_a_result(tmp_path):
    file = tmp_path / "agent.py"
    file.write_text("print(3)\nraise SystemExit(1)")
    assert examples.call(sys.executable, file, good=(0, 1)) == "3\n"
    assert examples.call(sys.executable, file) is None


def test_a_program_without_its_result_has_failed(monkeypatch):
    monkeypatch.setattr(examples, "call", lambda *words, good=(): "nothing of the kind\n")
    assert examples.run(PRINTED, sys.executable, "rushlight") is None


@pytest.mark.parametrize(
    "ours, theirs, end",
    [
        (Run("8", 1.26, ["1.0"]), Run("7", 2.0, ["1.00001"]), "| 8 | 1.3 | 7 | 2.0 | 1e-05 |"),
        (Run("8", 1.26, ["1.0"]), Run("7", 2.0, ["1.1"]), "| 8 | 1.3 | 7 | 2.0 | **9e-02** |"),
        (Run("8", 1.26, ["1.0"]), None, "| 8 | 1.3 |  |  |  |"),
        (None, Run("7", 2.0, ["1.1"]), "| **failed** |  |  |  |  |"),
    ],
)
def test_a_row_says_what_each_library_made_of_it(ours, theirs, end):
    assert examples.row(TRAINED, ours, theirs) == f"| [`gan.py`](../examples/gan.py) {end}"


def test_what_trains_nothing_must_print_the_same():
    one, other = Run("", 1.0, ["a"]), Run("", 1.0, ["b"])
    assert examples.row(PRINTED, one, one).endswith("| the same text |")
    assert examples.row(PRINTED, one, other).endswith("| **another text** |")


def test_the_page_holds_the_rows():
    assert "| ---: |\n| one |\n| two |\n" in examples.page(["| one |", "| two |"])


def test_an_example_runs_and_a_failure_is_none(capsys):
    (example,) = [each for each in examples.EXAMPLES if each.name == "stop_gradient"]
    ran = examples.run(example, sys.executable, "rushlight")
    assert ran.seconds > 0 and len(ran.result.split()) == 2 and len(ran.first) > 5
    assert examples.call(sys.executable, Path(examples.ROOT, "examples", "absent.py")) is None
    assert "absent.py" in capsys.readouterr().err
