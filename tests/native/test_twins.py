"""Native code and the plain Python layer say the same: every sample of every op with a kernel, through both."""

from __future__ import annotations

import numpy as np
import pytest

import rushlight as torch
from tests.native.declared import backward, forward
from tests.ops.samples import RANDOM, SAMPLED, arguments, flat, values

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

NATIVE = [op for op in SAMPLED if hasattr(op.function, "_native") and op.name not in RANDOM]
# a few units in the last place: sums in another order, and other elementary functions
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-11}

each_op = pytest.mark.parametrize("op", NATIVE, ids=[op.name for op in NATIVE])


def told(function, sample, requires_grad):
    """All that a call says: its tensors, or the type and text of its error."""
    args, kwargs = arguments(sample, requires_grad=requires_grad)
    try:
        result = function(*args, **kwargs)
    except Exception as error:
        return type(error), str(error)
    return [*flat(args), *flat(tuple(kwargs.values()))], flat(result) or result


def assert_alike(one, other, sample, strides=True):
    assert one.dtype is other.dtype, sample
    assert one.shape == other.shape, sample
    assert not strides or one.stride() == other.stride(), sample
    first, second = values(one), values(other)
    if first.dtype.kind not in "fc":
        np.testing.assert_array_equal(first, second, err_msg=str(sample))
        return
    tolerance = TOLERANCE.get(first.real.dtype.type, 2e-3)
    scale = max(1.0, float(np.abs(second[np.isfinite(second)]).max(initial=0.0)))
    np.testing.assert_allclose(first, second, rtol=tolerance, atol=tolerance * scale, err_msg=str(sample))


def gradients(inputs, results):
    """Gradients of all inputs from all results, with the same pseudo-random cotangents each time."""
    outputs = [each for each in results if each.requires_grad]
    random = np.random.default_rng(0)
    starts = [torch.from_numpy(random.uniform(0.5, 1.5, each.shape)).to(each.dtype) for each in outputs]
    leaves = [each for each in inputs if each.requires_grad]
    if not outputs or not leaves:
        return []
    return list(torch.autograd.grad(outputs, leaves, starts, allow_unused=True))


def told_gradients(inputs, results):
    """Gradients, or the text of their refusal."""
    try:
        return gradients(inputs, results)
    except RuntimeError as error:
        return [str(error).splitlines()[0]]


@each_op
def test_results_are_the_same(op):
    for sample in op.samples():
        native, plain = (told(each, sample, False) for each in (op.function, op.function.__wrapped__))
        if isinstance(plain[0], type):
            assert native == plain, sample
            continue
        for one, other in zip(native[1], plain[1], strict=True) if isinstance(plain[1], list) else ():
            assert_alike(one, other, sample)
            assert one._is_view() == other._is_view(), sample
            assert (one._made, one._version) == (other._made, other._version), sample


@each_op
def test_graphs_and_gradients_are_the_same(op):
    for sample in op.samples():
        native, plain = (told(each, sample, True) for each in (op.function, op.function.__wrapped__))
        if isinstance(plain[0], type) or not isinstance(plain[1], list):
            assert isinstance(plain[0], type) is isinstance(native[0], type), sample
            continue
        for one, other in zip(native[1], plain[1], strict=True):
            assert one.requires_grad == other.requires_grad, sample
            assert graph_of(one) == graph_of(other), sample
        for one, other in zip(told_gradients(*native), told_gradients(*plain), strict=True):
            if one is None or isinstance(one, str):
                assert one == other, sample
            else:
                assert_alike(one, other, sample, strides=False)


def graph_of(tensor):
    """A node's name, its outputs' number, and where its edges lead."""
    node = tensor.grad_fn
    if node is None:
        return None
    edges = [None if each is None else (each.name(), number) for each, number in node.next_functions]
    return node.name(), tensor.output_nr, edges


@each_op
def test_a_second_backward_is_refused_alike(op):
    if op.is_composed:
        return
    for sample in op.samples()[:3]:
        messages = []
        for function in (op.function, op.function.__wrapped__):
            inputs, results = told(function, sample, True)
            if isinstance(inputs, type) or not isinstance(results, list):
                continue
            try:
                gradients(inputs, results)
                gradients(inputs, results)
                messages.append("")
            except RuntimeError as error:
                messages.append(str(error).splitlines()[0][:60])
        assert len(set(messages)) <= 1, sample


# How many samples with dtypes, ranks and layouts that kernels declare are left to Python, forwards and backwards: for
# their values, such as empty parts, classes given as probabilities, or sums over dims that are no neighbours.
LEFT = {
    "narrow": 2,
    # other norms, and what torch takes from a product of matrices
    "cdist": 10,
    "pdist": 6,
    "diagonal": 1,
    "unfold": 4,
    "stack": 1,
    "hstack": 1,
    "vstack": 2,
    "split": 2,
    "masked_select": 5,
    "masked_scatter": 2,
    "fill": 2,
    "nonzero": 6,
    "scatter": 1,
    "scatter_add": 1,
    "expand": 1,
    "nn.functional.nll_loss": 1,
    "nn.functional.cross_entropy": 12,
    "nn.functional.smooth_l1_loss": 1,
    "allclose": 1,
    "matmul": 1,
    "addmm": 2,
    "addmv": 1,
    "baddbmm": 1,
    "amax": 1,
    "amin": 1,
    "max": 2,
    "min": 2,
    "linalg.vector_norm": 12,
    "linalg.norm": 6,
    "norm": 2,
    "prod": 1,
    "any": 1,
    "all": 1,
    "logsumexp": 1,
    "sort": 1,
    "argsort": 1,
    "topk": 1,
    "var": 1,
    "std": 1,
    "var_mean": 1,
    "std_mean": 1,
    "reshape": 2,
    "flatten": 1,
    "squeeze": 2,
    "convolution": 1,
    "conv1d": 3,
    "conv2d": 3,
    "nn.functional.kl_div": 2,
}


@pytest.mark.thorough
@each_op
def test_nothing_that_is_declared_is_left_to_python(op):
    left = []
    for sample in op.samples():
        args, kwargs = arguments(sample, dtype="float32", requires_grad=True)
        (results,), found = forward(op, [(args, kwargs)])
        if results is None:
            continue
        left += found.undeclared
        if sample.smooth and op.inner_name is None:
            left += backward(op, results).undeclared
    assert len(left) <= LEFT.get(op.name, 0), left
