"""stable-baselines3: PPO balances CartPole."""

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.evaluation import evaluate_policy

environment = gymnasium.make("CartPole-v1")
agent = PPO("MlpPolicy", environment, seed=0, n_steps=1024, n_epochs=10, learning_rate=1e-3, device="cpu")
agent.learn(16_384)
mean, spread = evaluate_policy(agent, gymnasium.make("CartPole-v1"), n_eval_episodes=10)
print(f"return {mean:.1f}")
assert mean > 150, mean
