"""torchrl: losses of SAC, TD3, DQN, IQL and CQL on steps that others took; twin networks are mapped by vmap"""

import torch
from tensordict import TensorDict
from tensordict.nn import NormalParamExtractor, TensorDictModule
from torch import nn
from torchrl.data import Bounded, Composite, OneHot
from torchrl.modules import Actor, ProbabilisticActor, QValueActor, TanhNormal, ValueOperator
from torchrl.objectives import CQLLoss, DQNLoss, IQLLoss, SACLoss, SoftUpdate, TD3Loss

torch.manual_seed(0)
steps = 256
action_spec = Bounded(-torch.ones(2), torch.ones(2))


def network(inputs, outputs):
    return nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, outputs))


class Judge(nn.Module):
    """How good an action is."""

    def __init__(self):
        super().__init__()
        self.network = network(5, 1)

    def forward(self, observation, action):
        return self.network(torch.cat([observation, action], -1))


def recorded():
    """Steps of a game where actions near the first two numbers seen are rewarded."""
    seen = torch.randn(steps, 3)
    action = torch.rand(steps, 2) * 2 - 1
    reward = 1 - (action - seen[:, :2].tanh()).square().sum(-1, keepdim=True)
    done = torch.zeros(steps, 1, dtype=torch.bool)
    after = {"observation": torch.randn(steps, 3), "reward": reward, "done": done, "terminated": done}
    return TensorDict({"observation": seen, "action": action, "next": after, "done": done}, [steps])


def stochastic_actor():
    module = TensorDictModule(
        nn.Sequential(network(3, 4), NormalParamExtractor()), in_keys=["observation"], out_keys=["loc", "scale"]
    )
    return ProbabilisticActor(
        module,
        in_keys=["loc", "scale"],
        spec=Composite(action=action_spec),
        distribution_class=TanhNormal,
        distribution_kwargs={"low": -1, "high": 1},
        return_log_prob=True,
    )


def judge():
    return ValueOperator(Judge(), in_keys=["observation", "action"])


def train(name, loss, data, rounds=60):
    optimizer = torch.optim.Adam(loss.parameters(), lr=3e-3)
    targets = SoftUpdate(loss, tau=0.05)
    first = None
    for _ in range(rounds):
        found = loss(data.clone())
        total = sum(value for key, value in found.items() if key.startswith("loss_"))
        if name == "dqn":
            total = found["loss"]
        critic = next(value.item() for key, value in found.items() if "q" in key or key == "loss")
        first = critic if first is None else first
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        targets.step()
    print(f"{name}: {first:.3f} -> {critic:.3f}")
    assert critic < first


data = recorded()
train("sac", SACLoss(stochastic_actor(), judge(), num_qvalue_nets=2, action_spec=action_spec), data)
actor = Actor(nn.Sequential(network(3, 2), nn.Tanh()), in_keys=["observation"], spec=action_spec)
train("td3", TD3Loss(actor, judge(), action_spec=action_spec, num_qvalue_nets=2, delay_qvalue=True), data)
train("iql", IQLLoss(stochastic_actor(), judge(), ValueOperator(network(3, 1), in_keys=["observation"])), data)
train("cql", CQLLoss(stochastic_actor(), judge(), action_spec=action_spec), data)
chooser = QValueActor(network(3, 4), in_keys=["observation"], spec=OneHot(4))
data["action"] = nn.functional.one_hot(torch.randint(4, (steps,)), 4)
train("dqn", DQNLoss(chooser, action_space="one-hot", delay_value=True), data)
