"""Distributions draw torch's samples and give torch's numbers, gradients, texts and errors."""

import warnings

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

DTYPES = ["float32", "float64"]
SAMPLE_SHAPES = [(), (1,), (5,), (3, 4), (0,), (40,)]


def both(function, *args):
    """What a function of the library gives in both, as plain data."""
    return [plain(function(library, *args)) for library in (rushlight, torch)]


def plain(value):
    if isinstance(value, (rushlight.Tensor, torch.Tensor)):
        return value.detach().numpy(), str(value.dtype), tuple(value.shape), value.requires_grad
    if isinstance(value, dict):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, (rushlight.Size, torch.Size)):
        return tuple(value)
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


def assert_equal(ours, theirs):
    if isinstance(theirs, np.ndarray):
        tolerance = (1e-5, 2e-6) if ours.dtype == np.float32 else (1e-9, 1e-12)
        np.testing.assert_allclose(ours, theirs, *tolerance)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_equal(one, other)
    elif isinstance(theirs, dict):
        assert ours.keys() == theirs.keys()
        for name, other in theirs.items():
            assert_equal(ours[name], other)
    else:
        assert ours == theirs


def tensor(library, values, dtype="float32", grad=False):
    return library.tensor(np.asarray(values).tolist(), dtype=getattr(library, dtype), requires_grad=grad)


def numbers(*shape, low=-2.0, high=2.0, seed=0):
    return np.random.RandomState(seed).uniform(low, high, shape)


# a name for each way to make a distribution: (library, dtype, with gradients) -> (distribution, its parameters)
def make_categorical(values, name):
    def make(library, dtype="float32", grad=False):
        given = tensor(library, values, dtype, grad)
        return library.distributions.Categorical(**{name: given}), [given]

    return make


def make_bernoulli(values, name):
    def make(library, dtype="float32", grad=False):
        given = tensor(library, values, dtype, grad)
        return library.distributions.Bernoulli(**{name: given}), [given]

    return make


def make_normal(loc, scale):
    def make(library, dtype="float32", grad=False):
        given = [tensor(library, each, dtype, grad) for each in (loc, scale)]
        return library.distributions.Normal(*given), given

    return make


FAMILIES = {
    "categorical logits": make_categorical(numbers(4), "logits"),
    "categorical batch of logits": make_categorical(numbers(2, 3, 5), "logits"),
    "categorical large logits": make_categorical(numbers(7, 40) * 50, "logits"),
    "categorical probs": make_categorical(numbers(4, low=0.1), "probs"),
    "categorical unnormalized probs": make_categorical(numbers(3, 6, low=0, high=9), "probs"),
    "categorical with impossible classes": make_categorical([[0.0, 1.0, 0.0], [0.5, 0.5, 0.0]], "probs"),
    "categorical of one class": make_categorical([[0.3], [-1.0]], "logits"),
    "bernoulli probs": make_bernoulli(numbers(3, 4, low=0, high=1), "probs"),
    "bernoulli certain": make_bernoulli([0.0, 0.5, 1.0], "probs"),
    "bernoulli logits": make_bernoulli(numbers(17) * 5, "logits"),
    "bernoulli scalar": make_bernoulli(0.3, "logits"),
    "normal": make_normal(numbers(3), numbers(3, low=0.1, seed=1)),
    "normal broadcast": make_normal(numbers(3, 1), numbers(2, 1, 4, low=0.1, seed=1)),
    "normal scalar": make_normal(0.5, 2.0),
    "normal many": make_normal(numbers(50), numbers(50, low=0.1, seed=1)),
}
SEVERAL = pytest.mark.parametrize("family", FAMILIES)
IN_EACH_DTYPE = pytest.mark.parametrize("dtype", DTYPES)


@SEVERAL
@IN_EACH_DTYPE
def test_the_same_seed_draws_the_same_samples(family, dtype):
    def draw(library):
        library.manual_seed(3)
        distribution, _ = FAMILIES[family](library, dtype)
        drawn = [distribution.sample(shape) for shape in SAMPLE_SHAPES if shape != (0,) or "cat" not in family]
        drawn += [distribution.sample(), distribution.sample([2]), distribution.sample(library.Size([2, 1]))]
        if distribution.has_rsample:
            drawn += [distribution.rsample(shape) for shape in SAMPLE_SHAPES]
        return [*drawn, library.rand(1)]

    assert_equal(*both(draw))


@SEVERAL
@IN_EACH_DTYPE
def test_moments_shapes_supports_and_texts(family, dtype):
    def describe(library):
        distribution, _ = FAMILIES[family](library, dtype)
        seen = {
            name: getattr(distribution, name)
            for name in ("mean", "mode", "variance", "stddev", "batch_shape", "event_shape", "has_rsample")
        }
        seen |= {name: getattr(distribution, name) for name in ("has_enumerate_support", "_validate_args")}
        if not family.startswith("normal"):
            seen |= {name: getattr(distribution, name) for name in ("probs", "logits", "param_shape")}
            seen["all"] = [distribution.enumerate_support(), distribution.enumerate_support(expand=False)]
        seen |= {"entropy": distribution.entropy(), "perplexity": distribution.perplexity()}
        seen |= {"repr": repr(distribution), "support": repr(distribution.support)}
        return seen

    assert_equal(*both(describe))


def weigh(library, family, dtype, values):
    """Everything that is computed from values, and its gradients."""
    distribution, given = FAMILIES[family](library, dtype, grad=True)
    found = {"log_prob": distribution.log_prob(values), "entropy": distribution.entropy()}
    if family.startswith("normal"):
        quantiles = library.linspace(0.1, 0.9, 4, dtype=library.float64).reshape(
            4, *[1] * len(distribution.batch_shape)
        )
        found |= {"cdf": distribution.cdf(values), "icdf": distribution.icdf(quantiles.to(values.dtype))}
    wanted = [*given, values] if values.requires_grad else given
    weights = {
        name: library.linspace(0.5, 1.5, each.numel(), dtype=library.float64).reshape(each.shape)
        for name, each in found.items()
    }
    grads = {
        name: library.autograd.grad(
            (each * weights[name].to(each.dtype)).sum(), wanted, retain_graph=True, allow_unused=True
        )
        for name, each in found.items()
    }
    return found, grads, type(found["log_prob"].grad_fn).__name__


@SEVERAL
@IN_EACH_DTYPE
@pytest.mark.parametrize("shape", [(), (2,)])
def test_log_prob_and_entropy_and_their_gradients(family, dtype, shape):
    def run(library):
        library.manual_seed(1)
        values = FAMILIES[family](library, dtype)[0].sample(shape)
        return weigh(library, family, dtype, values.requires_grad_() if family.startswith("normal") else values)

    assert_equal(*both(run))


@pytest.mark.parametrize("family", [name for name in FAMILIES if name.startswith("normal")])
def test_gradients_of_rsample(family):
    def run(library):
        library.manual_seed(1)
        distribution, given = FAMILIES[family](library, "float64", grad=True)
        drawn = distribution.rsample((3,))
        return library.autograd.grad((drawn**2).sum(), given)

    assert_equal(*both(run))


@pytest.mark.parametrize("family", [name for name in FAMILIES if "impossible" not in name and "certain" not in name])
def test_second_derivatives_of_log_prob(family):
    def run(library):
        library.manual_seed(1)
        distribution, given = FAMILIES[family](library, "float64", grad=True)
        total = (distribution.log_prob(distribution.sample()) ** 2).sum() + distribution.entropy().sum()
        firsts = library.autograd.grad(total, given, create_graph=True)
        return library.autograd.grad(sum((each**2).sum() for each in firsts), given)

    assert_equal(*both(run))


@pytest.mark.parametrize(
    ("family", "values"),
    [
        ("categorical batch of logits", np.array([[1], [4]])),
        ("categorical batch of logits", np.array(2)),
        ("categorical batch of logits", np.zeros((4, 2, 3))),
        ("categorical logits", np.array([[0, 3], [1, 1]])),
        ("bernoulli probs", np.array([[1.0], [0.0], [1.0]])),
        ("normal", numbers(4, 1)),
        ("normal broadcast", numbers(1)),
    ],
)
def test_values_broadcast(family, values):
    def run(library):
        return weigh(library, family, "float32", tensor(library, values))

    assert_equal(*both(run))


@SEVERAL
def test_expand(family):
    def run(library):
        distribution, _ = FAMILIES[family](library)
        larger = distribution.expand((2, *distribution.batch_shape))
        library.manual_seed(0)
        drawn = larger.sample((2,))
        return [drawn, larger.log_prob(drawn), larger.batch_shape, repr(larger), larger._validate_args]

    assert_equal(*both(run))


PAIRS = [(one, other) for one in FAMILIES for other in FAMILIES if one.split()[0] == other.split()[0]]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_kl_divergence(one, other):
    def run(library):
        pair = [FAMILIES[name](library, "float64", grad=True) for name in (one, other)]
        try:
            found = library.distributions.kl_divergence(pair[0][0], pair[1][0])
        except RuntimeError:
            return "shapes that do not broadcast"
        return found, library.autograd.grad(found.sum(), [*pair[0][1], *pair[1][1]])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_equal(*both(run))


def test_python_numbers_make_scalars_of_the_default_dtype():
    def run(library):
        found = library.distributions
        made = [found.Normal(0, 1), found.Normal(0.5, tensor(library, [1.0, 2.0], "float64")), found.Bernoulli(0.3)]
        made += [found.Bernoulli(logits=1), found.Normal(True, 2.0)]
        library.manual_seed(0)
        return [(repr(each), each.batch_shape, each.sample((2,)), each.mean, each.variance) for each in made]

    assert_equal(*both(run))


def test_natural_parameters_give_the_same_entropy():
    def run(library):
        made = [FAMILIES[name](library, "float64")[0] for name in ("normal", "bernoulli logits")]
        family = library.distributions.ExponentialFamily
        return [(isinstance(each, family), each._natural_params, family.entropy(each).detach()) for each in made]

    assert_equal(*both(run))


@IN_EACH_DTYPE
def test_no_validation(dtype):
    def run(library):
        found = library.distributions
        nan, negative = tensor(library, [float("nan"), 1.0], dtype), tensor(library, [-1.0, 2.0], dtype)
        made = found.Normal(nan, negative, validate_args=False)
        categorical = found.Categorical(logits=nan, validate_args=False)
        coin = found.Bernoulli(probs=negative, validate_args=False)
        value = tensor(library, [0.5, 0.5], dtype)
        return [made.log_prob(value), categorical.logits, coin.log_prob(value), made.cdf(value), coin.variance]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_equal(*both(run))


def test_the_default_of_validation():
    def run(library):
        found = library.distributions
        try:
            found.Distribution.set_default_validate_args(False)
            off = found.Normal(0.0, -1.0).scale
            found.Distribution.set_default_validate_args(True)
            return off, outcome(lambda: found.Normal(0.0, -1.0))
        finally:
            found.Distribution.set_default_validate_args(True)

    assert_equal(*both(run))


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            call()
        except Exception as error:
            return type(error).__name__, str(error)
    return None


def wrong_calls(library):
    """Calls that are refused, and whether the whole text is torch's."""
    found, nan = library.distributions, float("nan")
    three = tensor(library, [0.2, 0.3, 0.5])
    categorical, normal, coin = found.Categorical(three), found.Normal(three, three), found.Bernoulli(three)
    yield lambda: found.Categorical()
    yield lambda: found.Categorical(three, three)
    yield lambda: found.Categorical(three[0])
    yield lambda: found.Categorical(logits=three[0])
    yield lambda: found.Categorical(logits=tensor(library, [1.0, nan]))
    yield lambda: found.Categorical(tensor(library, [[0.5, 0.5], [-1.0, 2.0]]))
    yield lambda: found.Categorical(tensor(library, [0.0, 0.0]))
    yield lambda: found.Normal(tensor(library, [nan, 0.0]), 1.0)
    yield lambda: found.Normal(0.0, -1.0)
    yield lambda: found.Normal(0.0, 0)
    yield lambda: found.Normal(library.nn.Parameter(tensor(library, [0.0])), tensor(library, [-1.0]))
    yield lambda: found.Normal(library.zeros(2), library.ones(3))
    yield lambda: found.Bernoulli()
    yield lambda: found.Bernoulli(0.5, 0.5)
    yield lambda: found.Bernoulli(1.5)
    yield lambda: found.Bernoulli(tensor(library, [0.5, nan]))
    yield lambda: found.Bernoulli(logits=nan)
    yield lambda: categorical.log_prob(1)
    yield lambda: categorical.log_prob(library.tensor(3))
    yield lambda: categorical.log_prob(library.tensor(-1))
    yield lambda: categorical.log_prob(tensor(library, 0.5))
    yield lambda: found.Categorical(library.ones(2, 3)).log_prob(library.tensor([0, 0, 0]))
    yield lambda: normal.log_prob(0.0)
    yield lambda: normal.log_prob(library.zeros(2))
    yield lambda: normal.log_prob(tensor(library, [0.0, nan, 1.0]))
    yield lambda: normal.cdf(tensor(library, [0.0, nan, 1.0]))
    yield lambda: coin.log_prob(tensor(library, [0.0, 0.5, 1.0]))
    yield lambda: coin.log_prob(library.zeros(4))
    yield lambda: coin.rsample()
    yield lambda: categorical.rsample()
    yield lambda: categorical.cdf(library.tensor(1))
    yield lambda: categorical.icdf(three)
    yield lambda: normal.enumerate_support()
    yield lambda: normal.expand((2,))
    yield lambda: normal.sample_n(2)
    yield lambda: found.Distribution().mode
    yield lambda: found.Distribution(validate_args=False).mean
    yield lambda: found.Distribution(validate_args=False).mode
    yield lambda: found.Distribution(validate_args=False).log_prob(three)
    yield lambda: found.Distribution.set_default_validate_args("yes")
    yield lambda: found.constraints.dependent.check(three)
    yield lambda: found.constraints.dependent.is_discrete
    yield lambda: found.constraints.dependent.event_dim
    yield lambda: found.constraints.Constraint().check(three)
    yield lambda: found.constraints.real_vector.check(three[0])
    yield lambda: found.constraints.independent(1, 1)


@pytest.mark.parametrize(("ours", "theirs"), list(zip(wrong_calls(rushlight), wrong_calls(torch), strict=True)))
def test_wrong_calls_are_refused_in_torchs_words(ours, theirs):
    kind, words = outcome(theirs)
    our_kind, our_words = outcome(ours)
    assert our_kind == kind
    assert our_words.startswith(words.replace("<class 'torch.", "<class 'rushlight."))


def test_kl_is_found_for_subclasses_and_ambiguity_is_warned_about():
    def run(library):
        found = library.distributions

        class Left(found.Normal):
            pass

        class Right(Left):
            pass

        found.register_kl(Left, found.Normal)(lambda p, q: "left")
        found.register_kl(found.Normal, Left)(lambda p, q: "right")
        seen = [found.kl_divergence(Left(0.0, 1.0), found.Normal(0.0, 1.0))]
        seen += [outcome(lambda: found.kl_divergence(Right(0.0, 1.0), Right(0.0, 1.0)))]
        seen += [outcome(lambda: found.kl_divergence(found.Normal(0.0, 1.0), found.Categorical(library.ones(2))))]
        found.register_kl(Left, Left)(lambda p, q: "both")
        return [*seen, found.kl_divergence(Right(0.0, 1.0), Left(0.0, 1.0))]

    ours, theirs = both(run)
    assert ours[2][1].startswith(theirs[2][1])
    assert ours[:2] + ours[3:] == theirs[:2] + theirs[3:]
