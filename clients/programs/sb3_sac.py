"""stable-baselines3: SAC swings the pendulum up."""

from stable_baselines3 import SAC
from stable_baselines3.common.evaluation import evaluate_policy

agent = SAC("MlpPolicy", "Pendulum-v1", seed=0, learning_rate=1e-3, policy_kwargs={"net_arch": [64, 64]}, device="cpu")
agent.learn(4_000)
mean, _ = evaluate_policy(agent, agent.get_env(), n_eval_episodes=10)
print(f"return {mean:.1f}")
assert mean > -500, mean
