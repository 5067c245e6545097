"""Helpers for networks: gradients clipped, parameters as one vector, computed or pruned; sequences packed."""

from rushlight.core.surface.lazy import names_of
from rushlight.nn.utils import rnn
from rushlight.nn.utils.clip_grad import (
    clip_grad_norm,
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)
from rushlight.nn.utils.convert_parameters import parameters_to_vector, vector_to_parameters
from rushlight.nn.utils.spectral_norm import remove_spectral_norm, spectral_norm
from rushlight.nn.utils.weight_norm import remove_weight_norm, weight_norm

# what is loaded when it is first asked for, by the file it is in
LATE = {
    "convert_conv2d_weight_memory_format": "memory_format",
    "convert_conv3d_weight_memory_format": "memory_format",
    "fuse_conv_bn_eval": "fusion",
    "fuse_conv_bn_weights": "fusion",
    "fuse_linear_bn_eval": "fusion",
    "fuse_linear_bn_weights": "fusion",
    "skip_init": "init",
}
FILES = ("fusion", "init", "memory_format", "parametrizations", "parametrize", "prune", "stateless")

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
    "parameters_to_vector",
    "remove_spectral_norm",
    "remove_weight_norm",
    "spectral_norm",
    "rnn",
    "vector_to_parameters",
    "weight_norm",
]

__getattr__ = names_of("rushlight.nn.utils", FILES, {name: f"nn.utils.{place}" for name, place in LATE.items()})
