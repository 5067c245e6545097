"""Programs with JAX: pure functions of trees of arrays, each compiled as a whole."""

import jax
import jax.numpy as jnp


def arrays(tree):
    """A tree of NumPy arrays on JAX's device."""
    return jax.tree.map(jnp.asarray, tree)


def network(layers, x, activation=jnp.tanh):
    """Linear layers, given as a list of (weight, bias), with an activation between them."""
    for weight, bias in layers[:-1]:
        x = activation(x @ weight.T + bias)
    weight, bias = layers[-1]
    return x @ weight.T + bias


def adam_state(parameters):
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return jnp.zeros((), jnp.int32), zeros, jax.tree.map(jnp.zeros_like, parameters)


def adam(parameters, grads, state, lr, weight_decay=0.0):
    """New parameters and state, with the weight decay of AdamW."""
    count, mean, square = state
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, square, grads)
    step_size = lr / (1 - 0.9**count)
    root = jnp.sqrt(1 - 0.999**count)
    update = lambda p, m, v: p * (1 - lr * weight_decay) - step_size * m / (jnp.sqrt(v) / root + 1e-8)
    return jax.tree.map(update, parameters, mean, square), (count, mean, square)


def sgd_state(parameters):
    return jax.tree.map(jnp.zeros_like, parameters)


def sgd(parameters, grads, state, lr, momentum, weight_decay):
    """New parameters and state."""
    state = jax.tree.map(lambda p, g, m: momentum * m + g + weight_decay * p, parameters, grads, state)
    return jax.tree.map(lambda p, m: p - lr * m, parameters, state), state


# By torch's names: what makes the first state, and what takes a step.
OPTIMIZERS = {"Adam": (adam_state, adam), "AdamW": (adam_state, adam), "SGD": (sgd_state, sgd)}


def linear(weights, name, x):
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def convolution(weights, name, x, stride=1, padding=0):
    """Convolution of (N, C, H, W) with the weights of this name, and a bias if there is one."""
    x = jax.lax.conv(x, weights[f"{name}.weight"], (stride, stride), [(padding, padding)] * 2)
    bias = weights.get(f"{name}.bias")
    return x if bias is None else x + bias[:, None, None]


def max_pool(x):
    """The maxima of windows of 2 x 2."""
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


def layer_norm(weights, name, x):
    mean, variance = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def batch_norm(weights, statistics, name, x):
    """Batch norm of (N, C, H, W); the running mean and variance of this name are replaced by newer ones."""
    mean, variance, count = x.mean((0, 2, 3)), x.var((0, 2, 3)), x.size // x.shape[1]
    running_mean, running_variance = statistics[name]
    unbiased = variance * (count / (count - 1))
    statistics[name] = 0.9 * running_mean + 0.1 * mean, 0.9 * running_variance + 0.1 * unbiased
    scale = weights[f"{name}.weight"] * jax.lax.rsqrt(variance + 1e-5)
    return (x - mean[:, None, None]) * scale[:, None, None] + weights[f"{name}.bias"][:, None, None]


def cross_entropy(logits, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[..., None], -1).mean()


def clip_grad_norm(grads, most):
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))
    scale = jnp.minimum(1, most / (norm + 1e-6))
    return jax.tree.map(lambda g: g * scale, grads)
