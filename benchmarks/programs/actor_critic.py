"""An actor-critic update: two hundred steps with the graph recorded, then one gradient step on all of them."""

import itertools

import numpy as np

from benchmarks.data import Source
from benchmarks.ways.arrays import Adam, Network, clip_grad_norm

STEPS = 200
GAMMA = 0.99
LR = 1e-3
ENTROPY = 0.01
NORM = 0.5


def n_step_returns(rewards, value_after):
    """Each reward plus the discounted ones after it, ended by the critic's guess."""
    returns = []
    target = value_after
    for reward in reversed(rewards):
        target = reward + GAMMA * target
        returns.append(target)
    return returns[::-1]


class Update:
    """Rollout, n-step returns, policy gradient with entropy, smooth L1 for the critic, clipping and Adam.

    At every step an action is drawn, as an agent must; the environment is a recording, so the actions that it answers
    to, and the losses, are the same for all.
    """

    repeat = 1

    def __init__(self):
        source = Source()
        self.actor = source.layers(8, 64, 64, 4)
        self.critic = source.layers(8, 64, 64, 1)
        self.trajectories = [
            (source.normal(STEPS + 1, 8), source.integers(4, STEPS), source.uniform(0, 0.1, STEPS).tolist())
            for _ in range(4)
        ]

    def torch(self, library):
        torch = library.module
        torch.manual_seed(0)
        F, Categorical = torch.nn.functional, torch.distributions.Categorical
        actor, critic = library.network(self.actor), library.network(self.critic)
        parameters = [*actor.parameters(), *critic.parameters()]
        optimizer = library.adam(parameters, LR)
        forward = library.compile(lambda observation: (actor(observation), critic(observation)))
        trajectories = itertools.cycle(
            [(list(map(library.tensor, seen)), library.tensor(actions), rewards)
             for seen, actions, rewards in self.trajectories]
        )  # fmt: skip

        def compute_loss(logits, values, actions, returns):
            policy = Categorical(logits=torch.stack(logits))
            values = torch.stack(values).squeeze(-1)
            advantages = returns - values.detach()
            actor_loss = -(policy.log_prob(actions) * advantages).mean()
            return actor_loss + F.smooth_l1_loss(values, returns) - ENTROPY * policy.entropy().mean()

        def step():
            observations, actions, rewards = next(trajectories)
            all_logits, values = [], []
            for observation in observations[:-1]:
                logits, value = forward(observation)
                Categorical(logits=logits).sample().item()
                all_logits.append(logits)
                values.append(value)
            with torch.no_grad():
                value_after = critic(observations[-1]).item()
            returns = torch.tensor(n_step_returns(rewards, value_after))
            loss = compute_loss(all_logits, values, actions, returns)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, NORM)
            optimizer.step()
            return loss.item()

        return step

    def numpy(self):
        actor, critic = Network(self.actor), Network(self.critic)
        optimizer = Adam.of(actor, critic, lr=LR)
        generator = np.random.default_rng(0)
        trajectories = itertools.cycle(self.trajectories)
        kept = {network: [np.empty((STEPS, size), np.float32) for size in (8, 64, 64)] for network in (actor, critic)}
        all_logits, values = np.empty((STEPS, 4), np.float32), np.empty((STEPS, 1), np.float32)

        def play(observations):
            for t in range(STEPS):
                for network, outputs in ((actor, all_logits), (critic, values)):
                    outputs[t] = network.forward(observations[t : t + 1])[0]
                    for rows, activation in zip(kept[network], network.activations, strict=True):
                        rows[t] = activation[0]
                sums = np.add.accumulate(np.exp(all_logits[t] - all_logits[t].max()))
                sums.searchsorted(generator.random() * sums[-1])
            return float(critic.forward(observations[-1:])[0, 0])

        def step():
            observations, actions, rewards = next(trajectories)
            value_after = play(observations)
            returns = np.array(n_step_returns(rewards, value_after), np.float32)
            loss, logits_grad, values_grad = numpy_loss(all_logits, values[:, 0], actions, returns)
            # the rollout's activations were kept row by row, so one backward serves all steps
            actor.activations, critic.activations = kept[actor], kept[critic]
            actor.backward(logits_grad)
            critic.backward(values_grad[:, None])
            clip_grad_norm((actor, critic), NORM)
            optimizer.step()
            return loss

        return step

    def jax(self):
        import jax
        import jax.numpy as jnp

        from benchmarks.ways import xla

        def act(parameters, observation, key):
            key, now = jax.random.split(key)
            actor, critic = parameters
            return key, jax.random.categorical(now, xla.network(actor, observation)), xla.network(critic, observation)

        def compute_loss(parameters, observations, actions, returns):
            actor, critic = parameters
            log_probs = jax.nn.log_softmax(xla.network(actor, observations))
            values = xla.network(critic, observations)[:, 0]
            chosen = jnp.take_along_axis(log_probs, actions[:, None], 1)[:, 0]
            error = jnp.abs(values - returns)
            critic_loss = jnp.where(error < 1, 0.5 * error**2, error - 0.5).mean()
            actor_loss = -(chosen * (returns - jax.lax.stop_gradient(values))).mean()
            entropy = -(jnp.exp(log_probs) * log_probs).sum(1).mean()
            return actor_loss + critic_loss - ENTROPY * entropy

        def learn(parameters, state, observations, actions, returns):
            loss, grads = jax.value_and_grad(compute_loss)(parameters, observations, actions, returns)
            return loss, *xla.adam(parameters, xla.clip_grad_norm(grads, NORM), state, LR)

        act, learn = jax.jit(act), jax.jit(learn, donate_argnums=(0, 1))
        parameters = xla.arrays((self.actor, self.critic))
        state, key = xla.adam_state(parameters), jax.random.key(0)
        trajectories = itertools.cycle(self.trajectories)

        def step():
            nonlocal parameters, state, key
            observations, actions, rewards = next(trajectories)
            for observation in observations[:-1]:
                key, action, _ = act(parameters, observation, key)
                int(action)
            key, _, value_after = act(parameters, observations[-1], key)
            returns = np.array(n_step_returns(rewards, float(np.asarray(value_after)[0])), np.float32)
            loss, parameters, state = learn(parameters, state, observations[:-1], actions, returns)
            return float(loss)

        return step


def numpy_loss(logits, values, actions, returns):
    """The loss, and its gradients with respect to logits (STEPS, 4) and values (STEPS,)."""
    rows = np.arange(STEPS)
    log_probs = logits - logits.max(1, keepdims=True)
    probs = np.exp(log_probs)
    sums = probs.sum(1, keepdims=True)
    log_probs -= np.log(sums)
    probs /= sums
    advantages = returns - values
    entropy = -(probs * log_probs).sum(1)
    error = -advantages
    size = np.abs(error)
    loss = -(log_probs[rows, actions] * advantages).mean()
    loss += np.where(size < 1, 0.5 * size * size, size - 0.5).mean() - ENTROPY * entropy.mean()

    logits_grad = probs * advantages[:, None]
    logits_grad[rows, actions] -= advantages
    logits_grad += ENTROPY * probs * (log_probs + entropy[:, None])
    logits_grad /= STEPS
    return float(loss), logits_grad, np.clip(error, -1, 1) / STEPS
