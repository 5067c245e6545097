"""The SAC update with JAX: one compiled function for all of it."""

import itertools

import jax
import jax.numpy as jnp

from benchmarks.programs.sac import ACTION, GAMMA, HALF_LOG_TWO_PI, LOG_STD, LR, TARGET_ENTROPY, TAU
from benchmarks.ways import xla


def act(policy, observation, noise):
    """An action and its log probability, from noise."""
    outputs = xla.network(policy, observation, jax.nn.relu)
    mean, log_std = outputs[:, :ACTION], jnp.clip(outputs[:, ACTION:], *LOG_STD)
    action = jnp.tanh(mean + jnp.exp(log_std) * noise)
    log_prob = -0.5 * noise * noise - log_std - HALF_LOG_TWO_PI - jnp.log(1 - action * action + 1e-6)
    return action, log_prob.sum(1, keepdims=True)


def judge(critics, observation, action):
    pair = jnp.concatenate([observation, action], 1)
    return [xla.network(critic, pair, jax.nn.relu) for critic in critics]


def critic_loss(critics, observation, action, targets):
    return sum(jnp.mean((value - targets) ** 2) for value in judge(critics, observation, action))


def policy_loss(policy, critics, observation, noise, alpha):
    action, log_prob = act(policy, observation, noise)
    value = jnp.minimum(*judge(critics, observation, action))
    return (alpha * log_prob - value).mean(), log_prob


def alpha_loss(log_alpha, log_prob):
    return -(jnp.exp(log_alpha) * (log_prob + TARGET_ENTROPY)).mean()


def update(state, batch):
    """The new state, and the sum of the three losses."""
    policy, critics, targets, log_alpha, moments = state
    observation, action, reward, next_observation, goes_on, next_noise, noise = batch
    alpha = jnp.exp(log_alpha)

    next_action, next_log_prob = act(policy, next_observation, next_noise)
    value = jnp.minimum(*judge(targets, next_observation, next_action)) - alpha * next_log_prob
    goal = reward + GAMMA * goes_on * value

    loss, grads = jax.value_and_grad(critic_loss)(critics, observation, action, goal)
    critics, critic_moments = xla.adam(critics, grads, moments[0], LR)
    total = loss

    (loss, log_prob), grads = jax.value_and_grad(policy_loss, has_aux=True)(policy, critics, observation, noise, alpha)
    policy, policy_moments = xla.adam(policy, grads, moments[1], LR)
    total += loss

    loss, grads = jax.value_and_grad(alpha_loss)(log_alpha, log_prob)
    log_alpha, alpha_moments = xla.adam(log_alpha, grads, moments[2], LR)
    total += loss

    targets = jax.tree.map(lambda target, value: target + TAU * (value - target), targets, critics)
    return (policy, critics, targets, log_alpha, (critic_moments, policy_moments, alpha_moments)), total


def prepare(program):
    policy, critics, log_alpha = xla.arrays(program.policy), xla.arrays(program.critics), jnp.zeros(())
    targets = jax.tree.map(jnp.copy, critics)
    moments = xla.adam_state(critics), xla.adam_state(policy), xla.adam_state(log_alpha)
    state = policy, critics, targets, log_alpha, moments
    batches = itertools.cycle(xla.arrays(program.batches))
    compiled = jax.jit(update, donate_argnums=0)

    def step():
        nonlocal state
        state, total = compiled(state, next(batches))
        return float(total)

    return step
