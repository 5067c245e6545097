"""Divergences of every pair of families agree with their integrals."""

import math
import warnings

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import divergences, divergences_across, kl, kl_divergence
from tests.distributions.families import ROWS, Others, build
from tests.distributions.quadrature import Counts, Grid, ends

assert divergences and divergences_across
SINGLE = [name for name in ROWS if " " not in name and not build(torch, name)[0].event_shape]
BATCHES = {name: build(torch, name)[0].batch_shape for name in SINGLE}


def formula_exists(p, q):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            kl_divergence(build(torch, p)[0], build(torch, q, kind=Others)[0])
    except NotImplementedError:
        return False
    return True


PAIRS = [(p, q) for p in SINGLE for q in SINGLE if BATCHES[p] == BATCHES[q] and formula_exists(p, q)]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_divergences_are_expected_differences_of_log_probabilities(one, other):
    p, q = build(torch, one)[0], build(torch, other, kind=Others)[0]
    claimed = kl_divergence(p, q).numpy()
    lows, highs = zip(ends(p), ends(q), strict=True)
    torch.manual_seed(0)
    grid = (Counts if p.support.is_discrete else Grid)(p, lows[0], highs[0])
    impossible = (lows[1] > lows[0]) | (highs[1] < highs[0])
    assert (claimed[impossible] == math.inf).all()
    q._validate_args = getattr(q, "base_dist", q)._validate_args = False
    with np.errstate(all="ignore"):
        differences = grid.logs - q.log_prob(torch.tensor(np.ascontiguousarray(grid.values))).detach().numpy()
        found = np.where(impossible, math.inf, grid.mean(differences))
    there = ~impossible & np.isfinite(claimed)
    np.testing.assert_allclose(claimed[there], found[there], 2e-4, 1e-5)
    assert (claimed >= 0).all() and claimed.shape == p.batch_shape


def by_samples(p, q):
    torch.manual_seed(0)
    drawn = p.sample((4000,))
    return (p.log_prob(drawn) - q.log_prob(drawn)).detach().numpy()


VECTORS = [
    ("MultivariateNormal", "MultivariateNormal of a batch"),
    ("MultivariateNormal of a batch", "LowRankMultivariateNormal"),
    ("LowRankMultivariateNormal", "MultivariateNormal"),
    ("LowRankMultivariateNormal", "LowRankMultivariateNormal"),
    ("Dirichlet", "Dirichlet"),
    ("OneHotCategorical", "OneHotCategorical"),
    ("Wishart", "Wishart"),
]


@pytest.mark.parametrize(("one", "other"), VECTORS)
def test_divergences_of_vectors_are_those_of_samples(one, other):
    p, q = build(torch, one)[0], build(torch, other, kind=Others)[0]
    p = p.expand(np.broadcast_shapes(p.batch_shape, q.batch_shape))
    differences = by_samples(p, q)
    error = differences.std(0) / math.sqrt(len(differences))
    assert (np.abs(kl_divergence(p, q).numpy() - differences.mean(0)) < 5 * error + 1e-9).all()


def test_there_are_as_many_formulas_as_in_torch():
    assert len(kl.NAMED) == 87


def test_what_cannot_be_computed_is_refused():
    found = torch.distributions
    with pytest.raises(NotImplementedError, match=r"q.total_count > p.total_count is not implemented"):
        kl_divergence(found.Binomial(2, torch.tensor(0.5)), found.Binomial(3, torch.tensor(0.5)))
    two, three = [found.MultivariateNormal(torch.zeros(n), torch.eye(n)) for n in (2, 3)]
    with pytest.raises(ValueError, match="different event shapes cannot be computed"):
        kl_divergence(two, three)
    more = kl_divergence(found.Binomial(3, torch.tensor(0.5)), found.Binomial(2, torch.tensor(0.5)))
    assert more.item() == math.inf
    nothing = kl_divergence(found.Poisson(torch.tensor(0.0)), found.Poisson(torch.tensor(2.0)))
    assert nothing.item() == 2


def test_what_is_nearer_to_the_second_family_is_not_ambiguous():
    class Shared(torch.distributions.Distribution):
        """A base of a program's own."""

    class Mine(torch.distributions.Normal, Shared):
        pass

    torch.distributions.register_kl(torch.distributions.Normal, Shared)(lambda p, q: "far")
    try:
        found = kl_divergence(torch.distributions.Normal(0.0, 1.0), Mine(0.0, 1.0))
        assert found.item() == 0
    finally:
        del kl.FORMULAS[torch.distributions.Normal, Shared]
        kl.KNOWN.clear()


def test_formulas_have_torchs_names():
    kl = torch.distributions.kl
    p, q = torch.distributions.Gamma(2.0, 3.0), torch.distributions.Gamma(1.0, 1.0)
    assert kl._kl_expfamily_expfamily(p, q).item() == pytest.approx(0.1880631, rel=1e-5)
    assert kl._kl_gamma_gamma(p, q).item() == pytest.approx(0.1880631, rel=1e-5)
    assert callable(kl._kl_continuous_bernoulli_uniform)
    with pytest.raises(AttributeError, match="_kl_nobody_nobody"):
        kl._kl_nobody_nobody  # noqa: B018


def test_the_gradient_of_dirichlet_shares_has_torchs_name():
    x = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    concentration = torch.tensor([1.0, 2.0, 0.7], dtype=torch.float64)
    grad = torch.tensor([1.0, -1.0, 0.5], dtype=torch.float64)
    found = torch.distributions.dirichlet._Dirichlet_backward(x, concentration, grad)
    assert found.tolist() == pytest.approx([0.2499, -0.2672, 0.2082], abs=1e-4)


@pytest.mark.parametrize("given", [{"probs": 0.25}, {"logits": 0.5}])
@pytest.mark.parametrize("other", [torch.distributions.Beta(0.5, 0.5), torch.distributions.Uniform(0.0, 1.0)])
def test_a_divergence_shows_both_parameters_of_a_continuous_bernoulli(other, given):
    distribution = torch.distributions.ContinuousBernoulli(**{name: torch.tensor(x) for name, x in given.items()})
    kl_divergence(other, distribution)
    assert "probs: " in repr(distribution) and "logits: " in repr(distribution)
