"""Automatic differentiation: the graph, the engine that runs it backward, and the modes that steer recording.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from collections.abc import Mapping, Sequence
from typing import Any, overload

from rushlight.autograd import anomaly as anomaly
from rushlight.autograd import anomaly as anomaly_mode
from rushlight.autograd import engine as engine
from rushlight.autograd import entry as entry
from rushlight.autograd import forward_ad as forward_ad
from rushlight.autograd import function as function
from rushlight.autograd import functional as functional
from rushlight.autograd import graph as graph
from rushlight.autograd import hooks as hooks
from rushlight.autograd import modes as grad_mode
from rushlight.autograd import modes as modes
from rushlight.autograd import profiler as profiler
from rushlight.autograd import profiler_util as profiler_util
from rushlight.autograd import variable as variable
from rushlight.autograd.anomaly import detect_anomaly as detect_anomaly
from rushlight.autograd.anomaly import set_detect_anomaly as set_detect_anomaly
from rushlight.autograd.context import FunctionCtx as FunctionCtx
from rushlight.autograd.edges import GradientEdge
from rushlight.autograd.entry import backward as backward
from rushlight.autograd.function import Function as Function
from rushlight.autograd.gradcheck import gradcheck as gradcheck
from rushlight.autograd.gradcheck import gradgradcheck as gradgradcheck
from rushlight.autograd.modes import enable_grad as enable_grad
from rushlight.autograd.modes import inference_mode as inference_mode
from rushlight.autograd.modes import no_grad as no_grad
from rushlight.autograd.modes import set_grad_enabled as set_grad_enabled
from rushlight.autograd.modes import set_multithreading_enabled as set_multithreading_enabled
from rushlight.autograd.variable import Variable as Variable
from rushlight.core.object.tensor import Tensor
from rushlight.profiler import kineto_available as kineto_available
from rushlight.types import _bool

__all__ = [
    "Function",
    "FunctionCtx",
    "Variable",
    "anomaly",
    "anomaly_mode",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "engine",
    "entry",
    "forward_ad",
    "function",
    "functional",
    "grad",
    "grad_mode",
    "gradcheck",
    "gradgradcheck",
    "graph",
    "hooks",
    "inference_mode",
    "kineto_available",
    "modes",
    "no_grad",
    "profiler",
    "profiler_util",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
    "variable",
]

@overload
def grad(
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: _bool | None = None,
    create_graph: _bool = False,
    only_inputs: _bool = True,
    allow_unused: _bool | None = None,
    is_grads_batched: _bool = False,
    materialize_grads: _bool = False,
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: Tensor | GradientEdge | Sequence[Tensor | GradientEdge],
    inputs: Mapping[Any, Tensor],
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: _bool | None = None,
    create_graph: _bool = False,
    only_inputs: _bool = True,
    allow_unused: _bool | None = None,
    is_grads_batched: _bool = False,
    materialize_grads: _bool = False,
) -> dict[Any, Tensor]: ...
