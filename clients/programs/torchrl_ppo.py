"""torchrl: PPO balances CartPole with torchrl's environments, collector, advantages, replay buffer and loss"""

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torch.distributions import Categorical
from torchrl.collectors import Collector
from torchrl.data.replay_buffers import LazyTensorStorage, ReplayBuffer, SamplerWithoutReplacement
from torchrl.envs import GymEnv, StepCounter, TransformedEnv
from torchrl.envs.utils import check_env_specs
from torchrl.modules import ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

torch.manual_seed(0)
torch.set_num_threads(1)
env = TransformedEnv(GymEnv("CartPole-v1", categorical_action_encoding=True), StepCounter())
env.set_seed(0)
check_env_specs(env)


def network(outputs):
    return nn.Sequential(nn.Linear(4, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs))


actor = ProbabilisticActor(
    TensorDictModule(network(2), in_keys=["observation"], out_keys=["logits"]),
    in_keys=["logits"],
    distribution_class=Categorical,
    return_log_prob=True,
    spec=env.action_spec,
)
critic = ValueOperator(network(1), in_keys=["observation"])
frames, rounds = 1024, 10
collector = Collector(env, actor, frames_per_batch=frames, total_frames=frames * rounds)
buffer = ReplayBuffer(storage=LazyTensorStorage(frames), sampler=SamplerWithoutReplacement(), batch_size=128)
advantages = GAE(gamma=0.99, lmbda=0.95, value_network=critic, average_gae=True)
losses = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01)
optimizer = torch.optim.Adam(losses.parameters(), lr=1e-3)
longest = []
for data in collector:
    for _ in range(4):
        with torch.no_grad():
            advantages(data)
        buffer.extend(data.reshape(-1))
        for _ in range(frames // 128):
            found = losses(buffer.sample())
            loss = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(losses.parameters(), 0.5)
            optimizer.step()
    longest.append(data["step_count"].max().item())
collector.shutdown()
print("longest", longest)
assert max(longest[-3:]) > 150
