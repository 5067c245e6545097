"""sb3-contrib: TRPO balances CartPole; recurrent PPO and quantile DQN run"""

import gymnasium
import numpy as np
import torch
from sb3_contrib import QRDQN, TRPO, RecurrentPPO
from stable_baselines3.common.evaluation import evaluate_policy

torch.set_num_threads(1)
model = TRPO("MlpPolicy", "CartPole-v1", seed=0, n_steps=512, batch_size=128)
model.learn(6_000)
mean, _ = evaluate_policy(model, gymnasium.make("CartPole-v1"), n_eval_episodes=5)
print("trpo learned", mean > 100)
assert mean > 100
recurrent = RecurrentPPO("MlpLstmPolicy", "CartPole-v1", seed=0, n_steps=128, batch_size=64, n_epochs=2)
recurrent.learn(512)
action, state = recurrent.predict(np.zeros((1, 4), np.float32), deterministic=True)
print("recurrent", action.shape, state[0].shape)
quantiles = QRDQN("MlpPolicy", "CartPole-v1", seed=0, learning_starts=200, policy_kwargs={"n_quantiles": 20})
quantiles.learn(1_000)
print("quantiles", quantiles.policy.quantile_net(torch.zeros(1, 4)).shape)
