"""Native kernels of distributions: the values, gradients and verdicts of the Python layer."""

import math

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import bernoulli, categorical, constraints, normal, number_transforms
from rushlight.distributions.distribution import Distribution
from rushlight.native import extension

pytestmark = pytest.mark.skipif(extension is None, reason="no native layer")

KINDS = [torch.float32, torch.float64]
INF, NAN = math.inf, math.nan


def values(*shape, dtype=torch.float32, low=-3.0, high=3.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return (torch.rand(*shape, generator=generator, dtype=torch.float64) * (high - low) + low).to(dtype)


def close(one, other, size=1.0, strides=True):
    """Alike to a few units in the last place, of the value or of `size`, with the same shape, strides and dtype."""
    assert one.dtype is other.dtype
    assert one.shape == other.shape
    assert not strides or one.stride() == other.stride()
    eps = 8 * np.finfo(one.detach().numpy().dtype).eps
    np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), rtol=eps, atol=eps * size)


def check(function, *inputs):
    """A kernel against the body of its op, and its gradients against the formulas."""
    op = function.op
    leaves = [each.clone().requires_grad_() if each.is_floating_point() else each for each in inputs]
    result = function(*leaves)
    with np.errstate(all="ignore"):
        body = np.asarray(op.body(*[each.detach().numpy() for each in leaves]))
    close(result, torch.from_numpy(body), strides=False)
    assert result.stride() == function.__wrapped__(*leaves).stride()
    assert result.grad_fn is not None
    grad = values(result.shape, dtype=result.dtype, seed=7)
    result.backward(grad)
    known = dict(zip(op.names, [each.detach() for each in inputs], strict=True), grad=grad, result=result.detach())
    known |= {f"{name}_shape": tuple(known[name].shape) for name in op.names}
    for name, leaf in zip(op.names, leaves, strict=True):
        if name in op.gradients:
            formula = op.gradients[name]
            expected = formula(*[known[each] for each in formula.__code__.co_varnames[: formula.__code__.co_argcount]])
            if leaf.shape != expected.shape:
                expected = summed(expected, leaf.shape)
            # a sum over a row has errors of the row's size; `.grad` lies in memory as the leaf does
            close(leaf.grad, expected, size=max(1, leaf.numel()), strides=False)


def summed(grad, shape):
    """A gradient summed over the dims along which its input was stretched."""
    while grad.dim() > len(shape):
        grad = grad.sum(0)
    stretched = [dim for dim, size in enumerate(shape) if size == 1]
    return grad.sum(stretched, keepdim=True) if stretched else grad


@pytest.mark.parametrize("dtype", KINDS, ids=str)
@pytest.mark.parametrize("shape", [(1,), (4,), (7, 3), (2, 3, 17), (5, 1000), (0, 4)], ids=str)
def test_logits_are_normalized_as_in_python(shape, dtype):
    check(categorical.normalized, values(*shape, dtype=dtype))
    check(categorical.normalized, values(*shape, dtype=dtype) * 50)
    check(categorical.normalized, values(9, *shape, dtype=dtype).transpose(0, -2) if shape[0] else values(1, 3))


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_rows_with_infinities_and_nan_stay_as_in_python(dtype):
    rows = [[0, -INF, 1, 2], [-INF] * 4, [INF, 0, 0, 0], [NAN, 1, 2, 3], [INF, INF, -INF, 0], [3e38, 3e38, -3e38, 0]]
    rows = torch.tensor(rows, dtype=dtype)
    body = torch.from_numpy(np.asarray(categorical.normalized.__wrapped__(rows).numpy()))
    close(categorical.normalized(rows), body)
    probs = torch.softmax(rows, -1)
    close(categorical.entropy_of(rows, probs), categorical.entropy_of.__wrapped__(rows, probs))


@pytest.mark.parametrize("dtype", KINDS, ids=str)
@pytest.mark.parametrize("shape", [(1,), (4,), (7, 3), (2, 3, 17), (0, 4)], ids=str)
def test_entropies_and_chosen_ones_are_those_of_python(shape, dtype):
    logits = values(*shape, dtype=dtype)
    check(categorical.entropy_of, logits, torch.softmax(logits, -1))
    index = torch.arange(math.prod(shape[:-1])).reshape(shape[:-1]) % shape[-1]
    check(categorical.chosen, logits, index)
    wide = logits.expand(3, *shape)
    index = (torch.arange(3 * math.prod(shape[:-1])) * 2).reshape(3, *shape[:-1]) % shape[-1]
    close(categorical.chosen(wide, index), categorical.chosen.__wrapped__(wide, index))


def test_only_one_gradient_may_be_wanted():
    logits, probs = values(3, 4), torch.softmax(values(3, 4), -1)
    for first, second in [(True, False), (False, True)]:
        a, b = logits.clone().requires_grad_(first), probs.clone().requires_grad_(second)
        categorical.entropy_of(a, b).sum().backward()
        assert (a.grad is not None, b.grad is not None) == (first, second)


def test_a_class_that_is_not_there_is_refused():
    logits = values(2, 3)
    for index in ([0, 3], [-1, 0]):
        with pytest.raises((RuntimeError, IndexError)):
            categorical.chosen(logits, torch.tensor(index))
        with pytest.raises(ValueError, match="within the support"):
            torch.distributions.Categorical(logits=logits).log_prob(torch.tensor(index))


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_normal_log_probabilities_are_those_of_python(dtype):
    value, loc = values(5, 3, dtype=dtype), values(5, 3, dtype=dtype, seed=1)
    scale = values(5, 3, dtype=dtype, low=0.1, seed=2)
    check(normal.log_density, value, loc, scale)
    check(normal.log_density, value, loc, scale[0])
    check(normal.log_density, value[0], loc, scale[:, :1])
    check(normal.log_density, value.t().contiguous().t(), loc, scale)
    check(normal.log_density, torch.tensor([INF, -INF, NAN], dtype=dtype), loc[0], scale[0])
    spread = normal.log_density(value, loc, scale[0, 0].expand(5, 3))
    close(spread, normal.log_density.__wrapped__(value, loc, scale[0, 0].expand(5, 3)))


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_bernoulli_log_probabilities_are_those_of_python(dtype):
    logits = torch.cat([values(30, dtype=dtype) * 40, torch.tensor([NAN, 0.0, -0.0], dtype=dtype)])
    check(bernoulli.log_probability, logits, (values(33, dtype=dtype) > 0).to(dtype))


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_slopes_of_tanh_are_those_of_python(dtype):
    check(number_transforms.log_slope_of_tanh, values(4, 30, dtype=dtype) * 15)
    check(number_transforms.log_slope_of_tanh, torch.tensor([INF, -INF, NAN, 0.0, -0.0], dtype=dtype))


REGIONS = [
    constraints.real,
    constraints.real_vector,
    constraints.boolean,
    constraints.positive,
    constraints.nonnegative,
    constraints.unit_interval,
    constraints.interval(-1, 2.5),
    constraints.half_open_interval(0.0, 1.0),
    constraints.less_than(1.0),
    constraints.greater_than(torch.tensor(0.5)),
    constraints.greater_than_eq(-1),
    constraints.integer_interval(0, 3),
    constraints.nonnegative_integer,
    constraints.positive_integer,
    constraints.simplex,
    constraints.independent(constraints.unit_interval, 2),
]
PROBES = [
    torch.tensor(numbers, dtype=dtype)
    for numbers in [
        *[[each] for each in (0.0, -0.0, 1.0, 0.5, 2.5, 3.0, 4.0, -1.0, 1e-45, INF, -INF, NAN)],
        [0.25, 0.75],
        [0.25, 0.5],
        [0.5, 0.5 + 1e-5],
        [1.0, NAN, 2.0],
        [[0.2, 0.8], [1.0, 0.0]],
        [[0.2, 0.8], [1.5, -0.5]],
    ]
    for dtype in (torch.float32, torch.float64)
]
PROBES += [torch.tensor(each) for each in ([0, 1], [0, 3], [4], [-1], [True, False], [[1, 2]], 2, 0.5)]
PROBES += [torch.tensor(0.5).expand(3, 2), torch.tensor([0.1, 0.9]).expand(3, 2), torch.ones(2, 4)[:, ::2]]
PROBES += [torch.zeros(0), torch.zeros(2, 0), torch.zeros(0, 2), torch.tensor([0.5], dtype=torch.float16)]


@pytest.mark.parametrize("region", REGIONS, ids=repr)
def test_verdicts_are_those_of_python(region):
    holds = type(region).holds
    for probe in PROBES:
        verdicts = []
        for judge in (holds, holds.__wrapped__):
            try:
                verdicts.append(judge(region, probe))
            except Exception as error:
                verdicts.append((type(error), str(error)))
        assert verdicts[0] == verdicts[1], probe
        assert isinstance(verdicts[0], (bool, tuple))


def test_a_region_of_the_programs_own_is_asked_itself():
    class Even(constraints._Real):
        def check(self, value):
            return value % 2 == 0

    assert Even().holds(torch.tensor([2.0, 4.0]))
    assert not Even().holds(torch.tensor([2.0, 3.0]))

    class Evens(torch.distributions.Normal):
        support = Even()

    with pytest.raises(ValueError, match="support"):
        Evens(torch.tensor(0.0), torch.tensor(1.0)).log_prob(torch.tensor(3.0))


def test_parameters_are_validated_as_in_python():
    made = [
        lambda: torch.distributions.Normal(torch.tensor([0.0, NAN]), torch.ones(2)),
        lambda: torch.distributions.Normal(torch.zeros(2), torch.tensor([1.0, 0.0])),
        lambda: torch.distributions.Categorical(logits=torch.tensor([0.0, NAN])),
        lambda: torch.distributions.Categorical(probs=torch.tensor([-1.0, 3.0])),
        lambda: torch.distributions.Bernoulli(probs=torch.tensor(1.5)),
    ]
    for make in made:
        with pytest.raises(ValueError, match="to satisfy the constraint"):
            make()
    unchecked = torch.distributions.Normal(torch.zeros(2), torch.tensor([1.0, -1.0]), validate_args=False)
    assert unchecked.scale[1] == -1
    assert Distribution._validate_args


def test_what_was_drawn_by_native_code_has_the_shape_of_python():
    logits = values(3, 2, 5)
    for sample_shape in ((), (1,), (4,), (2, 3), (0,)):
        found = []
        for function in (categorical.drawn, categorical.drawn.__wrapped__):
            torch.manual_seed(3)
            made = torch.distributions.Categorical(logits=logits)
            count, shape = math.prod(sample_shape), made._extended_shape(sample_shape)
            if not count:
                continue
            found.append(function(made.probs, count, shape))
        if found:
            assert found[0].shape == found[1].shape == (*sample_shape, 3, 2)
            assert found[0].stride() == found[1].stride()
            assert (found[0] == found[1]).all()
    with torch.inference_mode():
        assert torch.distributions.Categorical(logits=logits).sample().is_inference()
