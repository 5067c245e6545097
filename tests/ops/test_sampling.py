"""Random tensors: torch's numbers for the same seed, in the same shapes and layouts, and its refusals.

The numbers were drawn with torch 2.13.0.
"""

import copy
import pickle

import numpy as np
import pytest

import rushlight as torch


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(0)


def near(tensor, expected):
    np.testing.assert_allclose(np.array(tensor.tolist()), expected, atol=1e-4)
    return True


def test_manual_seed_starts_the_stream_anew():
    first = torch.rand(3)
    assert near(first, [0.4963, 0.7682, 0.0885])
    assert torch.manual_seed(0) is torch.default_generator
    assert torch.rand(3).tolist() == first.tolist()
    assert torch.initial_seed() == 0
    assert torch.manual_seed(-1).initial_seed() == 2**64 - 1
    assert isinstance(torch.seed(), int)


def test_states_are_tensors_of_bytes():
    state = torch.get_rng_state()
    assert (state.shape, state.dtype) == ((5056,), torch.uint8)
    first = torch.rand(2)
    torch.set_rng_state(state)
    assert torch.rand(2).tolist() == first.tolist()
    with pytest.raises(TypeError, match=r"expected a torch.ByteTensor, but got int"):
        torch.set_rng_state(3)
    with torch.random.fork_rng():
        inside = torch.rand(2)
    assert torch.rand(2).tolist() == inside.tolist()
    with torch.random.fork_rng(enabled=False):
        torch.rand(2)


def test_a_generator_of_ones_own():
    generator = torch.Generator().manual_seed(0)
    assert generator.device == torch.device("cpu")
    torch.rand(5)
    assert near(torch.rand(2, generator=generator), [0.4963, 0.7682])
    assert copy.deepcopy(generator).get_state().tolist() == generator.get_state().tolist()
    other = pickle.loads(pickle.dumps(generator))
    assert torch.rand(2, generator=other).tolist() == torch.rand(2, generator=generator).tolist()
    for draw in (torch.rand, torch.randn):
        with pytest.raises(TypeError, match=r"argument 'generator' must be torch.Generator, not int"):
            draw(2, generator=3)


def test_uniform_and_normal_numbers():
    assert near(torch.rand(2, dtype=torch.complex64), [0.4963 + 0.7682j, 0.0885 + 0.1320j])
    torch.manual_seed(0)
    assert near(torch.randn(3), [1.5410, -0.2934, -2.1788])
    assert torch.randn(2, dtype=torch.complex64).dtype is torch.complex64
    out = torch.empty(2)
    assert torch.rand(2, out=out) is out
    assert torch.randn(2, requires_grad=True).requires_grad
    with pytest.raises(NotImplementedError):
        torch.rand(2, dtype=torch.int64)


def test_whole_numbers():
    assert torch.randint(5, (4,)).tolist() == [4, 4, 3, 0]
    assert torch.randint(5, (2,)).dtype is torch.int64
    made = torch.randint(2, 5, (20,), dtype=torch.float32)
    assert made.dtype is torch.float32
    assert set(made.tolist()) <= {2.0, 3.0, 4.0}
    assert torch.randint(low=3, high=5, size=(2,)).shape == torch.randint(high=5, size=(2,)).shape == (2,)
    torch.manual_seed(0)
    assert torch.randperm(4).tolist() == [0, 1, 3, 2]


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (
            lambda: torch.randint(5, 2),
            TypeError,
            r"randint\(\): argument 'size' \(position 2\) must be tuple",
        ),
        (lambda: torch.randint(5), TypeError, "invalid combination of arguments"),
        (lambda: torch.randint(5, 5, (2,)), RuntimeError, "random_ expects 'from' to be less than 'to'"),
        (
            lambda: torch.randint(2.5, (2,)),
            TypeError,
            r"argument 'high' \(position 1\) must be int, not float",
        ),
        (lambda: torch.randint_like(torch.ones(2)), TypeError, "invalid combination of arguments"),
        (lambda: torch.randperm(2.5), TypeError, r"randperm\(\): argument 'n' \(position 1\) must be int"),
        (lambda: torch.normal(0.0, 1.0), TypeError, "invalid combination of arguments"),
        (
            lambda: torch.normal(std=torch.ones(2)),
            TypeError,
            'missing 1 required positional arguments: "mean"',
        ),
        (
            lambda: torch.normal(torch.zeros(2), -torch.ones(2)),
            RuntimeError,
            "normal expects all elements of std",
        ),
        (lambda: torch.normal(torch.ones(2), 1.0, out=torch.ones(3)), RuntimeError, "The size of tensor a"),
        (lambda: torch.normal(0.0, torch.ones(2) * 1j), RuntimeError, "standard deviation to be non-complex"),
        (
            lambda: torch.bernoulli(torch.ones(2), torch.ones(2)),
            TypeError,
            "invalid combination of arguments",
        ),
        (
            lambda: torch.multinomial(torch.ones(2), 1, out=torch.ones(1)),
            RuntimeError,
            "expects Long tensor out",
        ),
        (lambda: torch.zeros(2).uniform_(1, 2, 3), TypeError, "takes from 0 to 2 positional arguments"),
        (lambda: torch.zeros(2).uniform_(from_=0), TypeError, "unexpected keyword argument 'from_'"),
        (lambda: torch.zeros(2).uniform_("a"), TypeError, "argument 'from' \\(position 1\\) must be Number"),
        (lambda: torch.zeros(2).normal_(1j), TypeError, "must be float, not complex"),
        (lambda: torch.zeros(1).expand(3).normal_(), RuntimeError, "unsupported operation"),
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_normal_around_tensors():
    assert near(torch.normal(0.0, 1.0, (3,)), [1.5410, -0.2934, -2.1788])
    torch.manual_seed(0)
    assert near(torch.normal(torch.tensor([1.0, 2.0, 3.0]), 2.0), [4.0820, 1.4131, -1.3576])
    torch.manual_seed(0)
    assert near(torch.normal(1.0, torch.tensor([1.0, 2.0])), [2.5410, 0.4131])
    assert torch.normal(torch.zeros(2, 1), torch.ones(3)).shape == (2, 3)
    assert torch.normal(torch.zeros(2), torch.ones(2, dtype=torch.float64)).dtype is torch.float32
    mean = torch.zeros(2, requires_grad=True)
    drawn = torch.normal(mean, mean + 1)
    assert drawn.grad_fn.name() == "NormalBackward3"
    drawn.sum().backward()
    assert mean.grad.tolist() == [0, 0]


def test_coins_and_choices():
    chances = torch.tensor([0.0, 1.0, 1.0], requires_grad=True)
    assert torch.bernoulli(chances).tolist() == [0, 1, 1]
    assert chances.bernoulli(1.0).tolist() == [1, 1, 1]
    torch.bernoulli(chances).sum().backward()
    assert chances.grad.tolist() == [0, 0, 0]
    chosen = torch.multinomial(chances, 2)
    assert sorted(chosen.tolist()) == [1, 2]
    assert not chosen.requires_grad
    assert chances.multinomial(4, True).shape == (4,)


def test_like_functions():
    source = torch.zeros(2, 3).T
    assert torch.randn_like(source).stride() == (1, 3)
    torch.manual_seed(0)
    assert near(torch.rand_like(torch.zeros(3)), [0.4963, 0.7682, 0.0885])
    assert torch.randint_like(source, 5).dtype is torch.float32
    assert set(torch.randint_like(source, 2, 4, dtype=torch.int64).reshape(-1).tolist()) <= {2, 3}
    assert torch.randint_like(source, low=2, high=3).unique().tolist() == [2.0]


@pytest.mark.parametrize(
    ("fill", "node"),
    [
        (lambda x: x.uniform_(-1, to=1), "UniformBackward0"),
        (lambda x: x.normal_(1, 2), "NormalBackward0"),
        (lambda x: x.random_(), "RandomBackward2"),
        (lambda x: x.random_(10), "RandomBackward1"),
        (lambda x: x.random_(5, 10), "RandomBackward0"),
        (lambda x: x.bernoulli_(), "BernoulliBackward2"),
        (lambda x: x.bernoulli_(torch.tensor([0.5, 0.5, 0.5])), "BernoulliBackward1"),
        (lambda x: x.exponential_(), "ExponentialBackward0"),
        (lambda x: x.geometric_(0.5), "GeometricBackward0"),
        (lambda x: x.cauchy_(), "CauchyBackward0"),
        (lambda x: x.log_normal_(), "LogNormalBackward0"),
    ],
)
def test_filling_in_place_cuts_the_gradient(fill, node):
    leaf = torch.ones(3, requires_grad=True)
    result = leaf * 2
    assert fill(result) is result
    assert result.grad_fn.name() == node
    result.sum().backward()
    assert leaf.grad.tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        fill(leaf)


def test_filling_follows_the_order_of_memory():
    drawn = torch.rand(2, 3)
    torch.manual_seed(0)
    target = torch.zeros(2, 3)
    target.T.uniform_()
    assert target.tolist() == drawn.tolist()
    chances = torch.tensor([[0.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
    assert torch.zeros(2, 3).T.bernoulli_(chances).tolist() == chances.tolist()


def test_whole_numbers_in_place():
    whole = torch.zeros(50, dtype=torch.int64)
    assert set(whole.random_(3).tolist()) == {0, 1, 2}
    assert set(whole.random_(to=2).tolist()) == {0, 1}
    assert set(whole.random_(4, 6).tolist()) == {4, 5}
    assert whole.random_(5, None).min().item() >= 5


def test_out_is_filled_in_the_order_of_its_memory():
    drawn = torch.rand(6)
    torch.manual_seed(0)
    out = torch.empty(3, 2).t()
    assert torch.rand(2, 3, out=out) is out
    assert out.t().flatten().tolist() == drawn.tolist()
    for call in (
        lambda out: torch.randn(4, 5, out=out),
        lambda out: torch.normal(0.0, 1.0, (4, 5), out=out),
        lambda out: torch.normal(torch.zeros(4, 5), 1.0, out=out),
        lambda out: torch.normal(0.0, torch.ones(4, 5), out=out),
    ):
        torch.manual_seed(0)
        expected = torch.zeros(5, 4).t().normal_()
        torch.manual_seed(0)
        assert call(torch.zeros(5, 4).t()).tolist() == expected.tolist()
    out = torch.empty(0, dtype=torch.int64)
    assert torch.bernoulli(torch.tensor([0.0, 1.0]), out=out) is out
    assert out.tolist() == [0, 1]
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.bernoulli(torch.ones(2), 0.5, out=out)
    with pytest.raises(TypeError, match="argument 'out' must be Tensor, not int"):
        torch.bernoulli(torch.ones(2), out=3)
    with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
        torch.bernoulli(torch.ones(2, requires_grad=True), out=torch.empty(2))


def test_what_a_generator_does_not_do_on_the_cpu():
    generator = torch.Generator()
    assert generator.set_state(torch.Generator().get_state()) is generator
    assert torch.thread_safe_generator() is None
    for call in (generator.get_offset, lambda: generator.set_offset(1)):
        with pytest.raises(RuntimeError, match="CPU Generator does not use offset"):
            call()
    with pytest.raises(TypeError, match="argument 'device'"):
        torch.Generator(3.5)
    with pytest.raises(RuntimeError, match="RNG state must be contiguous"):
        generator.set_state(torch.cat([generator.get_state()] * 2)[::2])


@pytest.mark.parametrize("name", ["normal_", "exponential_", "log_normal_", "random_"])
@pytest.mark.parametrize("dtype", [torch.int64, torch.complex64])
def test_an_empty_tensor_of_any_dtype_is_filled_with_nothing(name, dtype):
    empty = torch.zeros(0, dtype=dtype)
    assert getattr(empty, name)() is empty


def test_the_dtype_of_an_empty_tensor_is_looked_at_by_uniform_alone():
    with pytest.raises(NotImplementedError):
        torch.zeros(0, dtype=torch.int64).uniform_()


@pytest.mark.parametrize(
    "name", ["normal_", "uniform_", "exponential_", "cauchy_", "log_normal_", "random_", "bernoulli_"]
)
def test_a_refused_fill_draws_nothing(name):
    torch.manual_seed(3)
    expected = torch.rand(())
    torch.manual_seed(3)
    with pytest.raises(RuntimeError, match="unsupported operation: more than one element of the written-to tensor"):
        getattr(torch.full((2, 1), 0.5).expand(2, 3), name)()
    assert torch.rand(()).item() == expected.item()


def test_the_normal_number_that_waits_is_exact_in_the_state():
    torch.manual_seed(1300453)
    torch.normal(2, 2.0, (3,))
    assert torch.get_rng_state()[5024:5032].tolist() == [137, 250, 203, 147, 22, 59, 236, 63]


def test_gumbel_noise_is_drawn_row_by_row():
    torch.manual_seed(0)
    logits = torch.tensor([[0.0, 1, 2], [2, 1, 0]]).t()
    near(torch.nn.functional.gumbel_softmax(logits)[:, 0], [0.045312, 0.804758, 0.917853])


@pytest.mark.parametrize(
    ("weights", "count", "replacement", "words"),
    [
        (torch.ones(1), 2, False, "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
        (torch.ones(0), 1, True, "aminmax(): cannot compute aminmax over an empty dimension"),
        (torch.ones(2, 0), 2, True, "invalid multinomial distribution (sum of probabilities <= 0)"),
        (-torch.ones(3), 1, True, "probability tensor contains either `inf`, `nan` or element < 0"),
        (-torch.ones(3), 2, True, "invalid multinomial distribution (encountering probability entry < 0)"),
        (
            torch.tensor([1, float("inf")]),
            2,
            True,
            "invalid multinomial distribution (encountering probability entry = inf",
        ),
    ],
)
def test_weights_that_cannot_be_drawn_from(weights, count, replacement, words):
    with pytest.raises(RuntimeError) as raised:
        torch.multinomial(weights, count, replacement)
    assert str(raised.value).startswith(words)


@pytest.mark.parametrize("drop", [torch.dropout, torch.alpha_dropout, torch.feature_dropout])
def test_a_dropout_of_integers_is_refused_after_it_drew(drop):
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        drop(torch.tensor([[4, -3, 3]]), 0.5, True)
    refused = torch.rand(1)
    torch.manual_seed(0)
    assert torch.equal(torch.rand(7)[6:], refused)


def test_native_dropout_draws_where_nothing_is_kept():
    torch.manual_seed(0)
    assert torch.native_dropout(torch.ones(3), 1.0, True)[0].tolist() == [0.0, 0.0, 0.0]
    assert torch.rand(()).item() == pytest.approx(0.4901, abs=1e-4)
    torch.manual_seed(0)
    with pytest.raises(RuntimeError, match="result type Float can't be cast"):
        torch.native_dropout(torch.ones(3, dtype=torch.int64), 0.3, True)
    assert torch.rand(()).item() == pytest.approx(0.4901, abs=1e-4)
