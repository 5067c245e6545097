"""The random programs themselves: reproducible, equal for one library twice, and able to find what differs."""

import pytest

from conformance.programs.differences import Difference
from conformance.programs.execution import trace
from conformance.programs.grammars import FAMILIES
from conformance.programs.lost import TORCH_CRASHED, run_surely
from conformance.programs.program import Program, generate
from conformance.programs.survey import Known, record
from conformance.programs.verdict import Finding, first_difference, judge, shrink, worst

PLANTED = "x9 = torch.ones(2) * (2 if 'rushlight' not in torch.__file__ else 3)"


@pytest.mark.parametrize("family", FAMILIES)
def test_torch_agrees_with_itself(family):
    for seed in range(8):
        program = generate(family, seed, "torch")
        assert program == generate(family, seed, "torch")
        assert first_difference(program, trace("torch", program), trace("torch", program)) is None


def test_a_planted_difference_is_found_and_shrunk_to_what_it_needs():
    statements = ["x1 = torch.zeros(3)", "x2 = x1 + 1", "x3 = x2.view(3, 1)", PLANTED, "x4 = x3 * 2"]
    program = Program("views", 0, statements)
    found = worst(judge(program))
    assert (found.number, found.difference.kind, found.difference.place) == (3, "value", "x9")
    assert shrink(program, found).statements == [PLANTED]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("x1 = torch.zeros(2, dtype=torch.int64 if 'rushlight' not in torch.__file__ else torch.int32)", "dtype"),
        ("x1 = torch.zeros(2 if 'rushlight' not in torch.__file__ else 3)", "shape"),
        ("x1 = torch.ones(2, 3)\nx1 = x1 if 'rushlight' not in torch.__file__ else x1.t().contiguous().t()", "stride"),
        ("x1 = torch.ones(2).requires_grad_('rushlight' not in torch.__file__)", "requires_grad"),
        ("x1 = torch.ones(2)\nx2 = x1[:] if 'rushlight' not in torch.__file__ else x1.clone()", "sharing"),
        ("if 'rushlight' not in torch.__file__: raise ValueError('no')", "missing error"),
        ("if 'rushlight' in torch.__file__: raise ValueError('no')", "extra error"),
        ("raise (ValueError if 'rushlight' not in torch.__file__ else TypeError)('no')", "error type"),
        ("raise ValueError('no' if 'rushlight' not in torch.__file__ else 'yes')", "words"),
        ("x1 = torch.ones(2, requires_grad=True)\nif 'rushlight' not in torch.__file__: x1.sum().backward()", "grad"),
        ("x1 = torch.ones(2, requires_grad=True)\nx2 = x1 + 1 if 'rushlight' in torch.__file__ else x1 * 2", "node"),
    ],
)
def test_each_kind_of_difference_is_seen(statement, kind):
    found = worst(judge(Program("views", 0, [statement])))
    assert found.difference.kind == kind


def test_a_listed_difference_is_no_finding():
    program = Program("views", 0, [PLANTED])
    listed = [Known("value", "torch.__file__", "planted")]
    assert record(program, listed, examples=False)["kind"] == "listed"
    assert record(program, [], examples=False)["kind"] == "value"


LARGE = "x1 = torch.tensor([1000.5], dtype=torch.float32)"


def test_a_difference_that_a_last_digit_makes_in_torch_too_is_rounding():
    rounded = "x2 = (x1 * (1 if 'rushlight' not in torch.__file__ else 1.0000001) - 1000.4) * 1e4"
    assert record(Program("views", 0, [LARGE, rounded]), [], examples=False)["kind"] == "listed"


def test_results_of_a_program_are_rounded_too():
    third = "x1 = torch.ones(2) / 3"
    lost = "x2 = (x1 - 1 / 3 + (0 if 'rushlight' not in torch.__file__ else 3e-8)) * 1e9"
    assert record(Program("views", 0, [third, lost]), [], examples=False)["kind"] == "listed"


def test_numbers_of_few_digits_are_not_rounded():
    floor = "x2 = torch.floor(x1) - (0 if 'rushlight' not in torch.__file__ else 1)"
    assert record(Program("views", 0, ["x1 = torch.ones(2) * 3", floor]), [], examples=False)["kind"] == "value"


def test_a_difference_that_no_last_digit_makes_in_torch_is_found():
    wrong = "x2 = x1 * (3 if 'rushlight' not in torch.__file__ else 3.001)"
    assert record(Program("views", 0, [LARGE, wrong]), [], examples=False)["kind"] == "value"


# three quarters in torch, and a digit more in Rushlight
DRIFTED = "x1 = torch.tensor([0.75, 2.0]) + (0 if 'rushlight' not in torch.__file__ else torch.tensor([1e-7, 0.0]))"


def test_a_comparison_of_numbers_that_differ_in_the_last_digit_is_right_where_torch_follows_ours():
    for made in ("x1 == 0.75", "x1.view(torch.int32)", "(x1 - 0.75).sign().log()", "torch.floor(x1 * 4e7) % 7"):
        assert record(Program("views", 0, [DRIFTED, f"x2 = {made}"]), [], examples=False)["kind"] == "listed", made


def test_a_wrong_comparison_is_found_among_numbers_that_differ_in_the_last_digit_too():
    wrong = "x2 = x1 > 1 if 'rushlight' not in torch.__file__ else x1 > 3"
    assert record(Program("views", 0, [DRIFTED, wrong]), [], examples=False)["kind"] == "value"
    exact = "x1 = torch.tensor([0.75, 2.0])"
    assert record(Program("views", 0, [exact, wrong]), [], examples=False)["kind"] == "value"


def test_a_listed_difference_explains_what_its_expressions_match():
    program = Program("views", 0, ["x1 = torch.ones(2)", "x2 = x1.sin()", "x3 = x1.cos()", "x1.add_(x2)"])
    finding = Finding(3, "x1.add_(x2)", Difference("value", "x1", "[1]", "[2]"))
    assert Known("value", r"add_\(", "why").explains(finding, program)
    assert not Known("dtype", r"add_\(", "why").explains(finding, program)
    assert not Known("value", r"mul_\(", "why").explains(finding, program)
    assert not Known("value", r"add_\(", "why", torch="NaN").explains(finding, program)
    assert Known("value", r"add_\(", "why", torch="1", ours="2").explains(finding, program)
    assert not Known("value", r"add_\(", "why", ours="1").explains(finding, program)
    assert Known("value", r"add_\(", "why", origin="ones").explains(finding, program)
    assert Known("value", r"add_\(", "why", origin="sin").explains(finding, program)
    assert not Known("value", r"add_\(", "why", origin="cos").explains(finding, program)
    assert Known("value", r"add_\(", "why", program="cos").explains(finding, program)
    assert not Known("value", r"add_\(", "why", program="tan").explains(finding, program)


class DyingPool:
    """A pool whose workers die of some programs: of those under both libraries, or of any alone."""

    def __init__(self, deadly, alone):
        self.deadly, self.alone = deadly, alone

    def run(self, tasks, report):
        for task in tasks:
            seeds = range(task["first"], task["first"] + task["count"])
            alone = task["kind"] == "program alone"
            dies = (seeds[0], task["leader"]) in self.alone if alone else self.deadly & set(seeds)
            kept = [{"seed": seed, "kind": "agrees"} for seed in seeds]
            report(task, {"fault": "crash: exit status -11"} if dies else {"result": kept})


@pytest.mark.parametrize(
    ("alone", "kind"),
    [
        ({(7, "torch")}, TORCH_CRASHED),
        ({(7, "rushlight")}, "fault"),
        ({(7, "torch"), (7, "rushlight")}, "fault"),
        (set(), "fault"),
    ],
)
def test_a_lost_batch_costs_only_the_program_that_killed_it(alone, kind):
    tasks = [{"kind": "programs", "family": "views", "first": first, "count": 5} for first in (0, 5, 10)]
    kinds = {}
    run_surely(
        DyingPool({7}, alone), tasks, lambda family, records: kinds.update({r["seed"]: r["kind"] for r in records})
    )
    assert sorted(kinds) == list(range(15))
    assert kinds.pop(7) == kind
    assert set(kinds.values()) == {"agrees"}


def test_a_listed_difference_may_ask_for_the_error_that_left_it_and_for_its_place():
    program = Program("views", 0, ["x1 = torch.ones(2)", "x1.add_(x1)"])
    difference = Difference("value left by an error", "x1.grad", "[1]", "[2]", "RuntimeError('ZeroDivisionError')")
    finding = Finding(1, "x1.add_(x1)", difference)
    kind = "value left by an error"
    assert Known(kind, "", "why", error="ZeroDivision").explains(finding, program)
    assert not Known(kind, "", "why", error="out of bounds").explains(finding, program)
    assert Known(kind, "", "why", place="grad$").explains(finding, program)
    assert not Known(kind, "", "why", place="^seen").explains(finding, program)


def test_what_an_error_leaves_behind_is_told_with_the_error():
    statement = "x1 = torch.ones(2)\nx1[0] = 2 if 'rushlight' in torch.__file__ else 3\nx1[5] = 1"
    left = [each.difference for each in judge(Program("views", 0, [statement])) if "left" in each.difference.kind]
    assert [each.kind for each in left] == ["value left by an error"]
    assert "index 5 is out of bounds" in left[0].error


CLOSURE = "def closure():\n    o2.zero_grad()\n    value = {}\n    value.backward()\n    return value\no2.step(closure)"


def test_the_steps_of_a_search_count_as_rounding_only_where_torch_wavers():
    start = ["x1 = torch.tensor([0.3, 1.7], dtype=torch.float32).requires_grad_()", "o2 = optim.LBFGS([x1])"]
    wrong = "(x1 - (1 if 'rushlight' not in torch.__file__ else 2)).pow(2).sum()"
    last_digits = "((x1 - 1) ** 4).sum() * (1 + (x1.detach().double() * 2**24).sum() % 3)"
    other = f"{last_digits} + (0 if 'rushlight' not in torch.__file__ else 1e-3 * x1.sum())"
    kinds = [
        record(Program("optimizers", 0, [*start, CLOSURE.format(each)]), [], examples=False)["kind"]
        for each in (wrong, other)
    ]
    assert kinds == ["value", "listed"]


def test_parameters_are_rounded_too():
    third = "m1 = nn.Linear(3, 3)\nnn.init.constant_(m1.weight, 1 / 3)"
    lost = "x2 = (m1.weight - 1 / 3 + (0 if 'rushlight' not in torch.__file__ else 3e-8)) * 1e9"
    assert record(Program("modules", 0, [third, lost]), [], examples=False)["kind"] == "listed"


def test_a_write_to_a_view_belongs_to_the_origin_of_its_base():
    statements = ["x1 = torch.ones(2)", "x2 = x1.view(2, 1)", "x3 = x2[0]", "x3.pow_(2)", "x4 = x1 + 1"]
    finding = Finding(4, "x4 = x1 + 1", Difference("value", "x4", "[1]", "[2]"))
    assert Known("value", "", "why", origin=r"pow_\(").explains(finding, Program("views", 0, statements))
    copied = [*statements[:1], "x2 = x1.exp()", *statements[2:]]
    assert not Known("value", "", "why", origin=r"pow_\(").explains(finding, Program("views", 0, copied))


def test_the_record_of_a_program_names_the_reasons_that_were_used():
    found = record(Program("views", 0, [PLANTED]), [Known("value", "torch.__file__", "planted")], examples=False)
    assert found["reasons"] == ["planted"]


def test_what_differed_before_an_error_was_not_left_by_it():
    made = "x1 = torch.ones(2, 3)\nx1 = x1 if 'rushlight' not in torch.__file__ else x1.t().contiguous().t()"
    found = judge(Program("views", 0, [made, "x1[5] = 1"]))
    assert [(each.number, each.difference.kind) for each in found] == [(0, "stride")]
