"""What all families share: validation, constraints, expansion, divergences, and what is refused."""

import math

import pytest

import rushlight as torch
from rushlight.distributions import (
    Bernoulli,
    Categorical,
    Distribution,
    ExponentialFamily,
    Normal,
    constraints,
    kl_divergence,
    register_kl,
)
from rushlight.distributions.utils import broadcast_all, lazy_property, logits_to_probs, probs_to_logits

PROBS = torch.tensor([0.2, 0.3, 0.5])
NAN = torch.tensor([math.nan, 0.0])


@pytest.mark.parametrize(
    ("kind", "words", "call"),
    [
        (ValueError, "Either `probs` or `logits` must be specified, but not both.", lambda: Categorical()),
        (ValueError, "`probs` parameter must be at least one-dimensional.", lambda: Categorical(torch.ones(()))),
        (
            ValueError,
            "`logits` parameter must be at least one-dimensional.",
            lambda: Categorical(logits=torch.ones(())),
        ),
        (
            ValueError,
            "Expected parameter logits (Tensor of shape (2,)) of distribution Categorical(logits: torch.Size([2])) "
            "to satisfy the constraint IndependentConstraint(Real(), 1), but found invalid values:\ntensor([nan, nan])",
            lambda: Categorical(logits=NAN),
        ),
        (
            ValueError,
            "Expected parameter probs (Tensor of shape (2,)) of distribution Categorical(probs: torch.Size([2])) "
            "to satisfy the constraint Simplex(), but found invalid values:\ntensor([-1.,  2.])",
            lambda: Categorical(torch.tensor([-1.0, 2.0])),
        ),
        (
            ValueError,
            "Expected parameter scale (Tensor of shape ()) of distribution Normal(loc: 0.0, scale: -1.0) "
            "to satisfy the constraint GreaterThan(lower_bound=0.0), but found invalid values:\n-1.0",
            lambda: Normal(0.0, -1.0),
        ),
        (ValueError, "Expected parameter loc (Tensor of shape (2,))", lambda: Normal(NAN, 1.0)),
        (ValueError, "Input arguments must all be instances of Number", lambda: Normal([0.0], 1.0)),
        (ValueError, "Either `probs` or `logits` must be specified", lambda: Bernoulli(0.5, 0.5)),
        (ValueError, "Expected parameter probs (Tensor of shape ())", lambda: Bernoulli(1.5)),
        (
            ValueError,
            "The value argument to log_prob must be a Tensor",
            lambda: Categorical(PROBS).log_prob(1),
        ),
        (
            ValueError,
            "Expected value argument (Tensor of shape ()) to be within the support (IntegerInterval(lower_bound=0, "
            "upper_bound=2)) of the distribution Categorical(probs: torch.Size([3])), but found invalid values:\n3",
            lambda: Categorical(PROBS).log_prob(torch.tensor(3)),
        ),
        (
            ValueError,
            "Value is not broadcastable with batch_shape+event_shape: torch.Size([2]) vs torch.Size([3]).",
            lambda: Bernoulli(PROBS).log_prob(torch.zeros(2)),
        ),
        (ValueError, "Expected value argument", lambda: Bernoulli(0.5).log_prob(torch.tensor(0.5))),
        (ValueError, "the default must be True or False", lambda: Distribution.set_default_validate_args(2)),
        (NotImplementedError, "", lambda: Bernoulli(0.5).rsample()),
        (NotImplementedError, "", lambda: Normal(0.0, 1.0).enumerate_support()),
        (NotImplementedError, "", lambda: Categorical(PROBS).cdf(PROBS)),
        (NotImplementedError, "", lambda: Categorical(PROBS).icdf(PROBS)),
        (ValueError, "Cannot determine validity of dependent", lambda: constraints.dependent.check(PROBS)),
        (NotImplementedError, ".is_discrete cannot be", lambda: constraints.dependent.is_discrete),
        (NotImplementedError, ".event_dim cannot be", lambda: constraints.dependent_property().event_dim),
        (NotImplementedError, "", lambda: constraints.Constraint().check(PROBS)),
        (
            ValueError,
            "Expected value.dim() >= 1 but got 0",
            lambda: constraints.real_vector.check(torch.tensor(1.0)),
        ),
        (ValueError, "Expected value.dim() >= 1", lambda: constraints.real_vector.holds(torch.tensor(1.0))),
        (AssertionError, "base_constraint must be a Constraint", lambda: constraints.independent(1, 1)),
        (
            AssertionError,
            "reinterpreted_batch_ndims must be an int",
            lambda: constraints.independent(constraints.real, -1),
        ),
        (
            NotImplementedError,
            "No KL(p || q) is implemented for p type Normal and q type Categorical",
            lambda: kl_divergence(Normal(0.0, 1.0), Categorical(PROBS)),
        ),
        (
            NotImplementedError,
            "The cross KL-divergence between different exponential families cannot be computed",
            lambda: kl_divergence(Normal(0.0, 1.0), Bernoulli(0.5)),
        ),
        (TypeError, "Expected type_p to be a Distribution subclass but got", lambda: register_kl(3, Normal)),
        (TypeError, "Expected type_q to be a Distribution subclass but got", lambda: register_kl(Normal, 3)),
    ],
)
def test_wrong_calls_are_refused(kind, words, call):
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(words)


class Bare(Distribution):
    """A family that defines nothing."""


@pytest.mark.parametrize("name", ["mean", "variance", "stddev", "support", "arg_constraints", "mode"])
def test_a_family_that_defines_nothing_has_no_moments(name):
    with pytest.raises(NotImplementedError):
        getattr(Bare(validate_args=False), name)


@pytest.mark.parametrize("name", ["expand", "log_prob", "cdf", "icdf"])
def test_a_family_that_defines_nothing_has_no_methods(name):
    with pytest.raises(NotImplementedError):
        getattr(Bare(validate_args=False), name)(torch.ones(1))
    with pytest.raises(NotImplementedError):
        Bare(validate_args=False).entropy()


def test_a_family_without_regions_is_warned_about():
    with pytest.warns(UserWarning, match="does not define `arg_constraints`"):
        made = Bare()
    with pytest.warns(UserWarning, match="does not define `support`"):
        made._validate_sample(torch.ones(1))


class Shifted(Distribution):
    """A family with an event dimension and a parameter that is a property."""

    support = constraints.independent(constraints.positive, 1)

    def __init__(self, shift, validate_args=None):
        self.given = shift
        super().__init__((), (2,), validate_args)

    arg_constraints = {"shift": constraints.less_than(3.0), "other": constraints.dependent}  # noqa: RUF012

    @property
    def shift(self):
        return self.given

    @lazy_property
    def other(self):
        return self.given + 1


def test_a_parameter_may_be_a_property():
    with pytest.raises(ValueError, match=r"constraint LessThan\(upper_bound=3.0\)"):
        Shifted(torch.ones(2) * 4)
    made = Shifted(torch.ones(2))
    made._validate_sample(torch.ones(5, 2))
    for wrong in (torch.ones(3), torch.ones(())):
        with pytest.raises(ValueError, match="The right-most size of value must match event_shape"):
            made._validate_sample(wrong)
    with pytest.raises(ValueError, match="to be within the support"):
        made._validate_sample(-torch.ones(2))
    assert made._extended_shape((3,)) == (3, 2) and made.event_shape == (2,)
    assert made.other is made.other


def test_validation_can_be_switched_off():
    assert Normal(0.0, -1.0, validate_args=False).scale.item() == -1
    try:
        Distribution.set_default_validate_args(False)
        assert Normal(0.0, -1.0).scale.item() == -1
        with pytest.raises(ValueError, match="Expected parameter"):
            Normal(0.0, -1.0, validate_args=True)
    finally:
        Distribution.set_default_validate_args(True)


def test_sample_n_is_deprecated():
    with pytest.warns(FutureWarning, match="sample"):
        assert Normal(0.0, 1.0).sample_n(3).shape == (3,)


def test_a_subclass_with_its_own_init_must_expand_itself():
    class Wide(Normal):
        def __init__(self):
            super().__init__(0.0, 10.0)

    class Named(Normal):
        pass

    with pytest.raises(NotImplementedError, match=r"Subclass Wide of Normal that defines a custom __init__ method"):
        Wide().expand((2,))
    assert type(Named(0.0, 1.0).expand((2,))) is Named


def check(constraint, *values):
    return constraint.check(torch.tensor(values)).tolist()


def test_regions():
    inf = math.inf
    assert check(constraints.boolean, 0.0, 1.0, 0.5) == [True, True, False]
    assert check(constraints.real, 1.0, math.nan, inf) == [True, False, True]
    assert check(constraints.positive, 0.0, 1.0, math.nan) == [False, True, False]
    assert check(constraints.nonnegative, 0.0, -1.0) == [True, False]
    assert check(constraints.greater_than_eq(2), 2, 1) == [True, False]
    assert check(constraints.less_than(2.0), 2.0, 1.0) == [False, True]
    assert check(constraints.unit_interval, 0.0, 1.0, 1.5) == [True, True, False]
    assert check(constraints.half_open_interval(0, 1), 0.0, 1.0) == [True, False]
    assert check(constraints.integer_interval(1, 3), 1.0, 1.5, 4.0) == [True, False, False]
    assert check(constraints.nonnegative_integer, 0, -1) == [True, False]
    assert check(constraints.positive_integer, 0.0, 1.0) == [False, True]
    assert constraints.simplex.check(torch.tensor([[0.5, 0.5], [0.5, 0.6], [-1.0, 2.0]])).tolist() == [
        True,
        False,
        False,
    ]
    bounds = torch.tensor([0.0, 2.0]), torch.tensor([1.0, 3.0])
    assert check(constraints.interval(*bounds), 0.5, 0.5) == [True, False]
    assert constraints.real.check(torch.tensor(1.0)).shape == ()
    assert constraints.interval(0, 1).upper_bound == 1


def test_attributes_of_regions():
    pairs = constraints.independent(constraints.nonnegative_integer, 2)
    assert pairs.is_discrete and pairs.event_dim == 2 and constraints.real_vector.event_dim == 1
    assert repr(pairs) == "IndependentConstraint(IntegerGreaterThan(lower_bound=0), 2)"
    known = constraints.dependent(is_discrete=True, event_dim=1)
    assert known.is_discrete and known.event_dim == known(is_discrete=False).event_dim == 1
    assert Categorical.support.is_discrete and Categorical.support.event_dim == 0
    assert constraints.is_dependent(Categorical.support) and not constraints.is_dependent(constraints.real)


def test_a_region_of_ones_own_is_checked():
    class Even(constraints.Constraint):
        def check(self, value):
            return value % 2 == 0

    class Doubled(Distribution):
        arg_constraints = {"count": Even()}  # noqa: RUF012

        def __init__(self, count):
            self.count = count
            super().__init__()

    Doubled(torch.tensor([2, 4]))
    with pytest.raises(ValueError, match=r"to satisfy the constraint ven\(\)"):
        Doubled(torch.tensor([2, 3]))


class Exponential(ExponentialFamily):
    """A family that leaves entropy and divergence to its log-normalizer."""

    arg_constraints = {"rate": constraints.positive}  # noqa: RUF012
    _mean_carrier_measure = 0

    def __init__(self, rate):
        self.rate = rate
        super().__init__(rate.shape)

    @property
    def _natural_params(self):
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -(-x).log()


def test_exponential_families_have_entropy_and_divergence():
    one, other = Exponential(torch.tensor([0.5, 2.0])), Exponential(torch.tensor([1.0, 2.0]))
    assert one.entropy().allclose(1 - one.rate.log())
    assert kl_divergence(one, other).allclose((one.rate / other.rate).log() + other.rate / one.rate - 1)
    for family in (Normal(0.5, 2.0), Bernoulli(0.3)):
        assert ExponentialFamily.entropy(family).allclose(family.entropy())
    rate = torch.tensor([0.5, 2.0], requires_grad=True)
    (slope,) = torch.autograd.grad(Exponential(rate).entropy().sum(), rate)
    assert slope.allclose(-1 / rate)
    with torch.no_grad():
        assert Exponential(rate).entropy().allclose(1 - rate.log())
    plain = ExponentialFamily(validate_args=False)
    for name in ("_natural_params", "_mean_carrier_measure"):
        with pytest.raises(NotImplementedError):
            getattr(plain, name)
    with pytest.raises(NotImplementedError):
        plain._log_normalizer()


def test_divergences_are_looked_up_by_class():
    class Left(Normal):
        pass

    class Right(Left):
        pass

    register_kl(Left, Normal)(lambda p, q: "left")
    register_kl(Normal, Left)(lambda p, q: "right")
    assert kl_divergence(Right(0.0, 1.0), Normal(0.0, 1.0)) == "left"
    assert kl_divergence(Normal(0.0, 1.0), Right(0.0, 1.0)) == "right"
    with pytest.warns(
        RuntimeWarning, match=r"Ambiguous kl_divergence\(Right, Left\). Please register_kl\(Left, Left\)"
    ):
        assert kl_divergence(Right(0.0, 1.0), Left(0.0, 1.0)) == "left"
    register_kl(Left, Left)(lambda p, q: "both")
    assert kl_divergence(Right(0.0, 1.0), Left(0.0, 1.0)) == "both"


def test_utilities():
    one, other = broadcast_all(1, torch.zeros(2, dtype=torch.float64))
    assert one.tolist() == [1, 1] and one.dtype is other.dtype is torch.float64
    probs = torch.tensor([0.0, 0.25, 1.0])
    assert logits_to_probs(probs_to_logits(probs, is_binary=True), is_binary=True).allclose(probs, atol=1e-6)
    assert logits_to_probs(probs_to_logits(PROBS)).allclose(PROBS)
    assert isinstance(Categorical.__dict__["probs"], lazy_property) and Categorical.probs.name == "probs"


def test_a_formula_may_be_registered_for_any_two_classes():
    class Other:
        """No Distribution at all, as in a public package."""

    register_kl(Normal, Other)(lambda p, q: "found")
    assert kl_divergence(Normal(0.0, 1.0), Other()) == "found"
