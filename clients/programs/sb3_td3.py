"""stable-baselines3: TD3 swings the pendulum up."""

import numpy as np
from stable_baselines3 import TD3
from stable_baselines3.common.evaluation import evaluate_policy
from stable_baselines3.common.noise import NormalActionNoise

agent = TD3(
    "MlpPolicy",
    "Pendulum-v1",
    seed=0,
    learning_rate=1e-3,
    learning_starts=500,
    action_noise=NormalActionNoise(np.zeros(1), 0.1 * np.ones(1)),
    policy_kwargs={"net_arch": [64, 64]},
    device="cpu",
)
agent.learn(8_000)
mean, _ = evaluate_policy(agent, agent.get_env(), n_eval_episodes=10)
print(f"return {mean:.1f}")
assert mean > -700, mean
