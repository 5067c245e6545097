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


def adam(parameters, grads, state, lr):
    """New parameters and state."""
    count, mean, square = state
    count = count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, grads)
    square = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, square, grads)
    step_size = lr / (1 - 0.9**count)
    root = jnp.sqrt(1 - 0.999**count)
    update = lambda p, m, v: p - step_size * m / (jnp.sqrt(v) / root + 1e-8)
    return jax.tree.map(update, parameters, mean, square), (count, mean, square)


def clip_grad_norm(grads, most):
    norm = jnp.sqrt(sum(jnp.vdot(g, g) for g in jax.tree.leaves(grads)))
    scale = jnp.minimum(1, most / (norm + 1e-6))
    return jax.tree.map(lambda g: g * scale, grads)
