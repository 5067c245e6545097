"""The course handout: least squares in its stages, and scaled gradients with stop-gradient."""

import numpy as np
import pytest

import rushlight as torch

N = 50


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    xs = np.linspace(-1, 2, N)
    return xs, 1.7 * xs - 0.4 + 0.1 * random.normal(size=N)


def exact(xs, ys):
    """The pseudoinverse's solution in NumPy."""
    return np.linalg.pinv(np.stack([xs, np.ones_like(xs)], 1)) @ ys


def test_stage_numpy_by_hand(data):
    xs, ys = data
    a, b = 0.3, -0.2
    for _ in range(2000):
        dlda = np.mean(2 * xs**2 * a + 2 * b * xs - 2 * xs * ys)
        dldb = np.mean(2 * xs * a + 2 * b - 2 * ys)
        a, b = a - 0.05 * dlda, b - 0.05 * dldb
    np.testing.assert_allclose([a, b], exact(xs, ys), atol=1e-6)


def test_pseudoinverse_in_tensors(data):
    xs, ys = (torch.from_numpy(each) for each in data)
    matrix = torch.stack([xs, torch.ones(N, dtype=torch.float64)], 1)
    solution = torch.pinverse(matrix) @ ys
    np.testing.assert_allclose(solution.numpy(), exact(*data), rtol=1e-10)
    np.testing.assert_allclose((torch.linalg.pinv(matrix) @ ys).numpy(), exact(*data), rtol=1e-10)


def test_names_that_carry_over():
    assert torch.linspace(0, 1, 5).tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert torch.ones((2, 3)).shape == (2, 3)
    assert torch.randn(2, 3).shape == (2, 3)
    assert torch.from_numpy(np.ones(3)).dtype is torch.float64
    assert torch.mean(torch.ones(4)).item() == 1.0


def test_stage_tensors_by_hand(data):
    xs, ys = (torch.from_numpy(each).float() for each in data)
    torch.manual_seed(1)
    a, b = torch.randn(1), torch.randn(1)
    for _ in range(2000):
        dlda = torch.mean(2 * xs**2 * a + 2 * b * xs - 2 * xs * ys)
        dldb = torch.mean(2 * xs * a + 2 * b - 2 * ys)
        a = a - 0.05 * dlda
        b = b - 0.05 * dldb
    np.testing.assert_allclose([a.item(), b.item()], exact(*data), atol=1e-5)


def test_stage_autograd(data):
    xs, ys = (torch.from_numpy(each).float() for each in data)
    torch.manual_seed(1)
    a = torch.randn(1, requires_grad=True)
    b = torch.randn(1, requires_grad=True)
    for step in range(2000):
        loss = torch.mean((ys - a * xs - b) ** 2)
        loss.backward()
        if step == 0:
            by_hand = torch.mean(2 * xs**2 * a + 2 * b * xs - 2 * xs * ys)
            assert a.grad.item() == pytest.approx(by_hand.item(), rel=1e-4)
        a.data = a - 0.05 * a.grad
        b.data = b - 0.05 * b.grad
        a.grad[:] = 0
        b.grad[:] = 0
    np.testing.assert_allclose([a.item(), b.item()], exact(*data), atol=1e-5)
    with pytest.raises(RuntimeError, match="Can't call numpy\\(\\) on Tensor that requires grad"):
        (a * xs + b).numpy()
    with torch.no_grad():
        inside = (a * xs + b).numpy()
    np.testing.assert_array_equal(inside, (a * xs + b).detach().numpy())


@pytest.mark.parametrize(
    ("name", "options", "steps"),
    [
        ("SGD", {"lr": 0.05}, 2000),
        ("RMSprop", {"lr": 0.005}, 2000),
        ("Adagrad", {"lr": 0.5}, 2000),
        ("Adam", {"lr": 0.02}, 2000),
    ],
)
def test_stage_optimizer(data, name, options, steps):
    xs, ys = (torch.from_numpy(each).float() for each in data)
    torch.manual_seed(1)
    a = torch.randn(1, requires_grad=True)
    b = torch.randn(1, requires_grad=True)
    optimizer = getattr(torch.optim, name)([a, b], **options)
    for _ in range(steps):
        loss = torch.mean((ys - a * xs - b) ** 2)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    np.testing.assert_allclose([a.item(), b.item()], exact(*data), atol=5e-3)


@pytest.mark.parametrize(("name", "lr"), [("SGD", 0.2), ("RMSprop", 0.05), ("Adagrad", 0.5), ("Adam", 0.05)])
def test_with_a_falling_rate_every_optimizer_ends_at_the_solution(data, name, lr):
    xs, ys = (torch.from_numpy(each) for each in data)
    torch.manual_seed(1)
    a = torch.randn(1, dtype=torch.float64, requires_grad=True)
    b = torch.randn(1, dtype=torch.float64, requires_grad=True)
    optimizer = getattr(torch.optim, name)([a, b], lr=lr)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.99)
    for _ in range(1500):
        loss = torch.mean((ys - a * xs - b) ** 2)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        scheduler.step()
    np.testing.assert_allclose([a.item(), b.item()], exact(*data), atol=1e-6)


def test_scaling_by_a_function_without_parameters():
    theta = torch.tensor([0.5, -1.0], requires_grad=True)
    x = torch.linspace(0, 1, 4)
    f_values = theta[0] * x + theta[1]
    g_values = x**2
    torch.sum(g_values * f_values).backward()
    weights = x.numpy() ** 2
    np.testing.assert_allclose(theta.grad.numpy(), [(weights * x.numpy()).sum(), weights.sum()], rtol=1e-6)


def test_stop_gradient_against_the_whole_product():
    theta = torch.tensor([0.5, -1.0], requires_grad=True)
    x = torch.linspace(0, 1, 4)
    points = x.numpy()

    def values():
        return theta[0] * x + theta[1], torch.exp(theta[0] * x)

    f_values, g_values = values()
    torch.sum(g_values.detach() * f_values).backward()
    stopped, theta.grad = theta.grad.numpy().copy(), None
    f_values, g_values = values()
    torch.sum(g_values * f_values).backward()
    whole = theta.grad.numpy()

    f, g = 0.5 * points - 1.0, np.exp(0.5 * points)
    np.testing.assert_allclose(stopped, [(g * points).sum(), g.sum()], rtol=1e-5)
    np.testing.assert_allclose(whole, [(g * points + f * g * points).sum(), g.sum()], rtol=1e-5)
    assert abs(stopped[0] - whole[0]) > 0.1
