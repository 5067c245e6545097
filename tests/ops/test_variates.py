"""Counts, gamma numbers and shares: torch's numbers for the same seed, and how they move with their parameters.

The numbers were drawn with torch 2.13.0; the slopes are those of mpmath at 50 digits.
"""

import math
import threading

import numpy as np
import pytest

import rushlight as torch
from rushlight.core.random.random import Generator
from rushlight.core.random.rejection import Ahead

F64 = torch.float64

# after torch.manual_seed(0): the call, its numbers, and the uniform number that follows
DRAWN = [
    (
        lambda: torch._standard_gamma(torch.tensor([0.3, 1, 2.5, 40])),
        [5.907e-06, 0.118983701, 2.411419392, 35.968429565],
        0.161029458,
    ),
    (lambda: torch._standard_gamma(torch.tensor([0.01, 0.0, 7.0], dtype=F64)), [0, 0, 4.267289234], 0.348893464),
    (
        lambda: torch._sample_dirichlet(torch.tensor([[0.5, 1, 3], [9, 2, 0.1]])),
        [0.000258213, 0.03892161, 0.960820198, 0.835542202, 0.161301032, 0.003156778],
        0.18523103,
    ),
    (
        lambda: torch.poisson(torch.tensor([0, 0.5, 3, 9.9, 10, 55, 1e6])),
        [0, 2, 4, 10, 13, 59, 1000066],
        0.81978035,
    ),
    (lambda: torch.poisson(torch.tensor([2.0, 80], dtype=F64)), [6, 76], 0.161029458),
    (
        lambda: torch.binomial(
            torch.tensor([5.0, 20, 100, 1000, 1000, 7, 7, 0]), torch.tensor([0.5, 0.9, 0.3, 0.01, 0.6, 0, 1, 0.5])
        ),
        [4, 18, 31, 10, 607, 0, 7, 0],
        0.18523103,
    ),
    (
        lambda: torch.binomial(torch.tensor([50.0, 1e9], dtype=F64), torch.tensor([0.2, 0.5], dtype=F64)),
        [11, 499983573],
        0.697667599,
    ),
    (
        lambda: torch.rrelu(torch.tensor([-1.0, 2, -3, 0]), 0.1, 0.3, True),
        [-0.294010609, 2, -0.724691927, 0],
        0.49009341,
    ),
    (
        lambda: torch.native_dropout(torch.ones(8), 0.4, True)[0],
        [0, 0, 1.666666627, 0, 0, 0, 1.666666627, 1.666666627],
        0.697667599,
    ),
]


@pytest.mark.parametrize("row", range(len(DRAWN)))
def test_numbers_are_torchs_and_so_is_the_next_one(row):
    call, numbers, following = DRAWN[row]
    torch.manual_seed(0)
    np.testing.assert_allclose(np.ravel(call().tolist()), numbers, rtol=1e-6, atol=1e-9)
    assert torch.rand(1).item() == pytest.approx(following, abs=1e-8)


def test_a_kept_normal_is_used_and_left_behind():
    whole, parts = torch.Generator().manual_seed(4), torch.Generator().manual_seed(4)
    alphas = torch.tensor([2.0, 3, 4, 5, 6])
    expected = torch._standard_gamma(alphas, generator=whole)
    found = [torch._standard_gamma(alphas[place : place + 1], generator=parts) for place in range(5)]
    assert torch.cat(found).tolist() == expected.tolist()
    assert parts.get_state().tolist() == whole.get_state().tolist()
    assert torch.randn(3, generator=whole).tolist() == torch.randn(3, generator=parts).tolist()


@pytest.mark.parametrize("likely", [1, 4, 100, 10**6])
@pytest.mark.parametrize("used", [0, 1, 3, 4, 9, 700])
def test_reading_ahead_leaves_the_generator_behind_the_last_number_used(likely, used):
    ahead_of, plain = Generator().manual_seed(1), Generator().manual_seed(1)
    with Ahead(ahead_of, likely) as ahead:
        found = [ahead.draw() for _ in range(used)]
    assert found == torch.rand(used, dtype=F64, generator=plain).tolist()
    assert (ahead_of.state_bytes() == plain.state_bytes()).all()


def test_threads_share_a_generator_without_losing_numbers():
    shared, drawn = torch.Generator().manual_seed(2), []

    def draw():
        drawn.extend(torch.poisson(torch.full((3,), 4.0), generator=shared).tolist() for _ in range(50))

    threads = [threading.Thread(target=draw) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = torch.Generator().manual_seed(2)
    expected = [torch.poisson(torch.full((3,), 4.0), generator=alone).tolist() for _ in range(150)]
    assert sorted(drawn) == sorted(expected)


def test_what_has_no_distribution_is_nan_and_ends():
    infinite, missing = float("inf"), float("nan")
    assert all(math.isnan(each) for each in torch._standard_gamma(torch.tensor([-1.0, missing])).tolist())
    assert torch._standard_gamma(torch.tensor(infinite)).item() == infinite
    assert torch.poisson(torch.tensor(infinite)).item() == infinite
    assert math.isnan(torch.binomial(torch.tensor(missing), torch.tensor(0.5)).item())
    assert math.isnan(torch.binomial(torch.tensor(3.0), torch.tensor(missing)).item())
    assert torch.binomial(torch.tensor(infinite), torch.tensor(0.5)).item() == infinite


def test_an_infinite_rate_uses_as_many_numbers_as_in_torch():
    torch.manual_seed(0)
    assert torch.poisson(torch.tensor([float("inf"), 3.0])).tolist() == [float("inf"), 3.0]


@pytest.mark.parametrize(
    ("draw", "following"),
    [
        (lambda: torch.poisson(torch.tensor([1.0, float("nan")])), 0.4900934100151062),
        (lambda: torch.bernoulli(torch.tensor([0.5, 0.5, float("nan")])), 0.08847743272781372),
        (lambda: torch.bernoulli(torch.tensor([0.5, 0.5, 2.0], dtype=F64)), 0.30742281675338745),
        (lambda: torch.empty(2, 2).bernoulli_(torch.tensor([0.5, 2.0])), 0.7682217955589294),
    ],
)
def test_a_wrong_parameter_is_refused_after_the_draws_before_it(draw, following):
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match=r"rate to be non-negative|p_in >= 0"):
        draw()
    assert torch.rand(1).item() == following


# alpha, x, dx / dalpha: one for each way it is computed, and the extremes
GAMMA_SLOPES = [
    (0.01, 1e-30, 6.851666733195e-27),
    (0.5, 0.2, 0.7940505663308),
    (1.0, 18.0, 3.5203523672),
    (3.0, 8.0, 1.657350784659),
    (9.9, 9.5, 0.9961625922171),
    (30.0, 22.0, 0.8576622327359),
    (1000.0, 1010.0, 1.005150929677),
]
# x, alpha, beta, dx / dalpha / (1 - x)
BETA_SLOPES = [
    (1e-20, 0.01, 0.5, 4.740580392618e-17),
    (0.3, 0.5, 0.5, 1.322041551263),
    (0.5, 200.0, 200.0, 0.002504170830342),
    (0.9, 20.0, 0.5, 0.04799404398007),
    (0.9986, 200.0, 0.01, 0.00500888199387),
    (0.02, 3.0, 200.0, 0.006045789162668),
    (0.99, 2.0, 3.0, 0.3595078845204),
]


def test_a_gamma_number_moves_along_its_quantile():
    alpha, x, expected = (torch.tensor(column, dtype=F64) for column in zip(*GAMMA_SLOPES, strict=True))
    found = torch._standard_gamma_grad(alpha, x)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-11)
    np.testing.assert_allclose(torch._standard_gamma_grad(alpha.float(), x.float()), expected.numpy(), rtol=1e-5)


def test_a_share_moves_along_its_quantile():
    x, alpha, beta, expected = (torch.tensor(column, dtype=F64) for column in zip(*BETA_SLOPES, strict=True))
    found = torch._dirichlet_grad(x, alpha, alpha + beta)
    np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=1e-11)


def test_many_slopes_are_those_of_each():
    alpha = torch.full((3, 7000), 2.5, dtype=F64)
    x = torch.rand(3, 7000, dtype=F64) * 9
    found = torch._standard_gamma_grad(alpha, x)
    assert found.shape == (3, 7000)
    assert found[2, 5].item() == pytest.approx(torch._standard_gamma_grad(alpha[2, 5], x[2, 5]).item(), rel=1e-12)
    assert torch._standard_gamma_grad(alpha[:0], x[:0]).shape == (0, 7000)


def test_gradients():
    torch.manual_seed(0)
    alpha = torch.tensor([0.5, 3.0], requires_grad=True)
    drawn = torch._standard_gamma(alpha)
    assert drawn.grad_fn.name() == "StandardGammaBackward0"
    drawn.sum().backward()
    assert alpha.grad.tolist() == torch._standard_gamma_grad(alpha.detach(), drawn.detach()).tolist()
    rate = torch.ones(3, requires_grad=True)
    torch.poisson(rate).sum().backward()
    assert rate.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="derivative for aten::binomial is not implemented"):
        torch.binomial(rate, rate / 2).sum().backward()
    kept, mask = torch.native_dropout(rate, 0.5, None)
    grad = torch.autograd.grad(kept.sum(), rate)[0]
    assert grad.tolist() == (mask * 2.0).tolist()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda one: torch.poisson(-one), RuntimeError, "invalid Poisson rate, expected rate to be non-negative"),
        (lambda one: torch.poisson(one.long()), NotImplementedError, "\"poisson_cpu\" not implemented for 'Long'"),
        (lambda one: torch.poisson(one, generator=3), TypeError, "must be torch.Generator, not int"),
        (lambda one: torch.binomial(one, one.double()), RuntimeError, "Found dtype Double but expected Float"),
        (lambda one: torch.binomial(one.long(), one), ValueError, "only supports floating-point dtypes for count, got"),
        (lambda one: torch.binomial(one, 0.5), TypeError, "argument 'prob' \\(position 2\\) must be Tensor, not float"),
        (
            lambda one: torch._standard_gamma(one.half()),
            NotImplementedError,
            "\"gamma_cpu\" not implemented for 'Half'",
        ),
        (lambda one: torch._sample_dirichlet(one.long()), NotImplementedError, '"dirichlet" not implemented'),
        (lambda one: torch._dirichlet_grad(one, one, one.double()), RuntimeError, "Found dtype Double"),
        (lambda one: torch.dropout(one, 1.5, True), RuntimeError, "dropout probability has to be between 0 and 1"),
        (lambda one: torch.native_dropout(one, 1.5, True), RuntimeError, "bernoulli_ expects p to be in"),
        (lambda one: torch.rrelu(one.half(), 0.1, 0.2, True), NotImplementedError, "rrelu_with_noise_out_cpu"),
    ],
)
def test_what_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(torch.ones(3))


def test_dropout_by_its_other_names():
    for name, shape in (("dropout", (6,)), ("feature_dropout", (2, 3, 2)), ("alpha_dropout", (6,))):
        torch.manual_seed(0)
        expected = getattr(torch, name)(torch.ones(shape), 0.5, True)
        torch.manual_seed(0)
        target = torch.ones(shape)
        assert getattr(torch, name + "_")(target, 0.5, True) is target
        assert target.tolist() == expected.tolist()
    torch.manual_seed(0)
    expected = torch.rrelu(-torch.ones(4), training=True)
    torch.manual_seed(0)
    target = -torch.ones(4)
    assert torch.nn.functional.rrelu_(target, training=True) is target
    assert target.tolist() == expected.tolist()
    both = [torch.rrelu(-torch.ones(4), training=True, generator=torch.Generator()).tolist() for _ in range(2)]
    assert both[0] == both[1]


def test_a_negative_rate_is_refused_after_those_before_it_were_drawn():
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match="invalid Poisson rate"):
        torch.poisson(torch.tensor([1.4, -1.0, 2.0]))
    assert torch.rand(1).item() == pytest.approx(0.3489, abs=1e-4)


def test_a_gamma_number_of_nan_takes_its_draws_as_others_do():
    torch.manual_seed(0)
    found = torch._standard_gamma(torch.tensor([math.nan, 1.5]))
    assert found[0].isnan()
    assert found[1].item() == pytest.approx(0.8775610839803585)


def test_the_slope_of_a_share_has_no_derivative():
    share = torch.tensor([0.2, 0.8], requires_grad=True)
    slope = torch._dirichlet_grad(share, torch.tensor([1.0, 2.0]), torch.tensor([3.0, 3.0]))
    assert slope.requires_grad
    with pytest.raises(RuntimeError, match="derivative for aten::_dirichlet_grad is not implemented"):
        slope.sum().backward()
