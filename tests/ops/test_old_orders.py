"""Numbers by position, as torch still takes them from old programs: `x.add_(2, y)` for `x.add_(y, alpha=2)`."""

import pytest

import rushlight as torch
from rushlight.ops.machine import calling

a, m = torch.ones(2), torch.ones(2, 2)
CALLS = {
    "add": (lambda: torch.add(a, 2, a), [3, 3]),
    "method": (lambda: a.add(2, a), [3, 3]),
    "in place": (lambda: a.clone().add_(2, a), [3, 3]),
    "sub": (lambda: torch.sub(a, 2, a), [-1, -1]),
    "into": (lambda: torch.add(a, 2, a, out=torch.empty(2)), [3, 3]),
    "addcmul": (lambda: a.addcmul(2, a, a), [3, 3]),
    "addcdiv": (lambda: a.clone().addcdiv_(2, a, a), [3, 3]),
    "addmm": (lambda: torch.addmm(1, m, 2, m, m), [[5, 5], [5, 5]]),
    "addmm without alpha": (lambda: torch.addmm(1, m, m, m), [[3, 3], [3, 3]]),
    "addmm as a method": (lambda: m.addmm(1, 2, m, m), [[5, 5], [5, 5]]),
    "addmm in place": (lambda: m.clone().addmm_(1, m, m), [[3, 3], [3, 3]]),
    "addmv": (lambda: torch.addmv(1, a, 2, m, a), [5, 5]),
    "addr": (lambda: torch.addr(1, m, 2, a, a), [[3, 3], [3, 3]]),
    "baddbmm": (lambda: torch.baddbmm(1, m[None], 2, m[None], m[None]), [[[5, 5], [5, 5]]]),
    "addbmm": (lambda: torch.addbmm(1, m, 2, m[None], m[None]), [[5, 5], [5, 5]]),
}


@pytest.mark.filterwarnings("ignore:This overload of")
@pytest.mark.parametrize("name", CALLS)
def test_old_forms(name):
    call, wanted = CALLS[name]
    assert call().tolist() == wanted


def test_the_first_one_warns():
    calling.warned.discard("add_")
    with pytest.warns(
        UserWarning, match="This overload of add_ is deprecated:\n\tadd_\\(Number alpha, Tensor other\\)"
    ):
        a.clone().add_(2, a)
    a.clone().add_(2, a)


def test_other_arguments_are_too_many():
    with pytest.raises(TypeError, match=r"add\(\) takes 2 positional arguments but 3 were given"):
        torch.add(a, a, a)
