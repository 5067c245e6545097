"""Every family of the table: samples follow log_prob, which sums to 1, and all else agrees with its integrals."""

import functools
import itertools
import math
import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import ExponentialFamily
from tests.distributions.families import (
    RANGES,
    ROWS,
    WITHOUT_EXACT_MODES,
    WITHOUT_PLAIN_MOMENTS,
    Parameters,
    build,
)
from tests.distributions.quadrature import Counts, Grid, ends

SAMPLES = 3000


def made(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(torch, name)[0]


# of the tables below, which ask each family a dozen times; a test makes its own
asked = functools.cache(made)


def provides(name, *methods):
    """Whether a family has these properties or methods: some have no entropy, as in torch."""
    distribution = asked(name)
    try:
        for method in methods:
            if method in ("cdf", "icdf"):
                distribution.cdf(distribution.sample()) if method == "cdf" else distribution.icdf(torch.tensor(0.5))
            elif callable(found := getattr(distribution, method)):
                found()
    except (AttributeError, NotImplementedError):
        return False
    return True


def rows(*methods, single=None):
    """The rows that provide all of these, and whose values are numbers, or vectors and matrices."""
    return [name for name in ROWS if single in (None, not asked(name).event_shape) and provides(name, *methods)]


def numbers(*methods):
    return pytest.mark.parametrize("name", rows(*methods, single=True))


def vectors(*methods):
    return pytest.mark.parametrize("name", rows(*methods, single=False))


ALL = pytest.mark.parametrize("name", ROWS)


@functools.cache
def grid(name):
    torch.manual_seed(0)
    distribution = made(name)
    low, high = ends(distribution)
    if name.split()[0] in RANGES:
        low, high = [np.broadcast_to(each, distribution.batch_shape) for each in RANGES[name.split()[0]]]
    return (Counts if distribution.support.is_discrete else Grid)(distribution, low, high)


@functools.cache
def drawn(name):
    torch.manual_seed(1)
    return made(name).sample((SAMPLES,))


def given(name, method):
    """What a property or a method gives, as an array."""
    found = getattr(made(name), method)
    return (found() if callable(found) else found).detach().numpy()


@numbers()
def test_probabilities_sum_to_one(name):
    np.testing.assert_allclose(grid(name).chances.sum(0), 1, atol=2e-5)


@numbers()
def test_samples_follow_the_density(name):
    values, found = drawn(name).numpy(), grid(name)
    for index in np.ndindex(values.shape[1:]):
        column = np.sort(values[(slice(None), *index)])
        if made(name).support.is_discrete:
            assert chi_squared(column, found.values[(slice(None), *index)], found.chances[(slice(None), *index)])
        else:
            ranks, steps = found.cdf(index, column), np.arange(SAMPLES) / SAMPLES
            distance = max(np.abs(ranks - steps).max(), np.abs(ranks - steps - 1 / SAMPLES).max())
            # Kolmogorov-Smirnov: 2.2 is exceeded once in ten thousand
            assert distance * math.sqrt(SAMPLES) < 2.2


def chi_squared(column, values, chances):
    """Whether counts are as expected; rare numbers are counted together."""
    rare = chances * SAMPLES < 8
    observed = np.array([*[(column == value).sum() for value in values[~rare]], np.isin(column, values[rare]).sum()])
    expected = np.array([*(chances[~rare] * SAMPLES), chances[rare].sum() * SAMPLES])
    assert observed.sum() == SAMPLES
    statistic = ((observed - expected)[expected > 1] ** 2 / expected[expected > 1]).sum()
    degrees = max((expected > 1).sum() - 1, 1)
    # Wilson and Hilferty: the cube root is nearly normal
    return ((statistic / degrees) ** (1 / 3) - 1 + 2 / (9 * degrees)) / math.sqrt(2 / (9 * degrees)) < 3.8


@pytest.mark.parametrize("moment", ["mean", "variance", "stddev"])
@pytest.mark.parametrize(
    "name", [name for name in rows("mean", "variance", single=True) if name.split()[0] not in WITHOUT_PLAIN_MOMENTS]
)
def test_moments_are_those_of_the_density(name, moment):
    claimed, found = given(name, moment), grid(name)
    mean = found.mean(found.values)
    actual = mean if moment == "mean" else found.mean((found.values - mean) ** 2)
    actual = np.sqrt(actual) if moment == "stddev" else actual
    # nothing to compare where there is no moment
    there = np.isfinite(claimed)
    np.testing.assert_allclose(claimed[there], actual[there], 2e-4, 1e-5)


def with_exact_modes(single):
    names = [name for name in rows("mode", single=single) if name.split()[0] not in WITHOUT_EXACT_MODES]
    return pytest.mark.parametrize("name", names)


@with_exact_modes(single=True)
def test_the_mode_is_the_likeliest_value(name):
    claimed, found = given(name, "mode"), grid(name)
    likeliest = np.take_along_axis(found.logs, found.logs.argmax(0)[None], 0)[0]
    distribution = made(name)
    distribution._validate_args = False
    reached = distribution.log_prob(torch.tensor(claimed)).detach().numpy()
    there = np.isfinite(claimed)
    assert (reached[there] > likeliest[there] - 1e-6).all()


@numbers("entropy")
def test_the_entropy_is_the_mean_of_the_negative_log_probability(name):
    np.testing.assert_allclose(given(name, "entropy"), grid(name).entropy(), 1e-4, 1e-5)
    np.testing.assert_allclose(given(name, "perplexity"), np.exp(given(name, "entropy")))


@numbers("cdf")
def test_the_distribution_function_is_the_integral_of_the_density(name):
    distribution, found = made(name), grid(name)
    values = distribution.sample((50,))
    ranks = distribution.cdf(values).numpy()
    assert ranks.shape == values.shape and (ranks >= 0).all() and (ranks <= 1).all()
    for index in np.ndindex(*distribution.batch_shape):
        place = (slice(None), *index)
        np.testing.assert_allclose(ranks[place], found.cdf(index, values.numpy()[place]), atol=2e-3)


@numbers("cdf", "icdf")
def test_quantiles_invert_the_distribution_function(name):
    distribution = made(name)
    ranks = torch.linspace(0.02, 0.98, 25, dtype=torch.float64).reshape(-1, *[1] * len(distribution.batch_shape))
    found = distribution.cdf(distribution.icdf(ranks))
    np.testing.assert_allclose(found.numpy(), np.broadcast_to(ranks.numpy(), found.shape), 1e-6)


@vectors("mean", "variance")
def test_moments_of_vectors_are_those_of_samples(name):
    values = drawn(name).numpy()
    errors = values.std(0) / math.sqrt(SAMPLES) + 1e-9
    mean = given(name, "mean")
    assert (np.abs(values.mean(0) - mean) < 5 * errors).all()
    squares = (values - mean) ** 2
    errors = squares.std(0) / math.sqrt(SAMPLES) + 1e-9
    assert (np.abs(squares.mean(0) - given(name, "variance")) < 5 * errors).all()


@vectors("entropy")
def test_entropies_of_vectors_are_those_of_samples(name):
    claimed = given(name, "entropy")
    logs = made(name).log_prob(drawn(name)).detach().numpy()
    assert (np.abs(claimed + logs.mean(0)) < 5 * logs.std(0) / math.sqrt(SAMPLES) + 1e-9).all()


@with_exact_modes(single=False)
def test_no_vector_is_likelier_than_the_mode(name):
    mode, distribution = given(name, "mode"), made(name)
    distribution._validate_args = False
    reached = distribution.log_prob(torch.tensor(mode)).detach().numpy()
    best = distribution.log_prob(drawn(name)).detach().numpy().max(0)
    there = np.isfinite(reached)
    assert (reached[there] >= best[there] - 1e-9).all()


@pytest.mark.parametrize("name", rows("enumerate_support"))
def test_all_values_that_can_be_listed_have_probability_one_together(name):
    distribution = made(name)
    values = distribution.enumerate_support()
    assert distribution.has_enumerate_support
    assert distribution.log_prob(values).exp().sum(0).allclose(torch.ones(1, dtype=torch.float64))
    assert values.shape == (len(values), *distribution.batch_shape, *distribution.event_shape)
    narrow = distribution.enumerate_support(expand=False)
    assert narrow.shape == (len(values), *[1] * len(distribution.batch_shape), *distribution.event_shape)


def test_multinomial_probabilities_sum_to_one():
    for name in ("Multinomial", "Multinomial of logits"):
        distribution = made(name)
        count, classes = distribution.total_count, distribution.event_shape[0]
        rows = [row for row in itertools.product(range(count + 1), repeat=classes) if sum(row) == count]
        values = torch.tensor(rows, dtype=torch.float64).reshape(-1, *[1] * len(distribution.batch_shape), classes)
        logs = distribution.log_prob(values)
        assert logs.exp().sum(0).allclose(torch.ones(1, dtype=torch.float64))
        reached = distribution.log_prob(distribution.mode)
        assert reached.allclose(logs.amax(0))


@ALL
def test_samples_have_the_right_shape_and_lie_in_the_support(name):
    distribution = made(name)
    for shape in ((), (2,), (2, 3), torch.Size([1])):
        drawn = distribution.sample(shape)
        assert drawn.shape == (*shape, *distribution.batch_shape, *distribution.event_shape)
        assert distribution.support.check(drawn).all() and not drawn.requires_grad
        assert distribution.log_prob(drawn).shape == (*shape, *distribution.batch_shape)
    if distribution.has_rsample:
        torch.manual_seed(0)
        first = distribution.rsample((2,))
        torch.manual_seed(0)
        assert first.allclose(distribution.sample((2,)))
    else:
        with pytest.raises(NotImplementedError):
            distribution.rsample()


@ALL
def test_expansion_changes_the_shape_alone(name):
    distribution = made(name)
    larger = distribution.expand((2, *distribution.batch_shape))
    assert type(larger) is type(distribution) and larger._validate_args == distribution._validate_args
    assert larger.batch_shape == (2, *distribution.batch_shape) and larger.event_shape == distribution.event_shape
    values = larger.sample()
    assert values.shape == (2, *distribution.batch_shape, *distribution.event_shape)
    assert larger.log_prob(values).allclose(distribution.log_prob(values))
    for moment in ("mean", "variance", "mode"):
        try:
            expected = getattr(distribution, moment)
        except NotImplementedError:
            continue
        assert getattr(larger, moment).allclose(expected.expand(values.shape), equal_nan=True)


@pytest.mark.parametrize("name", [name for name in ROWS if build(torch, name)[1]])
def test_gradients_of_log_prob(name):
    torch.manual_seed(0)
    make = Parameters(torch)
    ROWS[name](torch.distributions, make)
    values = made(name).sample()

    def weigh(*tensors):
        # a sample may lie on the edge of the support, which moves with the parameters
        distribution = ROWS[name](torch.distributions, Fixed(tensors))
        distribution._validate_args = False
        return distribution.log_prob(values)

    leaves = [each.detach().requires_grad_() for each in make.made]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert torch.autograd.gradcheck(weigh, tuple(leaves), eps=1e-6, atol=2e-4, rtol=1e-4)


class Fixed(Parameters):
    """Gives the tensors that are there already, in the order of the row."""

    def __init__(self, tensors):
        super().__init__(torch)
        self.waiting = list(tensors)

    def __call__(self, values):
        return self.waiting.pop(0)


class Spoilt(Parameters):
    """Makes one of the parameters NaN at its last index."""

    def __init__(self, which):
        super().__init__(torch)
        self.which = which

    def __call__(self, values):
        values = np.array(values, float)
        if len(self.made) == self.which:
            values.reshape(-1)[-1] = math.nan
        return super().__call__(values)


@ALL
def test_parameters_that_are_not_numbers_are_refused(name):
    make = Parameters(torch)
    ROWS[name](torch.distributions, make)
    for which in range(len(make.made)):
        with pytest.raises((ValueError, torch.linalg.LinAlgError)) as caught:
            ROWS[name](torch.distributions, Spoilt(which))
        assert "Expected" in str(caught.value) or "linalg" in str(caught.value)


@ALL
def test_values_outside_the_support_are_refused_by_name_and_index(name):
    distribution = made(name)
    values = distribution.sample((2,)).double()
    values[-1] = math.nan
    with pytest.raises(ValueError, match="Expected value argument") as caught:
        distribution.log_prob(values)
    assert "to be within the support" in str(caught.value) and "Invalid: value[1" in str(caught.value)


@pytest.mark.parametrize("name", rows("_natural_params", "_mean_carrier_measure"))
def test_exponential_families_find_their_entropy_by_themselves(name):
    distribution = made(name)
    assert ExponentialFamily.entropy(distribution).allclose(distribution.entropy())
