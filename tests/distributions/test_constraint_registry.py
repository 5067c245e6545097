"""Every region has a way into it: `transform_to`, and `biject_to` where there is one."""

import pytest

import rushlight as torch
from rushlight.distributions import biject_to, constraints, transform_to
from rushlight.distributions.constraint_registry import ConstraintRegistry
from rushlight.distributions.transforms import ComposeTransform, ExpTransform, SigmoidTransform

# each with the shape of the unbounded numbers
REGIONS = {
    "real": (constraints.real, (3, 4)),
    "real_vector": (constraints.real_vector, (3, 4)),
    "positive": (constraints.positive, (3, 4)),
    "nonnegative": (constraints.nonnegative, (3, 4)),
    "greater_than": (constraints.greater_than(torch.tensor([-1.0, 0.0, 2.0, 5.0])), (3, 4)),
    "greater_than_eq": (constraints.greater_than_eq(-2), (3, 4)),
    "less_than": (constraints.less_than(-1.5), (3, 4)),
    "unit_interval": (constraints.unit_interval, (3, 4)),
    "interval": (constraints.interval(torch.tensor(-3.0), 4.0), (3, 4)),
    "half_open_interval": (constraints.half_open_interval(-3, 1), (3, 4)),
    "simplex": (constraints.simplex, (3, 4)),
    "lower_cholesky": (constraints.lower_cholesky, (2, 3, 3)),
    "positive_definite": (constraints.positive_definite, (2, 3, 3)),
    "positive_semidefinite": (constraints.positive_semidefinite, (2, 3, 3)),
    "corr_cholesky": (constraints.corr_cholesky, (2, 6)),
    "independent": (constraints.independent(constraints.positive, 1), (3, 4)),
    "cat": (constraints.cat([constraints.positive, constraints.unit_interval], -1, [1, 3]), (3, 4)),
    "stack": (constraints.stack([constraints.positive, constraints.real, constraints.less_than(0.0)], 0), (3, 4)),
}


@pytest.mark.parametrize("registry", [biject_to, transform_to], ids=["biject_to", "transform_to"])
@pytest.mark.parametrize("name", REGIONS)
def test_numbers_lead_into_the_region_and_back(name, registry):
    region, shape = REGIONS[name]
    torch.manual_seed(0)
    x = torch.randn(shape, dtype=torch.float64)
    if registry is biject_to and name in ("lower_cholesky", "positive_definite", "positive_semidefinite"):
        with pytest.raises(NotImplementedError, match=f"^Cannot transform {type(region).__name__} constraints"):
            registry(region)
        return
    transform = registry(region)
    y = transform(x)
    assert region.check(y).all()
    numeric = transform.with_cache(0)
    assert numeric(numeric.inv(y)).allclose(y)
    if registry is biject_to:
        assert transform.bijective and numeric.inv(y).allclose(x)
        assert transform.log_abs_det_jacobian(x, y).isfinite().all()
        assert transform.inv(y) is x


@pytest.mark.parametrize("name", ["boolean", "nonnegative_integer", "lower_triangular", "dependent"])
def test_some_regions_have_no_way(name):
    for registry in (biject_to, transform_to):
        with pytest.raises(NotImplementedError, match="Cannot transform"):
            registry(getattr(constraints, name))


def test_simple_regions_have_simple_transforms():
    assert transform_to(constraints.positive) == ExpTransform()
    assert transform_to(constraints.unit_interval) == SigmoidTransform()
    assert isinstance(transform_to(constraints.interval(0, 2)), ComposeTransform)


def test_a_registry_of_ones_own():
    class Even(constraints.Constraint):
        pass

    registry = ConstraintRegistry()

    @registry.register(Even)
    def to_even(constraint):
        return ExpTransform()

    assert registry(Even()) == ExpTransform()
    registry.register(Even(), lambda constraint: SigmoidTransform())
    assert registry(Even()) == SigmoidTransform()
    for wrong in (3, int):
        with pytest.raises(TypeError, match="Expected constraint to be either a Constraint subclass or instance"):
            registry.register(wrong, to_even)


def test_parameters_can_be_fitted_without_bounds():
    torch.manual_seed(0)
    data = torch.distributions.Gamma(torch.tensor(3.0), torch.tensor(2.0)).sample((500,))
    free = [torch.zeros((), requires_grad=True) for _ in range(2)]
    optimizer = torch.optim.Adam(free, lr=0.05)
    regions = torch.distributions.Gamma.arg_constraints
    for _ in range(200):
        optimizer.zero_grad()
        shape, rate = [transform_to(regions[name])(each) for name, each in zip(regions, free, strict=True)]
        (-torch.distributions.Gamma(shape, rate).log_prob(data).mean()).backward()
        optimizer.step()
    assert abs(shape.item() - 3) < 0.6 and abs(rate.item() - 2) < 0.5
