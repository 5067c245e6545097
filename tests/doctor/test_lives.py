"""Lives: learning rates, gradients that are cleared, and where parameters went."""

import copy
import weakref

import rushlight as torch
from rushlight import doctor
from rushlight.doctor.lives import CLEAN, FRESH, TAINTED, USED, Rates
from rushlight.nn import Linear


class Steps:
    """An optimizer as far as its rates go."""

    def __init__(self, *rates):
        self.param_groups = [{"lr": each} for each in rates]


def rates_of(*values):
    rates = Rates()
    for step, value in enumerate(values, 1):
        rates.note(Steps(*value) if isinstance(value, tuple) else Steps(value), step)
    return rates


def test_rates_know_the_longest_row_of_nothing():
    rates = rates_of(0.1, 0.0, 0.1, 1e-9, 1e-9, 0.0, 0.1, 0.0)
    assert (rates.longest, rates.start, rates.largest) == (3, 4, 0.1)


def test_rates_that_grow_from_nothing_have_not_vanished():
    assert rates_of(1e-9, 1e-6, 1e-3, 1.0).longest == 0


def test_the_largest_group_counts():
    assert rates_of((0.0, 0.1), (0.1, 0.0)).longest == 0


def test_the_states_of_a_gradient():
    with doctor.watch() as watch:
        layer = Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        life = watch.lives.of_parameter(layer.weight)
        seen = [life.gradient]

        def backward():
            layer(torch.ones(3, 2)).sum().backward()
            seen.append(life.gradient)

        backward()
        optimizer.step()
        seen.append(life.gradient)
        backward()
        layer.weight.grad.data.zero_()
        backward()
        del layer.weight.grad
        seen.append(life.gradient)
    assert seen == [CLEAN, FRESH, USED, TAINTED, FRESH, CLEAN]


def test_the_copy_of_a_trained_parameter_counts_as_loaded():
    with doctor.watch() as watch:
        layer = Linear(2, 1)
        fresh = copy.deepcopy(layer)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        layer(torch.ones(3, 2)).sum().backward()
        optimizer.step()
        trained = copy.deepcopy(layer)
        lives = [watch.lives.of_parameter(each.weight) for each in (fresh, trained)]
    assert [each.was_loaded for each in lives] == [False, True]


def test_a_parameter_that_was_replaced_is_an_orphan():
    with doctor.watch() as watch:
        layer = Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        old = layer.weight
        layer.weight = torch.nn.Parameter(torch.zeros(1, 2))
        orphans = watch.lives.orphans(optimizer.param_groups[0]["params"])
    assert len(orphans) == 1 and orphans[0] is old


def test_a_module_is_made_where_its_class_is_called():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Linear(2, 1)

    with doctor.watch() as watch:
        net = Net()
        place = watch.lives.of_module(net).place
    assert place[0].co_name == "test_a_module_is_made_where_its_class_is_called"


def test_a_backward_keeps_no_graph_alive_after_its_step():
    with doctor.watch():
        layer = Linear(2, 1)
        optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
        loss = layer(torch.ones(3, 2)).sum()
        node = weakref.ref(loss.grad_fn)
        loss.backward()
        optimizer.step()
        del loss
        assert node() is None
