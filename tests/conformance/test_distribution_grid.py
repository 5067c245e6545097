"""Every family of the table gives torch's numbers, gradients, samples and texts."""

import warnings

import numpy as np
import pytest

import rushlight
from tests.distributions.families import ROWS, Others, build

torch = pytest.importorskip("torch")

ALL = pytest.mark.parametrize("name", ROWS)
IN_EACH_DTYPE = pytest.mark.parametrize("dtype", ["float32", "float64"])
# torch gives no answer, or fails
FAILURES = (NotImplementedError, RuntimeError, AttributeError)
# how far torch is from the truth, where it is worse than its dtype: see docs/differences.md
LOOSE = {
    "VonMises": 1e-6,  # polynomials for the Bessel functions
    "Multinomial": 1e-7,  # a logarithm in float32
    "ContinuousBernoulli": 3e-4,  # in float32, the nearer to 0.5 the worse
}
# torch's mode is NaN, though there is one
WITHOUT_MODES = {"Kumaraswamy", "Weibull with a pole"}
# the gradient of samples that were found by rejection; torch approximates it
IMPLICIT = {"Beta", "Chi2", "Dirichlet", "FisherSnedecor", "Gamma", "InverseGamma", "StudentT", "Wishart"}


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def array(value):
    return value.detach().numpy() if hasattr(value, "detach") else value


def assert_near(ours, theirs, name, least=0.0):
    if isinstance(theirs, np.ndarray):
        own = {"float32": 3e-5, "float64": 3e-8}.get(str(theirs.dtype), 0)
        tolerance = max(own, LOOSE.get(name.split()[0], 0), least)
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, tolerance, tolerance)
    else:
        assert ours == theirs


def ask(function):
    """The answer as an array, or that there is none."""
    try:
        return array(function())
    except FAILURES:
        return None


def compare(function, name, dtype, least=0.0):
    """Whether a function of (library, distribution) has the same answer; what torch lacks we may have."""
    theirs = ask(lambda: function(torch, build(torch, name, dtype)[0]))
    if theirs is not None:
        assert_near(array(function(rushlight, build(rushlight, name, dtype)[0])), theirs, name, least)
    return theirs is not None


@ALL
@IN_EACH_DTYPE
@pytest.mark.parametrize("what", ["mean", "mode", "variance", "stddev", "entropy", "perplexity"])
def test_moments(name, dtype, what):
    def run(library, distribution):
        found = getattr(distribution, what)
        return found() if callable(found) else found

    if what != "mode" or name not in WITHOUT_MODES:
        compare(run, name, dtype, 1e-4 if dtype == "float32" else 0)


@ALL
def test_texts_shapes_and_flags(name):
    for what in ("batch_shape", "event_shape", "has_enumerate_support", "_validate_args"):
        assert compare(lambda _, made, what=what: getattr(made, what), name, "float32")
    assert compare(lambda _, made: repr(made), name, "float32")
    compare(lambda _, made: repr(made.support), name, "float32")
    compare(lambda _, made: sorted(made.arg_constraints), name, "float32")
    compare(lambda _, made: (made.support.is_discrete, made.support.event_dim), name, "float32")


@ALL
@IN_EACH_DTYPE
def test_the_same_seed_draws_the_same_samples(name, dtype):
    for shape in ((), (3,), (2, 5), (40,)):
        for method in ("sample", "rsample"):

            def draw(library, distribution, shape=shape, method=method):
                library.manual_seed(5)
                return getattr(distribution, method)(shape)

            compare(draw, name, dtype, 1e-3 if name.startswith("LKJ") and dtype == "float32" else 0)


def values(name, dtype):
    torch.manual_seed(0)
    return build(torch, name, dtype)[0].sample((4,)).numpy()


@ALL
@IN_EACH_DTYPE
@pytest.mark.parametrize("method", ["log_prob", "cdf", "icdf"])
def test_functions_of_values(name, dtype, method):
    given = values(name, dtype)
    if method == "icdf":
        given = np.linspace(0.05, 0.95, 4, dtype=dtype).reshape(-1, *[1] * (given.ndim - 1))
    compare(lambda library, made: getattr(made, method)(library.tensor(given)), name, dtype)


@ALL
def test_lists_of_values(name):
    for expand in (True, False):
        compare(lambda _, made, expand=expand: made.enumerate_support(expand), name, "float32")


@ALL
def test_expansion(name):
    def run(library, distribution):
        larger = distribution.expand((2, *distribution.batch_shape))
        library.manual_seed(0)
        return larger.sample((2,))

    compare(run, name, "float64")
    compare(lambda _, made: repr(made.expand((2, *made.batch_shape))), name, "float64")


def gradients(library, name, function):
    distribution, given = build(library, name, grad=True)
    found = function(library, distribution)
    weights = library.linspace(0.5, 1.5, found.numel(), dtype=found.dtype).reshape(found.shape)
    slopes = library.autograd.grad((found * weights).sum(), given, allow_unused=True)
    return [np.zeros(each.shape) if slope is None else slope.numpy() for slope, each in zip(slopes, given, strict=True)]


WAYS = {
    "log_prob": lambda library, made, given: made.log_prob(library.tensor(given)),
    "cdf": lambda library, made, given: made.cdf(library.tensor(given)),
    "entropy": lambda library, made, given: made.entropy(),
    "mean": lambda library, made, given: made.mean.masked_fill(~made.mean.isfinite(), 0.0),
    "variance": lambda library, made, given: made.variance.masked_fill(~made.variance.isfinite(), 0.0),
    "rsample": lambda library, made, given: library.manual_seed(2) and made.rsample((3,)),
}


@ALL
@pytest.mark.parametrize("way", WAYS)
def test_gradients(name, way):
    given = values(name, "float64")

    def run(library):
        return gradients(library, name, lambda library, made: WAYS[way](library, made, given))

    try:
        theirs = run(torch)
    except FAILURES:
        return
    least = 2e-3 if way == "rsample" and name.split()[0] in IMPLICIT else 1e-7
    for our_slope, their_slope in zip(run(rushlight), theirs, strict=True):
        if not np.isnan(their_slope).any():
            assert_near(our_slope, their_slope, name, least)


CANONICAL = [name for name in ROWS if " " not in name]
CANONICAL += ["MultivariateNormal of a batch"]
# torch finds infinity where the ends of the two supports are the same
TOUCHING = {("ContinuousBernoulli", "Uniform"), ("Uniform", "ContinuousBernoulli")}


def divergence(library, p, q):
    (one, ours), (other, theirs) = build(library, p, grad=True), build(library, q, grad=True, kind=Others)
    found = library.distributions.kl_divergence(one, other)
    slopes = [None] * len(ours + theirs)
    if found.requires_grad and found.isfinite().all():
        slopes = library.autograd.grad(found.sum(), ours + theirs, allow_unused=True)
    return found, [each if each is None else each.numpy() for each in slopes]


@pytest.mark.parametrize("p", CANONICAL)
def test_divergences(p):
    for q in CANONICAL:
        try:
            theirs, their_slopes = divergence(torch, p, q)
        except (*FAILURES, ValueError):
            continue
        # torch sums over the batch of Wishart
        if (p, q) in TOUCHING or p == "Wishart":
            continue
        ours, slopes = divergence(rushlight, p, q)
        assert_near(array(ours), np.broadcast_to(array(theirs), ours.shape), p, 1e-6)
        for our_slope, their_slope in zip(slopes, their_slopes, strict=True):
            if our_slope is not None and their_slope is not None:
                assert_near(our_slope, their_slope, p, 1e-6)


def test_the_same_pairs_have_formulas():
    from rushlight.distributions import divergences, divergences_across, kl

    assert divergences and divergences_across
    theirs = torch.distributions.kl._KL_REGISTRY
    # other tests add theirs
    own = {(p, q) for p, q in theirs if p.__module__.startswith("torch.") and q.__module__.startswith("torch.")}
    assert set(kl.NAMED) == {(p.__name__, q.__name__) for p, q in own}


def test_all_names_are_there():
    for module in ("", "constraints", "transforms", "utils"):
        ours, theirs = [
            getattr(each, module) if module else each for each in (rushlight.distributions, torch.distributions)
        ]
        assert [name for name in theirs.__all__ if not hasattr(ours, name)] == []
