"""TransformedDistribution, Independent and mixtures: shapes, settings, and what is refused."""

import math

import pytest

import rushlight as torch
from rushlight.distributions import (
    AffineTransform,
    Categorical,
    ExpTransform,
    Gumbel,
    Independent,
    MixtureSameFamily,
    Normal,
    PowerTransform,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
    ReshapeTransform,
    StickBreakingTransform,
    TanhTransform,
    TransformedDistribution,
    Uniform,
    Weibull,
)


def test_parameters_of_transforms_enlarge_the_batch():
    made = TransformedDistribution(Normal(0.0, 1.0), AffineTransform(torch.zeros(3, 1), torch.ones(2)))
    assert made.batch_shape == (3, 2) and made.sample((5,)).shape == (5, 3, 2)
    made = TransformedDistribution(Normal(torch.zeros(2), 1.0), [ExpTransform(), PowerTransform(torch.ones(4, 2))])
    assert made.batch_shape == (4, 2) and made.expand((3, 4, 2)).sample().shape == (3, 4, 2)


def test_transforms_of_vectors_make_events():
    made = TransformedDistribution(Normal(torch.zeros(5, 3), 1.0), StickBreakingTransform())
    assert (made.batch_shape, made.event_shape) == ((5,), (4,)) and isinstance(made.base_dist, Independent)
    assert made.log_prob(made.sample((2,))).shape == (2, 5) and made.mode.shape == (5, 4)
    made = TransformedDistribution(Normal(torch.zeros(5, 6), 1.0), ReshapeTransform((6,), (2, 3)))
    assert (made.batch_shape, made.event_shape) == ((5,), (2, 3)) and made.has_rsample
    larger = made.expand((7, 5))
    assert larger.log_prob(larger.rsample()).shape == (7, 5)
    bare = TransformedDistribution(Normal(0.0, 1.0), [])
    assert bare.support is Normal.support and bare.log_prob(torch.tensor(0.0)) == Normal(0.0, 1.0).log_prob(
        torch.tensor(0.0)
    )


def test_falling_transforms_turn_probabilities_round():
    fallen = TransformedDistribution(Uniform(0.0, 1.0), AffineTransform(1.0, torch.tensor(-2.0)))
    assert fallen.cdf(torch.tensor(-0.5)).item() == pytest.approx(0.25)
    assert fallen.icdf(torch.tensor(0.25)).item() == pytest.approx(-0.5)


def test_the_same_data_can_be_weighed_again_and_again():
    """Fitting a transform's own parameters: the memory must not bring back the last step's history."""
    torch.manual_seed(0)
    data = torch.randn(200) * 3 + 5
    loc, log_scale = torch.zeros((), requires_grad=True), torch.zeros((), requires_grad=True)
    optimizer = torch.optim.Adam([loc, log_scale], lr=0.1)
    losses = []  # kept, and with them their histories
    transform = AffineTransform(loc, 1.0)
    for _ in range(300):
        transform.scale = log_scale.exp()
        loss = -TransformedDistribution(Normal(0.0, 1.0), transform).log_prob(data).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    assert loc.item() == pytest.approx(data.mean().item(), abs=0.05)
    assert log_scale.exp().item() == pytest.approx(data.std().item(), abs=0.1)


@pytest.mark.parametrize(("what", "call"), [("mean", None), ("variance", None), ("entropy", ())])
def test_what_a_transform_makes_of_moments_is_not_known(what, call):
    made = TransformedDistribution(Normal(0.0, 1.0), TanhTransform())
    with pytest.raises(NotImplementedError):
        getattr(made, what) if call is None else getattr(made, what)(*call)
    assert made.mode.item() == 0


def test_gumbel_of_numbers_and_its_quantiles():
    made = Gumbel(0.5, 2.0)
    assert made.batch_shape == () and made.has_rsample and made.rsample((3,)).shape == (3,)
    ranks = torch.linspace(0.01, 0.99, 9)
    assert made.cdf(made.icdf(ranks)).allclose(ranks, 1e-4)


def test_the_mode_of_weibull_is_zero_where_the_density_falls_from_there():
    assert Weibull(torch.tensor(2.0), torch.tensor([0.5, 1.0])).mode.tolist() == [0, 0]


@pytest.mark.parametrize("family", [RelaxedBernoulli, RelaxedOneHotCategorical])
def test_temperatures_have_gradients_and_may_be_numbers(family):
    probs = torch.tensor([0.2, 0.3, 0.5], dtype=torch.float64)
    temperature = torch.tensor(0.7, dtype=torch.float64, requires_grad=True)
    torch.manual_seed(0)
    value = family(temperature, probs).sample()
    assert torch.autograd.gradcheck(lambda heat: family(heat, probs).log_prob(value), (temperature,))
    one, other = family(0.7, probs), family(temperature, probs)
    assert one.log_prob(value).allclose(other.log_prob(value)) and one.temperature.dtype is torch.float64
    # far out, where exp overflows
    far = family(1.0, logits=torch.tensor([200.0, -200.0, 0.0]), validate_args=False)
    assert far.log_prob(far.rsample()).isfinite().all()


def test_a_mixture_shares_its_weights_over_the_batch():
    torch.manual_seed(0)
    components = Normal(torch.tensor([[-5.0, 5.0], [-50.0, 50.0]]).expand(1000, 2, 2), 1.0)
    mixture = MixtureSameFamily(Categorical(torch.tensor([0.25, 0.75])), components)
    drawn = mixture.sample()
    assert drawn.shape == (1000, 2) and abs((drawn > 0).float().mean().item() - 0.75) < 0.05
    # each entry of the batch has its own choice
    assert ((drawn[:, 0] > 0) != (drawn[:, 1] > 0)).any()
    assert mixture.log_prob(drawn).shape == (1000, 2) and mixture.mean[0].allclose(torch.tensor([2.5, 25.0]))
    assert mixture.mode[0].tolist() == [5, 50]


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (
            ValueError,
            "transforms must be a Transform or list, but was 3",
            lambda: TransformedDistribution(Normal(0.0, 1.0), 3),
        ),
        (
            ValueError,
            "transforms must be a Transform or a list",
            lambda: TransformedDistribution(Normal(0.0, 1.0), [3]),
        ),
        (
            ValueError,
            "base_distribution needs to have shape with size at least 1, but got torch.Size([]).",
            lambda: TransformedDistribution(Normal(0.0, 1.0), StickBreakingTransform()),
        ),
        (ValueError, "Expected reinterpreted_batch_ndims <= len(base_", lambda: Independent(Normal(0.0, 1.0), 1)),
        (
            NotImplementedError,
            "Enumeration over cartesian product is not",
            lambda: Independent(Categorical(torch.ones(2, 2)), 1).enumerate_support(),
        ),
        (ValueError, " The Mixture distribution needs to be an", lambda: MixtureSameFamily(1, Normal(0.0, 1.0))),
        (
            ValueError,
            "The Component distribution needs to be an",
            lambda: MixtureSameFamily(Categorical(torch.ones(2)), 1),
        ),
        (
            ValueError,
            "`mixture_distribution component` (2) does not equal",
            lambda: MixtureSameFamily(Categorical(torch.ones(2)), Normal(torch.zeros(3), 1.0)),
        ),
        (
            ValueError,
            "`mixture_distribution.batch_shape` (torch.Size([3])) is not compatible",
            lambda: MixtureSameFamily(Categorical(torch.ones(3, 2)), Normal(torch.zeros(2, 2), 1.0)),
        ),
    ],
)
def test_wrong_calls_are_refused(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(words)


def test_values_are_refused_by_name_and_index():
    made = TransformedDistribution(Normal(torch.zeros(3), 1.0), TanhTransform())
    with pytest.raises(ValueError, match=r"to be within the support") as caught:
        made.log_prob(torch.tensor([0.5, 2.0, math.nan]))
    assert "value[1] = 2.0, value[2] = nan" in str(caught.value)


def test_an_expanded_weibull_promotes_as_tensors_do():
    # a 0-dim float64 does not widen a float32, one that was expanded does
    weibull = torch.distributions.Weibull(torch.tensor(1.0), torch.tensor(2.0, dtype=torch.float64))
    assert weibull.expand((2, 3)).sample().dtype is torch.float64
    assert weibull.expand((2, 3)).cdf(torch.ones(3)).dtype is torch.float64
