"""A SAC update: soft actor-critic's two critics, squashed Gaussian policy and temperature, on one batch."""

import itertools
import math

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.arrays import Adam, Network
from benchmarks.ways.floor import Floor, count_parameters

BATCH = 256
OBSERVATION, ACTION, WIDTH = 17, 6, 256
POLICY = (OBSERVATION, WIDTH, WIDTH, 2 * ACTION)
CRITIC = (OBSERVATION + ACTION, WIDTH, WIDTH, 1)
GAMMA, TAU, LR = 0.99, 0.005, 3e-4
TARGET_ENTROPY = -float(ACTION)
LOG_STD = (-5.0, 2.0)
HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class Update:
    """Critics, policy and temperature each take one step of Adam, then the target critics follow by lerp_.

    The noise of the policy comes with the batch, so that all libraries see the same actions.
    """

    repeat = 1

    def __init__(self):
        source = Source()
        self.policy = source.layers(*POLICY)
        self.critics = [source.layers(*CRITIC), source.layers(*CRITIC)]
        self.batches = [self.make_batch(source) for _ in range(4)]

    @staticmethod
    def make_batch(source):
        """Observation, action, reward, next observation, whether there is a next one, noise for both."""
        return (
            source.normal(BATCH, OBSERVATION),
            source.uniform(-0.9, 0.9, BATCH, ACTION),
            source.normal(BATCH, 1),
            source.normal(BATCH, OBSERVATION),
            (source.uniform(0, 1, BATCH, 1) < 0.95).astype(np.float32),
            source.normal(BATCH, ACTION),
            source.normal(BATCH, ACTION),
        )

    def torch(self, library):
        return TorchUpdate(self, library).step

    def numpy(self):
        return NumpyUpdate(self).step

    def jax(self):
        from benchmarks.programs.sac_jax import prepare

        return prepare(self)

    def floor(self):
        floor = Floor()
        floor.forward("policy", POLICY, BATCH, "relu")
        for target in ("first target", "second target"):
            floor.forward(target, CRITIC, BATCH, "relu")
        for critic in ("first critic", "second critic"):
            floor.forward(critic, CRITIC, BATCH, "relu")
            floor.backward(critic, CRITIC, BATCH)
        floor.forward("policy", POLICY, BATCH, "relu")
        for critic in ("first critic", "second critic"):
            floor.forward(critic, CRITIC, BATCH, "relu")
            floor.backward(critic, CRITIC, BATCH, weights=False, inputs=True)
        floor.backward("policy", POLICY, BATCH)
        floor.adam(POLICY, CRITIC, CRITIC)
        parameters = 2 * count_parameters(CRITIC)
        floor.moves(3 * parameters, parameters)
        return floor.step


class TorchUpdate:
    """The update with torch's interface."""

    def __init__(self, program, library):
        self.torch = torch = library.module
        self.policy = library.network(program.policy, "ReLU")
        self.critics = [library.network(layers, "ReLU") for layers in program.critics]
        self.targets = [library.network(layers, "ReLU") for layers in program.critics]
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.critic_parameters = [parameter for critic in self.critics for parameter in critic.parameters()]
        self.target_parameters = [parameter for target in self.targets for parameter in target.parameters()]
        self.critic_optimizer = library.adam(self.critic_parameters, LR)
        self.policy_optimizer = library.adam(self.policy.parameters(), LR)
        self.alpha_optimizer = library.adam([self.log_alpha], LR)
        self.batches = itertools.cycle([tuple(map(library.tensor, batch)) for batch in program.batches])
        self.compute_targets = library.compile(self.compute_targets)
        self.critic_loss = library.compile(self.critic_loss)
        self.policy_loss = library.compile(self.policy_loss)

    def act(self, observation, noise):
        """An action and its log probability, from noise."""
        mean, log_std = self.policy(observation).chunk(2, -1)
        std = log_std.clamp(*LOG_STD).exp()
        before = mean + std * noise
        action = before.tanh()
        log_prob = self.torch.distributions.Normal(mean, std, validate_args=False).log_prob(before)
        log_prob = log_prob - (1 - action * action + 1e-6).log()
        return action, log_prob.sum(-1, keepdim=True)

    def judge(self, critics, observation, action):
        pair = self.torch.cat([observation, action], -1)
        return [critic(pair) for critic in critics]

    def compute_targets(self, reward, next_observation, goes_on, noise, alpha):
        with self.torch.no_grad():
            action, log_prob = self.act(next_observation, noise)
            value = self.torch.min(*self.judge(self.targets, next_observation, action)) - alpha * log_prob
            return reward + GAMMA * goes_on * value

    def critic_loss(self, observation, action, targets):
        mse_loss = self.torch.nn.functional.mse_loss
        first, second = self.judge(self.critics, observation, action)
        return mse_loss(first, targets) + mse_loss(second, targets)

    def policy_loss(self, observation, noise, alpha):
        action, log_prob = self.act(observation, noise)
        value = self.torch.min(*self.judge(self.critics, observation, action))
        return (alpha * log_prob - value).mean(), log_prob

    def step(self):
        observation, action, reward, next_observation, goes_on, next_noise, noise = next(self.batches)
        alpha = self.log_alpha.detach().exp()

        targets = self.compute_targets(reward, next_observation, goes_on, next_noise, alpha)
        critic_loss = self.critic_loss(observation, action, targets)
        self.take_step(self.critic_optimizer, critic_loss)

        for parameter in self.critic_parameters:
            parameter.requires_grad_(False)
        policy_loss, log_prob = self.policy_loss(observation, noise, alpha)
        self.take_step(self.policy_optimizer, policy_loss)
        for parameter in self.critic_parameters:
            parameter.requires_grad_(True)

        alpha_loss = -(self.log_alpha.exp() * (log_prob.detach() + TARGET_ENTROPY)).mean()
        self.take_step(self.alpha_optimizer, alpha_loss)

        with self.torch.no_grad():
            for target, parameter in zip(self.target_parameters, self.critic_parameters, strict=True):
                target.lerp_(parameter, TAU)
        return critic_loss.item() + policy_loss.item() + alpha_loss.item()

    @staticmethod
    def take_step(optimizer, loss):
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class NumpyUpdate:
    """The update by hand, with the gradients worked out on paper."""

    def __init__(self, program):
        self.policy = Network(program.policy, "relu")
        self.critics = [Network(layers, "relu") for layers in program.critics]
        self.targets = [Network(layers, "relu") for layers in program.critics]
        self.log_alpha, self.alpha_grad = np.zeros(1, np.float32), np.zeros(1, np.float32)
        self.critic_optimizer = Adam.of(*self.critics, lr=LR)
        self.policy_optimizer = Adam.of(self.policy, lr=LR)
        self.alpha_optimizer = Adam([(self.log_alpha, self.alpha_grad)], lr=LR)
        self.batches = itertools.cycle(program.batches)
        self.pair = np.empty((BATCH, OBSERVATION + ACTION), np.float32)

    def act(self, observation, noise):
        """Action, log probability, standard deviation, and where the latter was not clamped."""
        outputs = self.policy.forward(observation)
        mean, raw = outputs[:, :ACTION], outputs[:, ACTION:]
        log_std = np.clip(raw, *LOG_STD)
        std = np.exp(log_std)
        action = np.tanh(mean + std * noise)
        rest = 1 - action * action
        log_prob = (-0.5 * noise * noise - log_std - HALF_LOG_TWO_PI - np.log(rest + 1e-6)).sum(1, keepdims=True)
        return action, log_prob, std, rest, raw == log_std

    def judge(self, critics, observation, action):
        self.pair[:, :OBSERVATION] = observation
        self.pair[:, OBSERVATION:] = action
        return [critic.forward(self.pair) for critic in critics]

    def step(self):
        observation, action, reward, next_observation, goes_on, next_noise, noise = next(self.batches)
        alpha = math.exp(self.log_alpha[0])

        next_action, next_log_prob, *_ = self.act(next_observation, next_noise)
        value = np.minimum(*self.judge(self.targets, next_observation, next_action)) - alpha * next_log_prob
        critic_loss = self.update_critics(observation, action, reward + GAMMA * goes_on * value)
        policy_loss, log_prob = self.update_policy(observation, noise, alpha)

        surplus = float(log_prob.mean()) + TARGET_ENTROPY
        alpha_loss = -alpha * surplus
        self.alpha_grad[0] = alpha_loss
        self.alpha_optimizer.step()
        for target, critic in zip(self.targets, self.critics, strict=True):
            np.multiply(target.flat, 1 - TAU, target.flat)
            np.add(target.flat, critic.flat * np.float32(TAU), target.flat)
        return critic_loss + policy_loss + alpha_loss

    def update_critics(self, observation, action, targets):
        loss = 0.0
        for critic, error in zip(self.critics, self.judge(self.critics, observation, action), strict=True):
            np.subtract(error, targets, error)
            loss += float(np.vdot(error, error)) / BATCH
            np.multiply(error, 2 / BATCH, error)
            critic.backward(error)
        self.critic_optimizer.step()
        return loss

    def update_policy(self, observation, noise, alpha):
        action, log_prob, std, rest, free = self.act(observation, noise)
        first, second = self.judge(self.critics, observation, action)
        loss = float((alpha * log_prob - np.minimum(first, second)).mean())
        chosen = (first < second).astype(np.float32) / -BATCH
        pair_grad = self.critics[0].backward(chosen, weights=False, inputs=True)
        pair_grad = pair_grad + self.critics[1].backward(-1 / BATCH - chosen, weights=False, inputs=True)
        log_prob_grad = alpha / BATCH
        before_grad = (pair_grad[:, OBSERVATION:] + log_prob_grad * 2 * action / (rest + 1e-6)) * rest
        outputs_grad = np.empty((BATCH, 2 * ACTION), np.float32)
        outputs_grad[:, :ACTION] = before_grad
        outputs_grad[:, ACTION:] = (before_grad * std * noise - log_prob_grad) * free
        self.policy.backward(outputs_grad)
        self.policy_optimizer.step()
        return loss, log_prob
