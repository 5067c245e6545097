"""What only TorchScript has: frozen modules, and files that hold code."""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

from rushlight.jit._script import refuse

T = TypeVar("T")


def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """Refused: there is no compiled code to write."""
    raise NotImplementedError(
        "torch.jit.save is not in Rushlight, which has no TorchScript: keep the parameters with "
        "torch.save(module.state_dict(), file), and the code in a Python file"
    )


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> NoReturn:
    """Refused: files of TorchScript hold code for another interpreter."""
    raise NotImplementedError(
        "torch.jit.load is not in Rushlight, which has no TorchScript: in PyTorch write the parameters with "
        "torch.save(torch.jit.load(file).state_dict(), other), and load them into the module's Python class"
    )


def freeze(mod: T, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> T:
    """The module itself, which must be in eval mode."""
    if getattr(mod, "training", False):
        raise RuntimeError("Freezing is currently only implemented for modules in eval mode. Please call .eval() first")
    return mod


def optimize_for_inference(mod: T, other_methods: list[str] | None = None) -> T:
    """The module itself."""
    return mod


def run_frozen_optimizations(mod: Any, optimize_numerics: bool = True, preserved_methods: Any = None) -> None:
    """Nothing: there is no graph to optimize."""


def export_opnames(m: Any) -> NoReturn:
    """Refused: there are no ops of TorchScript."""
    refuse("export_opnames")


def _get_trace_graph(f: Any, args: Any = (), kwargs: Any = None, **options: Any) -> NoReturn:
    """Refused: there is no graph of TorchScript."""
    raise NotImplementedError(
        "torch.jit._get_trace_graph is not in Rushlight, which has no TorchScript; torch.fx.symbolic_trace gives one"
    )
