"""Every transform of the table: its inverse, its slope, its shapes, and where it leads."""

import copy
import math
import pickle

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import constraints, transforms
from rushlight.distributions.transforms import (
    AffineTransform,
    CatTransform,
    ComposeTransform,
    CorrCholeskyTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    IndependentTransform,
    PowerTransform,
    ReshapeTransform,
    SigmoidTransform,
    SoftclipTransform,
    SoftmaxTransform,
    SoftsignTransform,
    SquashTransform,
    StackTransform,
    StickBreakingTransform,
    TanhTransform,
    Transform,
)
from tests.distributions.transform_table import OURS, ROWS, given, make

NAMES = [*ROWS, *OURS]
ALL = pytest.mark.parametrize("name", NAMES)
# where a matrix comes out of a vector, the slope is that of some of its elements
BIJECTIVE = [name for name in NAMES if make(torch, name).bijective and not name.startswith("CorrCholesky")]


def value(name):
    return torch.tensor(given(name))


def test_every_transform_has_a_row():
    classes = {name for name in transforms.__all__ if name != "Transform"}
    assert classes - {name.split()[0] for name in NAMES} == {"CumulativeDistributionTransform"}


@ALL
def test_values_lie_in_the_regions(name):
    transform, x = make(torch, name), value(name)
    assert transform.domain.check(x).all() and transform.codomain.check(transform(x)).all()


@ALL
def test_the_inverse_undoes(name):
    transform = make(torch, name).with_cache(0)
    y = transform(value(name))
    x = transform.inv(y)
    if transform.bijective:
        assert x.allclose(value(name), 1e-7, 1e-9)
    # a pseudoinverse too leads to the same value
    assert transform(x).allclose(y)
    assert transform.inv.inv is transform
    if transform.bijective:
        slope = transform.inv.log_abs_det_jacobian(y, x)
        assert slope.allclose(-transform.log_abs_det_jacobian(x, y), 1e-6, 1e-9)


@pytest.mark.parametrize("name", BIJECTIVE)
def test_slopes_are_those_of_the_jacobian(name):
    transform, x = make(torch, name), value(name)
    y = transform(x)
    found = transform.log_abs_det_jacobian(x, y)
    before, after = transform.domain.event_dim, transform.codomain.event_dim
    assert found.shape == torch.broadcast_tensors(x, x)[0].shape[: x.dim() - before]
    jacobian = torch.autograd.functional.jacobian(transform, x)
    jacobian = jacobian.reshape(y.numel(), x.numel()).numpy()
    if y.numel() > x.numel():
        # the last share is what the others leave
        jacobian = jacobian[np.arange(y.numel()).reshape(y.shape)[..., :-1].reshape(-1)]
    if after == 0 and before == 0:
        np.testing.assert_allclose(found.numpy().reshape(-1), np.log(np.abs(np.diag(jacobian))), 1e-9, 1e-9)
    np.testing.assert_allclose(found.numpy().sum(), np.linalg.slogdet(jacobian)[1], 1e-9, 1e-9)


@pytest.mark.parametrize("count", [1, 3, 6])
def test_the_slope_of_correlations_is_that_of_the_elements_below_the_diagonal(count):
    transform, x = CorrCholeskyTransform(), torch.linspace(-1, 1, count, dtype=torch.float64)
    y = transform(x)
    below = torch.autograd.functional.jacobian(lambda x: transform(x)[tuple(torch.tril_indices(*y.shape, -1))], x)
    assert transform.log_abs_det_jacobian(x, y).allclose(below.det().abs().log())


@ALL
def test_shapes_are_told_beforehand(name):
    transform, x = make(torch, name), value(name)
    y = transform(x)
    assert transform.forward_shape(x.shape) == y.shape and transform.inverse_shape(y.shape) == x.shape
    assert transform.inv.forward_shape(y.shape) == x.shape and transform.inv.inverse_shape(x.shape) == y.shape


@ALL
def test_slopes_have_gradients(name):
    transform = make(torch, name)
    x = value(name).requires_grad_()
    if transform.bijective:
        assert torch.autograd.gradcheck(lambda x: transform.log_abs_det_jacobian(x, transform(x)), (x,))
    if not name.startswith(("LowerCholesky", "PositiveDefinite")):
        assert torch.autograd.gradcheck(lambda x: transform.with_cache(0).inv(transform(x)), (x,))


@ALL
def test_equality_pickles_and_copies(name):
    transform = make(torch, name)
    for made in (pickle.loads(pickle.dumps(transform)), copy.deepcopy(transform)):
        assert type(made) is type(transform) and made(value(name)).equal(transform(value(name)))
        assert made.inv(made(value(name))).allclose(transform.inv(transform(value(name))))
    assert transform == transform and (transform != AffineTransform(7.0, 7.0))
    assert repr(transform).startswith(type(transform).__name__)
    with pytest.raises(TypeError, match="unhashable"):
        hash(transform)


def test_equality():
    assert ExpTransform() == ExpTransform() and ExpTransform() != TanhTransform()
    assert ExpTransform().inv == ExpTransform().inv and ExpTransform().inv != ExpTransform()
    assert AffineTransform(1, 2) == AffineTransform(1.0, torch.tensor(2.0)) != AffineTransform(1, 3)
    assert PowerTransform(2.0) == PowerTransform(torch.tensor(2.0)) != PowerTransform(3.0)
    assert ComposeTransform([ExpTransform()]) == ComposeTransform([ExpTransform()]) != ExpTransform()
    assert SoftclipTransform(0.0, 1.0) == SoftclipTransform(0.0, 1.0) != SoftclipTransform(0.0, 2.0)
    assert SoftclipTransform(0.0, 1.0) != SoftsignTransform() and SoftsignTransform() == SoftsignTransform()
    assert repr(ExpTransform().inv) == "_InverseTransform(ExpTransform())"
    assert repr(SoftclipTransform(0.0, 1.0)) == "SoftclipTransform(0.0, 1.0, 1.0)"
    assert repr(ComposeTransform([ExpTransform()])) == "ComposeTransform(\n    ExpTransform()\n)"
    assert repr(IndependentTransform(ExpTransform(), 1)) == "IndependentTransform(ExpTransform(), 1)"


def test_signs():
    assert AffineTransform(0, -2).sign == -1 and AffineTransform(0, 0.5).inv.sign == 1
    assert AffineTransform(0, torch.tensor([-2.0, 3.0])).sign.tolist() == [-1, 1]
    assert PowerTransform(torch.tensor([-2.0, 3.0])).sign.tolist() == [-1, 1]
    assert ComposeTransform([AffineTransform(0, -2), TanhTransform(), AffineTransform(0, -1)]).sign == 1
    assert IndependentTransform(TanhTransform(), 1).sign == 1 and SoftsignTransform().sign == 1


def test_a_distribution_function_makes_numbers_uniform():
    transform = CumulativeDistributionTransform(torch.distributions.Normal(torch.tensor(1.0), torch.tensor(2.0)))
    x = torch.linspace(-3, 3, 7)
    y = transform(x)
    assert transform.inv(y) is x and transform.with_cache(0).inv(y).allclose(x, atol=1e-5)
    assert transform.log_abs_det_jacobian(x, y).allclose(transform.distribution.log_prob(x))
    assert transform.domain is constraints.real and transform.codomain is constraints.unit_interval


def test_a_copula():
    base = torch.distributions.MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 0.8], [0.8, 1.0]]))
    uniform = CumulativeDistributionTransform(torch.distributions.Normal(0.0, 1.0))
    copula = torch.distributions.TransformedDistribution(base, uniform)
    assert copula.log_prob(torch.tensor([0.3, 0.3])) > copula.log_prob(torch.tensor([0.3, 0.9]))


@pytest.mark.parametrize("x", [-30.0, -10.0, -1e-4, 0.0, 1e-4, 10.0, 30.0])
def test_the_slope_of_tanh_does_not_vanish(x):
    x = torch.tensor(x, requires_grad=True)
    found = TanhTransform().log_abs_det_jacobian(x, x.tanh())
    exact = -2 * math.log(math.cosh(x.item()))
    assert found.item() == pytest.approx(exact, rel=1e-6, abs=1e-7)
    found.backward()
    assert x.grad.item() == pytest.approx(-2 * math.tanh(x.item()), rel=1e-6)
    sigmoid = SigmoidTransform().log_abs_det_jacobian(2 * x.detach(), None)
    assert sigmoid.item() == pytest.approx(exact - math.log(4), rel=1e-6)


def test_soft_bounds_are_reached_far_away_and_not_felt_between():
    clip = SoftclipTransform(-1.0, 2.0, 0.01)
    y = clip(torch.tensor([-50.0, 0.5, 50.0], dtype=torch.float64))
    assert y.tolist() == pytest.approx([-1.0, 0.5, 2.0])
    x = torch.tensor([-30.0, 30.0])
    assert SquashTransform(0.1, 0.3)(x).tolist() == pytest.approx([0.1, 0.3])
    assert constraints.interval(0.1, 0.3).check(SquashTransform(0.1, 0.3)(x)).all()
    at_bounds = SquashTransform(0.1, 0.3).inv(torch.tensor([0.1, 0.2, 0.3]))
    assert at_bounds.isfinite().all() and at_bounds[0] < -7 and at_bounds[2] > 7


class Cubed(Transform):
    """A transform of a program's own."""

    domain = codomain = constraints.real
    bijective = True

    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def _call(self, x):
        return self.factor * x**3


def test_a_transform_of_ones_own():
    cubed = Cubed(2.0)
    x = torch.tensor(3.0)
    assert cubed(x).item() == 54 and cubed.event_dim == 0
    with pytest.raises(NotImplementedError, match="Cubed has no _inverse"):
        cubed.inv(cubed(x))
    # it says itself whether it remembers; a copy with other settings needs no code
    remembering = cubed.with_cache()
    assert remembering is not cubed and remembering.factor == 2 and remembering.with_cache(1) is remembering
    y = remembering(x)
    assert remembering.inv(y) is x


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (ValueError, "cache_size must be 0 or 1", lambda: ExpTransform(cache_size=2)),
        (ValueError, "Please use either .domain.event_dim", lambda: CorrCholeskyTransform().event_dim),
        (NotImplementedError, "", lambda: Transform().sign),
        (NotImplementedError, "", lambda: Transform()(torch.ones(1))),
        (NotImplementedError, "", lambda: SoftmaxTransform().log_abs_det_jacobian(torch.ones(1), torch.ones(1))),
        (ValueError, "Too few dimensions on input", lambda: SoftmaxTransform().forward_shape(())),
        (ValueError, "Too few dimensions on input", lambda: StickBreakingTransform().inverse_shape(())),
        (ValueError, "Too few dimensions on input", lambda: IndependentTransform(ExpTransform(), 1)(torch.ones(()))),
        (ValueError, "Too few dimensions", lambda: IndependentTransform(ExpTransform(), 1).inv(torch.ones(()))),
        (ValueError, "Input is not a flattened lower-diag", lambda: CorrCholeskyTransform().forward_shape((4,))),
        (ValueError, "Input is not square", lambda: CorrCholeskyTransform().inverse_shape((4, 3))),
        (ValueError, "in_shape, out_shape have different num", lambda: ReshapeTransform((2,), (3,))),
        (ValueError, "Shape mismatch: expected", lambda: ReshapeTransform((2,), (1, 2)).forward_shape((3,))),
        (ValueError, "Too few dimensions", lambda: ReshapeTransform((2,), (1, 2)).inverse_shape((2,))),
        (AssertionError, "All elements of tseq", lambda: CatTransform([1])),
        (AssertionError, "lengths (1) must match", lambda: CatTransform([ExpTransform()] * 2, lengths=[1])),
        (AssertionError, "dim 1 out of range", lambda: CatTransform([ExpTransform()], 1)(torch.ones(1))),
        (AssertionError, "x.size(0) = 2 must equal", lambda: StackTransform([ExpTransform()])(torch.ones(2))),
    ],
)
def test_wrong_calls_are_refused(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(words)
