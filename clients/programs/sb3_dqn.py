"""stable-baselines3: DQN learns CartPole from a replay buffer."""

from stable_baselines3 import DQN
from stable_baselines3.common.evaluation import evaluate_policy

agent = DQN(
    "MlpPolicy",
    "CartPole-v1",
    seed=0,
    learning_rate=2.3e-3,
    batch_size=64,
    learning_starts=1_000,
    target_update_interval=10,
    train_freq=256,
    gradient_steps=128,
    exploration_fraction=0.16,
    exploration_final_eps=0.04,
    policy_kwargs={"net_arch": [128, 128]},
    device="cpu",
)
agent.learn(14_000)
mean, _ = evaluate_policy(agent, agent.get_env(), n_eval_episodes=10)
print(f"return {mean:.1f}")
assert mean > 80, mean
