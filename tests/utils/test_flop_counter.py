"""torch.utils.flop_counter: counts that can be worked out by hand."""

import pytest

import rushlight as torch
from rushlight import nn
from rushlight.utils.flop_counter import FlopCounterMode, register_flop_formula


@pytest.mark.parametrize(
    "call, count",
    [
        (lambda: torch.ones(2, 3) @ torch.ones(3, 4), 2 * 2 * 3 * 4),
        (lambda: torch.bmm(torch.ones(5, 2, 3), torch.ones(5, 3, 4)), 5 * 2 * 2 * 3 * 4),
        (lambda: torch.addmm(torch.ones(4), torch.ones(2, 3), torch.ones(3, 4)), 48),
        (lambda: nn.functional.linear(torch.ones(7, 3), torch.ones(4, 3)), 2 * 7 * 3 * 4),
        (lambda: nn.functional.conv2d(torch.ones(1, 2, 5, 5), torch.ones(4, 2, 3, 3)), 2 * 4 * 9 * 2 * 9),
        (lambda: nn.functional.conv_transpose1d(torch.ones(1, 2, 5), torch.ones(2, 3, 4)), 2 * 10 * 3 * 4),
        (lambda: nn.functional.scaled_dot_product_attention(*[torch.ones(1, 2, 6, 8)] * 3), 2 * 2 * 6 * 6 * 16),
        (lambda: torch.ones(3).exp(), 0),
    ],
)
def test_operations_of_products(call, count):
    with FlopCounterMode(display=False) as counter:
        call()
    assert counter.get_total_flops() == count


def test_modules_have_their_share(capsys):
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    with FlopCounterMode() as counter:
        model(torch.ones(5, 3))
    counts = {scope: sum(each.values()) for scope, each in counter.get_flop_counts().items()}
    assert counts == {"Global": 200, "Sequential": 200, "Sequential.0": 120, "Sequential.2": 80}
    assert "Sequential.0" in capsys.readouterr().out


def test_a_formula_of_ones_own():
    @register_flop_formula(torch.exp)
    def of_exp(x, *, out_val):
        return 10 * out_val.numel()

    with FlopCounterMode(display=False) as counter:
        torch.ones(3).exp(), torch.exp(torch.ones(2))
    assert counter.get_total_flops() == 50
