"""Transforms remember their last pair: exactly while it holds, and not a moment longer."""

import copy
import gc
import threading
import weakref

import numpy as np
import pytest

import rushlight as torch
from rushlight.distributions import Independent, Normal, TransformedDistribution
from rushlight.distributions.transforms import (
    AffineTransform,
    CatTransform,
    ComposeTransform,
    ExpTransform,
    IndependentTransform,
    StackTransform,
    TanhTransform,
)
from tests.distributions.transform_table import OURS, ROWS, given, make


def saturated(requires_grad=False):
    return torch.tensor([10.0, -12.0, 20.0], requires_grad=requires_grad)


@pytest.mark.parametrize("name", [*ROWS, *OURS])
def test_the_last_pair_is_remembered_by_default_in_both_directions(name):
    transform = make(torch, name)
    x = torch.tensor(given(name))
    y = transform(x)
    back = transform.inv(y)
    assert back is x or not transform.bijective
    numeric = transform.with_cache(0)
    y = numeric(x)
    assert numeric.inv(y) is not x or name == "identity_transform"
    x = transform.inv(y)
    assert transform(x) is y or not transform.bijective


def test_a_saturated_value_comes_back():
    tanh = TanhTransform()
    x = saturated()
    y = tanh(x)
    assert y.tolist() == [1, -1, 1] and tanh.inv(y) is x
    assert tanh.with_cache(0).inv(y).isinf().all()


def test_another_tensor_is_another_value():
    tanh = TanhTransform()
    y = tanh(saturated())
    for other in (y.clone(), y.detach(), y.expand(2, 3), y[:], y + 0):
        assert tanh.inv(other).isinf().all()
    assert tanh.inv(y).tolist() == [10, -12, 20]


@pytest.mark.parametrize("which", ["x", "y"])
def test_a_change_in_place_ends_it(which):
    exp = ExpTransform()
    x = torch.tensor([1.0, 2.0])
    y = exp(x)
    {"x": x, "y": y}[which].mul_(3)
    assert exp.inv(y).allclose(y.log())


def test_a_change_through_a_view_ends_it():
    exp = ExpTransform()
    x = torch.tensor([1.0, 2.0])
    y = exp(x)
    y[0] = 5.0
    assert exp.inv(y).allclose(y.log())


def test_a_change_of_a_parameter_ends_it():
    scale = torch.nn.Parameter(torch.tensor(2.0))
    stretch = AffineTransform(0.0, scale)
    whole = CatTransform([IndependentTransform(ComposeTransform([AffineTransform(0.0, scale)]), 1)], lengths=[3])
    x = torch.ones(3)
    y, z = stretch(x), whole(x)
    # recorded, the inverse is computed: the scale wants its gradient
    assert stretch.inv(y) is not x
    with torch.no_grad():
        y, z = stretch(x), whole(x)
        assert stretch.inv(y) is x and whole.inv(z) is x
    y, z = stretch(x), whole(x)
    optimizer = torch.optim.SGD([scale], lr=1.0)
    y.sum().backward()
    optimizer.step()
    assert scale.item() == -1 and stretch.inv(y).tolist() == [-2, -2, -2] == whole.inv(z).tolist()
    y = stretch(x)
    stretch.scale = torch.tensor(4.0)
    assert stretch.inv(y).tolist() == [-0.25] * 3


def test_values_that_ask_for_their_own_gradient_get_it():
    """A sample has no history; the density at it does depend on it."""
    policy = TransformedDistribution(Normal(torch.zeros(3), torch.ones(3)), TanhTransform())
    y = policy.sample()
    assert not policy.log_prob(y).requires_grad
    y.requires_grad_()
    policy.log_prob(y).sum().backward()
    normal = y.detach().atanh()
    expected = (-normal + 2 * y.detach()) / (1 - y.detach() ** 2)
    assert y.grad.allclose(expected, 1e-3)


def test_a_cut_history_stays_cut():
    exp = ExpTransform()
    x = torch.tensor([1.0], requires_grad=True)
    y = exp(x)
    assert exp.inv(y) is x
    y = exp(x)
    y.detach_()
    assert not exp.inv(y).requires_grad
    with torch.no_grad():
        y = exp(x)
    back = exp.inv(y)
    assert back.equal(x) and not back.requires_grad


def test_gradients_go_through_what_is_remembered():
    tanh = TanhTransform()
    x = saturated(requires_grad=True)
    y = tanh(x)
    tanh.inv(y).sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_no_graph_is_kept_alive():
    tanh = TanhTransform()
    start = torch.ones(3, requires_grad=True)
    x = start * 2
    node, tensor = weakref.ref(x.grad_fn), weakref.ref(x)
    y = tanh(x)
    del x
    gc.collect()
    assert tensor() is not None and tanh.inv(y).tolist() == [2, 2, 2]
    del y
    gc.collect()
    assert tensor() is None and node() is None
    # one that was made without a history does not hold that of its source
    x = start * 2
    node = weakref.ref(x.grad_fn)
    with torch.no_grad():
        y = tanh(x)
    del x
    gc.collect()
    assert node() is None and tanh.inv(y).tolist() == [2, 2, 2]


def test_nothing_is_left_to_the_collector():
    """A policy that is made in each step frees its memory at once, by counting references."""
    gc.collect()
    gc.disable()
    try:
        loc = torch.zeros(3, requires_grad=True)
        policy = Independent(TransformedDistribution(Normal(loc, torch.ones(3)), [TanhTransform(), ExpTransform()]), 1)
        y = policy.rsample()
        policy.log_prob(y).backward()
        transforms = [weakref.ref(each) for each in policy.base_dist.transforms]
        value = weakref.ref(y)
        del policy, y
        assert value() is None and [each() for each in transforms] == [None, None]
    finally:
        gc.enable()


NESTS = {
    "a list": lambda: [TanhTransform(), AffineTransform(1.0, torch.tensor(2.0))],
    "a composition": lambda: ComposeTransform([TanhTransform(), ComposeTransform([AffineTransform(1.0, 2.0)])]),
    "independent ones": lambda: IndependentTransform(ComposeTransform([TanhTransform(), ExpTransform()]), 1),
    "parts": lambda: CatTransform([TanhTransform(), TanhTransform()], dim=-1, lengths=[1, 2]),
    "a stack": lambda: StackTransform([TanhTransform()] * 3, dim=-1),
    "an inverse": lambda: [ComposeTransform([ExpTransform().inv, TanhTransform().inv]).inv, ExpTransform()],
}


@pytest.mark.parametrize("nest", NESTS)
@pytest.mark.parametrize("expanded", [False, True])
def test_nests_remember(nest, expanded):
    policy = TransformedDistribution(Normal(saturated(), torch.ones(3)), NESTS[nest]())
    if not policy.event_shape:
        policy = Independent(policy, 1)
    if expanded:
        policy = policy.expand((4,))
    assert policy.log_prob(policy.rsample()).isfinite().all()
    assert policy.log_prob(policy.sample((2,))).isfinite().all()


def test_a_composition_looks_its_values_up():
    counted = []

    class Counting(TanhTransform):
        def _call(self, x):
            counted.append(x)
            return super()._call(x)

    whole = ComposeTransform([Counting(), AffineTransform(1.0, 2.0)])
    x = saturated()
    y = whole(x)
    assert whole.inv(y) is x and whole.log_abs_det_jacobian(x, y).isfinite().all() and len(counted) == 1
    # of other tensors they are computed again
    assert whole.log_abs_det_jacobian(x.clone(), y).isfinite().all() and len(counted) == 2


def test_settings_of_nests_go_to_their_parts():
    for nest in (ComposeTransform([TanhTransform()]), IndependentTransform(TanhTransform(), 1)):
        y = nest.with_cache(0)(saturated())
        assert nest.with_cache(0).inv(y).isinf().all()
    off = TanhTransform(cache_size=0)
    assert ComposeTransform([off]).parts[0] is off
    on = ComposeTransform([off], cache_size=1)
    y = on(saturated())
    assert on.inv(y).isfinite().all() and on.with_cache(1).parts == on.parts
    assert off.with_cache().inv.with_cache(0)._cache_size == 0


def test_each_thread_has_its_own_last_pair():
    tanh = TanhTransform()
    wrong = []
    start = threading.Barrier(4)

    def work(seed):
        numbers = np.random.RandomState(seed)
        start.wait()
        for _ in range(300):
            x = torch.tensor(numbers.uniform(20, 30, 3))
            y = tanh(x)
            if tanh.inv(y) is not x:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_what_one_thread_drew_another_can_weigh():
    policy = TransformedDistribution(Normal(saturated(), torch.ones(3)), TanhTransform())
    drawn = []
    thread = threading.Thread(target=lambda: drawn.append(policy.sample()))
    thread.start()
    thread.join()
    # a sample of another thread does not push it out
    assert policy.log_prob(policy.sample()).isfinite().all()
    assert policy.log_prob(drawn[0]).isfinite().all()


@pytest.mark.parametrize(
    "make",
    [
        lambda **options: TanhTransform(**options),
        lambda **options: AffineTransform(1.0, 2.0, **options),
        lambda **options: ComposeTransform([TanhTransform(), AffineTransform(0.0, 3.0)], **options),
        lambda **options: IndependentTransform(TanhTransform(), 1, **options),
        lambda **options: StackTransform([TanhTransform(), TanhTransform()], dim=-1, **options),
    ],
)
def test_a_transform_remembers_as_much_as_it_is_told(make):
    x = torch.tensor([0.5, 0.25])
    for off in (make(cache_size=0), make().with_cache(0)):
        y = off(x)
        assert off._cache_size == 0
        assert off(x) is not y
        assert off.inv(y) is not x
        assert off.inv(y) is not off.inv(y)
    for on in (make(cache_size=1), make().with_cache(), copy.deepcopy(make(cache_size=1))):
        y = on(x)
        assert on._cache_size == 1
        assert on(x) is y
        assert on.inv(y) is x
        other = y.clone()
        found = on.inv(other)
        assert on.inv(other) is found
        y.add_(1)
        assert on(x) is not y
    plain = copy.deepcopy(make())
    y = plain(x)
    assert plain._cache_size == 0
    assert plain.inv(y) is x
    assert plain(x) is not y


def test_parts_that_were_told_to_remember_go_on():
    x = torch.tensor([0.5])
    part = TanhTransform(cache_size=1)
    both = ComposeTransform([part], cache_size=0)
    assert both(x) is both(x)
    # the base of an IndependentTransform does not
    assert IndependentTransform(part, 1).base_transform(x) is not IndependentTransform(part, 1).base_transform(x)
    alone = IndependentTransform(part, 1)
    assert alone(x) is not alone(x)


def test_a_parameter_that_learns_gets_its_gradient_from_samples():
    loc, scale = torch.tensor(0.5, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    made = TransformedDistribution(Normal(0.0, 1.0), [AffineTransform(loc, scale)])
    value = made.sample((3,))
    slopes = torch.autograd.grad(made.log_prob(value).sum(), [loc, scale])
    normal = torch.autograd.grad(Normal(loc, scale).log_prob(value).sum(), [loc, scale])
    for slope, expected in zip(slopes, normal, strict=True):
        assert slope.item() == pytest.approx(expected.item(), rel=1e-5)
    # along a sample that follows the parameters, the density depends on the scale alone
    slopes = torch.autograd.grad(made.log_prob(made.rsample((3,))).sum(), [loc, scale])
    assert [slope.item() for slope in slopes] == pytest.approx([0, -1.5], abs=1e-5)
    weibull = torch.distributions.Weibull(scale, loc)
    (slope,) = torch.autograd.grad(weibull.cdf(weibull.sample((3,))).sum(), scale)
    assert slope.item() < 0


def test_numbers_go_through_a_transform():
    assert torch.distributions.Weibull(2.0, torch.tensor([0.5, 2.0])).cdf(1.0).tolist() == pytest.approx(
        [0.5069, 0.2212], abs=1e-4
    )


def test_angles_have_the_dtype_of_their_direction():
    made = torch.distributions.VonMises(torch.tensor([0.5]), torch.tensor([2.0], dtype=torch.float64))
    assert made.sample().dtype is torch.float32
