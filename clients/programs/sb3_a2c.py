"""stable-baselines3: A2C balances CartPole, and comes back from its file unchanged."""

import tempfile

import numpy as np
from stable_baselines3 import A2C
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

environment = make_vec_env("CartPole-v1", n_envs=4, seed=0)
agent = A2C("MlpPolicy", environment, seed=0, device="cpu")
agent.learn(20_000)
mean, _ = evaluate_policy(agent, environment, n_eval_episodes=10)
print(f"return {mean:.1f}")
assert mean > 80, mean

with tempfile.TemporaryDirectory() as folder:
    agent.save(f"{folder}/agent.zip")
    again = A2C.load(f"{folder}/agent.zip", device="cpu")
observations = environment.reset()
assert np.array_equal(
    agent.predict(observations, deterministic=True)[0], again.predict(observations, deterministic=True)[0]
)
