"""Steps with `differentiable=True` have torch's gradients."""

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")

OPTIONS = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.3, "maximize": True}),
    ("Adam", {"lr": 0.1}),
    ("Adam", {"lr": 0.1, "weight_decay": 0.2, "betas": (0.5, 0.9)}),
    ("AdamW", {"lr": 0.1, "weight_decay": 0.2}),
    ("RMSprop", {"lr": 0.1, "momentum": 0.5}),
    ("RMSprop", {"lr": 0.1, "alpha": 0.9, "weight_decay": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}),
    ("NAdam", {"lr": 0.1, "momentum_decay": 0.1, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.1, "betas": (0.5, 0.5), "weight_decay": 0.1}),
    ("Adadelta", {"rho": 0.5, "weight_decay": 0.1}),
    ("ASGD", {"lr": 0.1, "t0": 1, "lambd": 0.1}),
]


def through_steps(library, method, options, dtype, rate=None):
    """Gradients, for the start and the target, of a loss after three steps towards the target."""
    random = np.random.RandomState(1)
    start, target = (
        library.tensor((random.randn(3) + 1j * random.randn(3) * ("complex" in dtype)).tolist()) for _ in range(2)
    )
    start, target = (
        (each if "complex" in dtype else each.real).to(getattr(library, dtype)).detach().requires_grad_()
        for each in (start, target)
    )
    if rate is not None:
        rate = library.tensor(rate, dtype=library.float64, requires_grad=True)
        options = {**options, "lr": rate}
    param = start.clone()
    optimizer = getattr(library.optim, method)([param], differentiable=True, **options)
    for _ in range(3):
        loss = ((param - target).abs() ** 4).sum()
        (param.grad,) = library.autograd.grad(loss, param, create_graph=True)
        optimizer.step()
    wanted = [start, target] + ([] if rate is None else [rate])
    return [param, *library.autograd.grad((param.abs() ** 3).sum(), wanted)]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize(("method", "options"), OPTIONS, ids=[f"{m}-{o}" for m, o in OPTIONS])
def test_gradients_through_steps(method, options, dtype):
    ours, theirs = (through_steps(each, method, options, dtype) for each in (rushlight, torch))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize("method", ["SGD", "Adam", "AdamW", "RAdam"])
def test_gradients_for_the_learning_rate(method):
    ours, theirs = (through_steps(each, method, {}, "float64", rate=0.1) for each in (rushlight, torch))
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one.detach().numpy(), other.detach().numpy(), 1e-4, 1e-5)


@pytest.mark.parametrize(
    ("method", "options"),
    [
        ("SGD", {"momentum": 0.9, "nesterov": True}),
        ("Adam", {"amsgrad": True}),
        ("RMSprop", {"centered": True, "momentum": 0.5}),
        ("Adamax", {"weight_decay": 0.1}),
        ("Rprop", {}),
    ],
)
def test_gradients_that_torch_lacks_are_those_of_differences(method, options):
    """torch overwrites what its backward needs here, or, for SGD's first momentum, cuts the history."""

    def after(start):
        param, optimizer = start.clone(), None
        for _ in range(3):
            if optimizer is None:
                optimizer = getattr(rushlight.optim, method)([param], lr=0.1, differentiable=True, **options)
            loss = ((param - 1) ** 4).sum()
            (param.grad,) = rushlight.autograd.grad(loss, param, create_graph=True)
            optimizer.step()
        return param

    start = rushlight.tensor([0.3, -0.4], dtype=rushlight.float64, requires_grad=True)
    assert rushlight.autograd.gradcheck(after, (start,))


def test_a_leaf_cannot_move_in_a_recorded_step():
    for library in (rushlight, torch):
        param = library.ones(2, requires_grad=True)
        optimizer = library.optim.SGD([param], differentiable=True)
        param.grad = library.ones(2)
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place"):
            optimizer.step()
