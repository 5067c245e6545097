"""Transforms give torch's numbers, regions, shapes and errors, and right numbers where torch's are not numbers."""

import math

import numpy as np
import pytest

import rushlight
from tests.distributions.transform_table import ROWS, given, make

torch = pytest.importorskip("torch")
mpmath = pytest.importorskip("mpmath")

ALL = pytest.mark.parametrize("name", ROWS)
# torch does not add up over the parts where they are one value
WITHOUT_SLOPES = {"StackTransform along the last"}


def both(function):
    return [function(library) for library in (rushlight, torch)]


def numeric(library, name):
    transform = make(library, name)
    return transform.with_cache(0) if library is rushlight else transform


def assert_near(ours, theirs):
    assert str(ours.dtype) == str(theirs.dtype) and tuple(ours.shape) == tuple(theirs.shape)
    np.testing.assert_allclose(ours.detach().numpy(), theirs.detach().numpy(), 1e-9, 1e-11)


@ALL
def test_values_and_inverses(name):
    def run(library):
        transform, x = numeric(library, name), library.tensor(given(name))
        y = transform(x)
        return y, transform.inv(y)

    for ours, theirs in zip(*both(run), strict=True):
        assert_near(ours, theirs)


@ALL
def test_slopes(name):
    def run(library):
        transform, x = make(library, name), library.tensor(given(name))
        try:
            return transform.log_abs_det_jacobian(x, transform(x))
        except NotImplementedError:
            return None

    ours, theirs = both(run)
    if theirs is None:
        assert ours is None
    elif name not in WITHOUT_SLOPES:
        assert_near(ours, theirs)


@ALL
def test_gradients(name):
    def run(library):
        transform, x = make(library, name), library.tensor(given(name), requires_grad=True)
        y = transform(x)
        total = (y * library.arange(y.numel(), dtype=y.dtype).reshape(y.shape)).sum()
        if transform.bijective:
            total = total + (transform.log_abs_det_jacobian(x, y) ** 2).sum()
        return library.autograd.grad(total, x)[0]

    if name not in WITHOUT_SLOPES:
        assert_near(*both(run))


@ALL
def test_regions_shapes_signs_and_texts(name):
    def ask(function):
        try:
            return function()
        except (NotImplementedError, ValueError, AttributeError) as error:
            return type(error).__name__

    def run(library):
        transform, shape = make(library, name), np.shape(given(name))
        after = tuple(transform.forward_shape(library.Size(shape)))
        regions = [transform.domain, transform.codomain, transform.inv.domain]
        sign = ask(lambda: transform.sign)
        return [
            *[(type(region).__name__, region.event_dim, region.is_discrete) for region in regions],
            *[ask(lambda region=region: repr(region)) for region in regions if "0x" not in repr(region)],
            ask(lambda: transform.event_dim),
            transform.bijective,
            np.asarray(sign if isinstance(sign, (int, str)) else sign.tolist()).tolist(),
            after,
            tuple(transform.inverse_shape(library.Size(after))),
            repr(transform),
            repr(transform.inv),
        ]

    ours, theirs = both(run)
    assert ours == theirs


def wrong_calls(library):
    t = library.distributions.transforms
    yield lambda: t.ExpTransform(cache_size=2)
    yield lambda: t.CorrCholeskyTransform().event_dim
    yield lambda: t.Transform().sign
    yield lambda: t.AbsTransform().log_abs_det_jacobian(library.ones(1), library.ones(1))
    yield lambda: t.SoftmaxTransform().forward_shape(())
    yield lambda: t.StickBreakingTransform().inverse_shape(())
    yield lambda: t.IndependentTransform(t.ExpTransform(), 1)(library.ones(()))
    yield lambda: t.CorrCholeskyTransform().forward_shape((4,))
    yield lambda: t.CorrCholeskyTransform().inverse_shape((4, 3))
    yield lambda: t.ReshapeTransform((2,), (3,))
    yield lambda: t.ReshapeTransform((2,), (1, 2)).forward_shape(library.Size((3,)))
    yield lambda: t.ReshapeTransform((2,), (1, 2)).inverse_shape(library.Size((2,)))
    yield lambda: t.CatTransform([1])
    yield lambda: t.CatTransform([t.ExpTransform()] * 2, lengths=[1])
    yield lambda: hash(t.ExpTransform())
    d = library.distributions
    normal = d.Normal(library.zeros(2), library.ones(2))
    yield lambda: d.TransformedDistribution(normal, 3)
    yield lambda: d.TransformedDistribution(normal, [3])
    yield lambda: d.TransformedDistribution(d.Normal(0.0, 1.0), t.StickBreakingTransform())
    yield lambda: d.TransformedDistribution(normal, t.ExpTransform()).mean
    yield lambda: d.TransformedDistribution(normal, t.ExpTransform()).entropy()
    yield lambda: d.Independent(normal, 2)
    yield lambda: d.MixtureSameFamily(normal, normal)
    yield lambda: d.MixtureSameFamily(d.Categorical(library.ones(3)), normal)
    yield lambda: d.MixtureSameFamily(d.Categorical(library.ones(2)), 3)
    yield lambda: d.biject_to(d.constraints.boolean)
    yield lambda: d.transform_to.register(int, 3)


@pytest.mark.parametrize(("ours", "theirs"), list(zip(wrong_calls(rushlight), wrong_calls(torch), strict=True)))
def test_wrong_calls_are_refused_in_torchs_words(ours, theirs):
    with pytest.raises(Exception) as expected:
        theirs()
    with pytest.raises(expected.type) as caught:
        ours()
    if expected.type is not NotImplementedError or "Cannot" in str(expected.value):
        assert str(caught.value).startswith(str(expected.value))


def test_the_ways_into_regions_are_torchs():
    def run(library):
        d = library.distributions
        c = d.constraints
        regions = [c.positive, c.greater_than(library.tensor(2.0)), c.less_than(1), c.interval(-1.0, 3.0), c.simplex]
        regions += [c.unit_interval, c.real_vector, c.corr_cholesky, c.half_open_interval(0, 2), c.nonnegative]
        x = library.tensor(given("CorrCholeskyTransform"))
        return [registry(region)(x) for region in regions for registry in (d.biject_to, d.transform_to)]

    for ours, theirs in zip(*both(run), strict=True):
        assert_near(ours, theirs)


def policy(library, loc, scale, **options):
    d = library.distributions
    return d.TransformedDistribution(d.Normal(loc, scale), [d.TanhTransform(**options)])


@pytest.mark.parametrize("place", [-30.0, -12.0, 9.5, 15.0, 30.0])
def test_a_saturated_policy_has_right_gradients_where_torchs_are_not_numbers(place):
    def run(library):
        loc = library.tensor([place], requires_grad=True)
        scale = library.tensor([0.5], requires_grad=True)
        made = policy(library, loc, scale, **({} if library is rushlight else {"cache_size": 0}))
        library.manual_seed(0)
        found = made.log_prob(made.rsample())
        found.sum().backward()
        return found.item(), loc.grad.item(), scale.grad.item()

    found, *slopes = run(rushlight)
    assert not any(math.isfinite(each) for each in run(torch))
    torch.manual_seed(0)
    noise = torch.randn(1).item()
    with mpmath.workdps(60):
        normal = mpmath.mpf(float(np.float32(place) + np.float32(noise) * np.float32(0.5)))
        tanh = mpmath.tanh(normal)
        density = -(((normal - place) / 0.5) ** 2) / 2 - mpmath.log(0.5) - mpmath.log(2 * mpmath.pi) / 2
        expected = float(density - mpmath.log(1 - tanh**2))
        expected_slopes = [float(2 * tanh), float(2 * tanh * noise - 2)]
    assert found == pytest.approx(expected, rel=1e-5)
    assert slopes == pytest.approx(expected_slopes, rel=1e-5)


def test_a_moderate_policy_is_the_same_with_and_without_memory():
    def run(library, **options):
        loc = library.tensor([0.3, -1.0], dtype=library.float64, requires_grad=True)
        scale = library.tensor([0.5, 0.2], dtype=library.float64, requires_grad=True)
        made = policy(library, loc, scale, **options)
        library.manual_seed(0)
        found = made.log_prob(made.rsample((4,)))
        return found, *library.autograd.grad(found.sum(), [loc, scale])

    for options in ({}, {"cache_size": 0}, {"cache_size": 1}):
        for ours, theirs in zip(run(rushlight, **options), run(torch), strict=True):
            assert_near(ours, theirs)
