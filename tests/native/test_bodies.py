"""NumPy bodies called natively: what a user sees is what `ops/machine/call.py` gives."""

import threading

import numpy as np
import pytest

import rushlight as torch
from rushlight.native import extension
from rushlight.ops.machine.declare import op
from rushlight.ops.machine.rules import SAME

pytestmark = pytest.mark.skipif(extension is None, reason="there is no native layer")

RUNS = []


@op(dtype=SAME, name="_test_body", method=False, samples=None)
def body(input, factor=2.0, flag=False, *, out=None):
    RUNS.append(factor)
    if flag:
        raise RuntimeError("the body refuses")
    return input * factor


body.gradient(input=lambda grad, factor: grad * factor)


@pytest.fixture(autouse=True)
def runs():
    RUNS.clear()
    return RUNS


def test_a_body_runs_once(runs):
    assert body(torch.ones(2), 3.0).tolist() == [3.0, 3.0]
    assert body(input=torch.ones(2)).tolist() == [2.0, 2.0]
    assert runs == [3.0, 2.0]


def test_a_body_that_raises_is_run_again_by_python_which_words_the_error(runs):
    with pytest.raises(RuntimeError, match="the body refuses"):
        body(torch.ones(2), flag=True)
    assert runs == [2.0, 2.0]
    with pytest.raises(
        RuntimeError, match=r"trace: expected a matrix, but got tensor with dim 1\n  input: .* shape \[2\]"
    ):
        torch.trace(torch.ones(2))


def test_an_interrupt_in_a_body_is_nobodys_error(monkeypatch, runs):
    class Interrupting(list):
        def append(self, each):
            runs.append(each)
            raise KeyboardInterrupt

    monkeypatch.setitem(body.op.body.__globals__, "RUNS", Interrupting())
    with pytest.raises(KeyboardInterrupt):
        body(torch.ones(2))
    assert len(runs) == 1


def test_options_of_another_kind_are_refused():
    x = torch.ones(2)
    with pytest.raises(TypeError, match="argument 'density' must be bool, not int"):
        torch.histogram(x, 3, density=1)
    with pytest.raises(TypeError, match="argument 'beta' must be Number, not list"):
        torch.addr(torch.ones(2, 2), x, x, beta=[1.0])
    with pytest.raises(TypeError, match="other"):
        torch.trace(torch.ones(2, 2), other=1)
    with pytest.raises(TypeError, match="missing 1 required positional arguments"):
        torch.trace()


def test_a_body_is_recorded_and_its_cut_is_remembered():
    x = torch.ones(2, requires_grad=True)
    result = body(x, 3.0)
    assert result.requires_grad and result.grad_fn.next_functions[0][0].variable is x
    result.sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]
    with torch.no_grad():
        lost = body(x)
    assert not lost.requires_grad and lost._cut is not None
    assert body(lost)._cut == lost._cut
    with torch.inference_mode():
        assert body(x).is_inference()


def test_results_of_bodies_are_of_the_rules_dtype_and_layout():
    assert torch.trace(torch.ones(2, 2, dtype=torch.int32)).dtype is torch.int64
    assert torch.trace(torch.ones(2, 2, dtype=torch.float16)).dtype is torch.float16
    assert torch.sinc(torch.zeros(3, dtype=torch.int64)).dtype is torch.float32
    assert torch.sinc(torch.zeros(4, 300, dtype=torch.bfloat16).T).stride() == (1, 300)
    assert torch.vdot(torch.tensor([1, 2]), torch.tensor([3, 4])).item() == 11


def test_views_that_bodies_make_share_memory():
    x = torch.zeros(3, dtype=torch.complex64)
    torch.view_as_real(x)[1, 0] = 5
    assert x[1] == 5 and torch.view_as_real(x)._base is x


def test_numpys_warnings_stay_off_and_are_on_again(recwarn):
    numpy = pytest.importorskip("numpy")
    before = numpy.geterr()
    assert torch.special.entr(torch.tensor([0.0, -1.0])).tolist() == [0.0, -torch.inf]
    assert torch.sinc(torch.tensor([torch.inf])).isnan().all()
    with pytest.raises(RuntimeError):
        torch.trace(torch.ones(3))
    assert numpy.geterr() == before and not recwarn.list


def test_a_body_that_draws_is_pythons():
    assert torch.poisson.op.draws and not torch.trace.op.draws
    torch.manual_seed(0)
    with pytest.raises(RuntimeError):
        torch.binomial(torch.tensor([3.0]), torch.tensor([0.5, 0.5, 0.5], dtype=torch.float64))
    after = torch.rand(1)
    torch.manual_seed(0)
    assert torch.equal(after, torch.rand(1))


def test_bodies_run_in_several_threads_at_once_without_warnings():
    x = torch.linspace(-3, 3, 50)
    wanted = torch.special.airy_ai(x).tolist()
    found = []

    def run():
        found.extend(torch.special.airy_ai(x).tolist() == wanted for _ in range(500))
        with np.errstate(divide="raise"):
            found.append(torch.special.zeta(torch.ones(1), torch.ones(1)).isinf().item())
            found.append(np.geterr()["divide"] == "raise")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(found) == 4 * 502 and all(found)
