"""Pitfalls that well-known texts describe: each wrong program is told its line and repair, each right one nothing."""

import re

import pytest

from rushlight.core.settings.state import state
from tests.doctor.scripts import expected, watch_script


def findings_of(tmp_path, program):
    path = tmp_path / "program.py"
    path.write_text(program)
    watch = watch_script(path)
    return path, watch


def told(tmp_path, program):
    """The one finding of a program, on the line that its comment names."""
    path, watch = findings_of(tmp_path, program)
    assert {(each.id, each.line) for each in watch.findings} == expected(path)
    (finding,) = watch.findings
    return finding


def silent(tmp_path, program):
    _, watch = findings_of(tmp_path, program)
    assert watch.error is None
    assert [(each.id, each.line, each.message) for each in watch.findings] == []


# "never create a tensor from a container of tensors": an n-step actor-critic that keeps what the critic said
CRITIC = """
from collections import namedtuple

import numpy as np
import torch
from torch import nn

Trajectory = namedtuple("Trajectory", ["obs", "reward", "value_s"])
torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)


def collect(length=5):
    obs = [torch.randn(3) for _ in range(length)]
    return Trajectory(obs, [float(each.sum()) for each in obs], tuple(critic(each).squeeze() for each in obs))


def compute_n_step_returns(rewards, next_state, done, gamma):
    following = 0.0 if done else critic(next_state).item()
    targets = []
    for reward in reversed(rewards):
        following = reward + gamma * following
        targets.insert(0, following)
    return tuple(targets)


for _ in range(4):
    n_step_trajectory = collect()
    td_targets = compute_n_step_returns(n_step_trajectory.reward, torch.randn(3), False, 0.99)
    critic_predicted_values = n_step_trajectory.value_s
{error}
    optimizer.zero_grad()
    td_error.backward()
    optimizer.step()
"""

COPIES = {
    "    td_error = (torch.tensor(td_targets) - torch.tensor(critic_predicted_values)).pow(2).mean()": "rebuilt",
    "    td_error = torch.tensor(td_targets) - torch.tensor(critic_predicted_values, requires_grad=True)\n"
    "    td_error = td_error.pow(2).mean()": "rewrapped",
    "    td_error = nn.functional.mse_loss(torch.tensor(critic_predicted_values), torch.tensor(td_targets))": "rebuilt",
    "    values = torch.tensor(critic_predicted_values, requires_grad=True)\n"
    "    td_error = torch.nn.functional.mse_loss(values, torch.tensor(td_targets))": "rewrapped",
}


@pytest.mark.parametrize("error", COPIES)
def test_a_tensor_of_a_container_of_values_is_told_to_stack_them(tmp_path, error):
    first, *rest = error.split("\n")
    marked = "\n".join([f"{first}  # finding: history-{COPIES[error]}", *rest])
    finding = told(tmp_path, CRITIC.format(error=marked))
    assert "torch.stack(critic_predicted_values)" in finding.fix
    assert finding.parameters == ["critic.0.weight", "critic.0.bias", "critic.2.weight", "critic.2.bias"]


@pytest.mark.parametrize(
    "error",
    [
        "    pairs = zip(td_targets, critic_predicted_values)\n"
        "    td_error = [(target - prediction).pow(2) for target, prediction in pairs]\n"
        "    td_error = np.mean(td_error)",
        "    td_error = [torch.nn.functional.mse_loss(prediction, torch.tensor(target))\n"
        "                for prediction, target in zip(critic_predicted_values, td_targets)]\n"
        "    td_error = torch.stack(td_error).mean()",
    ],
)
def test_lists_of_errors_that_keep_their_history_are_left_alone(tmp_path, error):
    silent(tmp_path, CRITIC.format(error=error))


@pytest.mark.parametrize(
    "error",
    [
        "    td_error = td_targets - critic_predicted_values",
        "    td_error = torch.nn.functional.mse_loss(critic_predicted_values, td_targets)",
    ],
)
def test_an_error_that_says_enough_is_no_finding(tmp_path, error):
    _, watch = findings_of(tmp_path, CRITIC.format(error=error))
    assert isinstance(watch.error, TypeError)
    assert watch.findings == []


# "gradient calculations with PyTorch": least squares by hand, then with an optimizer
REGRESSOR = """
import torch


class GradientRegressor:
    def __init__(self, lr=0.1):
        self.lr = lr

    def fit(self, xs, ys, epochs=6):
        self.a = torch.randn(1, requires_grad=True)
        self.b = torch.randn(1, requires_grad=True)
        optimizer = torch.optim.SGD([self.a, self.b], lr=self.lr)
        for _ in range(epochs):
            loss = torch.mean((ys - self.a * xs - self.b) ** 2)
            loss.backward()
{update}

    def eval(self, xs):
        return self.a * xs + self.b


torch.manual_seed(0)
xs = torch.linspace(0, 1, 30)
regressor = GradientRegressor()
regressor.fit(xs, 2 * xs + 1)
with torch.no_grad():
    ys_grad = regressor.eval(xs).numpy()
ys_grad = regressor.eval(xs).detach().numpy()
"""


@pytest.mark.parametrize(
    "update",
    [
        "            self.a.data = self.a - self.lr * self.a.grad\n"
        "            self.b.data = self.b - self.lr * self.b.grad\n"
        "            self.a.grad[:] = 0\n"
        "            self.b.grad[:] = 0",
        "            optimizer.step()\n            optimizer.zero_grad()",
    ],
)
def test_the_updates_of_the_handout_are_left_alone(tmp_path, update):
    silent(tmp_path, REGRESSOR.format(update=update))


def test_an_update_without_data_is_told_to_write_in_place(tmp_path):
    update = "            self.a = self.a - self.lr * self.a.grad  # finding: param-rebound"
    finding = told(tmp_path, REGRESSOR.format(update=update))
    assert "with torch.no_grad(): self.a -= lr * self.a.grad" in finding.fix


# the handout's stop-gradient: g scales the gradient of f, and both come from one network or from two
SCALED = """
import torch
from torch import nn

torch.manual_seed(0)
f, g = nn.Linear(3, 1), nn.Linear(3, 1)
optimizer = torch.optim.SGD({parameters}, lr=0.01)
for _ in range(5):
    x = torch.randn(10, 3)
    f_values = f(x)
    g_values = {other}(x)
    g_stopgrad = g_values.detach(){mark}
    objective = -torch.sum(g_stopgrad * torch.log_softmax(f_values, 0))
    optimizer.zero_grad()
    objective.backward()
    optimizer.step()
"""


def test_a_stopped_gradient_of_the_same_network_is_left_alone(tmp_path):
    silent(tmp_path, SCALED.format(parameters="f.parameters()", other="f", mark=""))
    silent(tmp_path, SCALED.format(parameters="f.parameters()", other="g", mark=""))


def test_a_stopped_gradient_of_a_network_that_is_to_learn_is_told(tmp_path):
    both = "[*f.parameters(), *g.parameters()]"
    finding = told(tmp_path, SCALED.format(parameters=both, other="g", mark="  # finding: history-detach"))
    assert finding.parameters == ["g.weight", "g.bias"]


# notes on sharing, detach and leaves
def test_a_detached_term_beside_one_that_is_not_is_left_alone(tmp_path):
    silent(
        tmp_path,
        """
import torch

x = torch.arange(10.0, requires_grad=True)
for _ in range(4):
    y = x**2
    z = x.detach() ** 3
    r = (y + z).sum()
    r.backward()
    print(x.grad)
    x.grad = None
print(r.item())
""",
    )


DISCRIMINATOR = """
import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(0)
generator, discriminator = nn.Linear(2, 4), nn.Linear(4, 1)
learn = torch.optim.Adam(generator.parameters())
judge = torch.optim.Adam(discriminator.parameters())
for _ in range(5):
    fake = generator(torch.randn(8, 2))
    judge.zero_grad()
    (F.softplus(discriminator(fake.detach())) + F.softplus(-discriminator(torch.randn(8, 4)))).mean().backward()
    judge.step()
    for parameter in discriminator.parameters():
        parameter.requires_grad = False
    learn.zero_grad()
    F.softplus(-discriminator(fake{cut})).mean().backward()
    learn.step()
    for parameter in discriminator.parameters():
        parameter.requires_grad = True
"""


def test_a_discriminator_that_sees_detached_samples_is_left_alone(tmp_path):
    silent(tmp_path, DISCRIMINATOR.format(cut=""))


def test_a_generator_that_learns_from_detached_samples_is_told(tmp_path):
    program = DISCRIMINATOR.format(cut=".detach()").replace(
        "    F.softplus(-discriminator(fake.detach()))",
        "    fooled = discriminator(fake.detach())  # finding: history-detach\n    F.softplus(-fooled)",
    )
    finding = told(tmp_path, program)
    assert finding.parameters == ["generator.weight", "generator.bias"]
    assert "`.detach()`" in finding.fix


LOGGED = """
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(3, 2)
log_scale = nn.Parameter(torch.zeros(1))
optimizer = torch.optim.SGD([*net.parameters(), log_scale], lr=0.1)
for _ in range(5):
    x = torch.randn(8, 3)
    error = (net(x) - x[:, :2]).pow(2).mean()
    loss = error * torch.exp(-log_scale{number}).sum() + log_scale.sum(){also}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item(), error.item())
"""


def test_item_is_right_for_printing_and_wrong_in_a_loss(tmp_path):
    silent(tmp_path, LOGGED.format(number="", also=""))
    wrong = (
        LOGGED.format(number="", also="")
        .replace("torch.exp(-log_scale).sum()", "torch.exp(torch.tensor(-scale))")
        .replace(" + log_scale.sum()", " + scale")
        .replace("    loss = ", "    scale = log_scale.item()  # finding: history-item\n    loss = ")
    )
    finding = told(tmp_path, wrong)
    assert finding.parameters == ["log_scale"]
    assert ".item()" in finding.fix


LEAF = """
import torch

torch.manual_seed(0)
w = {made}
x = torch.randn(8, 3)
for _ in range(4):
    (x @ w).pow(2).mean().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
        w.grad.zero_()
"""


def test_only_leaves_have_gradients(tmp_path):
    silent(tmp_path, LEAF.format(made="(torch.randn(3) * 0.1).requires_grad_()"))
    finding = told(tmp_path, LEAF.format(made="torch.randn(3, requires_grad=True) * 0.1  # finding: param-nonleaf"))
    assert ".requires_grad_()" in finding.fix


# notes on moving to PyTorch: the actor of SAC draws from a transformed distribution
ACTOR = """
import torch
from torch import nn
from torch.distributions import Independent, Normal, TransformedDistribution
from torch.distributions.transforms import AffineTransform, TanhTransform

torch.manual_seed(0)
actor, critic = nn.Linear(3, 4), nn.Linear(5, 1)
optimizer = torch.optim.Adam(actor.parameters(), lr=1e-3)
of_critic = torch.optim.Adam(critic.parameters(), lr=1e-3)
for _ in range(5):
    state = torch.randn(16, 3)
    of_critic.zero_grad()
    (critic(torch.randn(16, 5)) - torch.randn(16, 1)).pow(2).mean().backward()
    of_critic.step()
    mean, log_std = actor(state).chunk(2, dim=-1)
    base = Independent(Normal(mean, log_std.clamp(-5, 2).exp()), 1)
    policy = TransformedDistribution(base, [TanhTransform(cache_size=1), AffineTransform(0.0, 2.0, cache_size=1)])
    action = policy.{draw}
    loss = -critic(torch.cat([state, action], dim=1)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


def test_an_actor_that_learns_through_its_action_needs_rsample(tmp_path):
    silent(tmp_path, ACTOR.format(draw="rsample()"))
    finding = told(tmp_path, ACTOR.format(draw="sample()  # finding: history-sample"))
    assert "rsample()" in finding.fix
    assert finding.parameters == ["actor.weight", "actor.bias"]


def test_every_message_names_parameters_and_no_machine(tmp_path):
    finding = told(tmp_path, ACTOR.format(draw="sample()  # finding: history-sample"))
    assert not re.search(r"0x[0-9a-f]+", finding.message + finding.fix)
    assert state.grad
