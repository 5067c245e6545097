"""Automatic differentiation: the graph, the engine that runs it backward, and the modes that steer recording."""

from importlib import import_module
from typing import Any

from rushlight.core.surface.lazy import missing, promise

# where the public names live; they are loaded when asked for, since core needs the modes before all this exists
PUBLIC = {
    "backward": "entry",
    "grad": "entry",
    "Function": "function",
    "FunctionCtx": "function",
    "gradcheck": "gradcheck",
    "gradgradcheck": "gradcheck",
    "detect_anomaly": "anomaly",
    "set_detect_anomaly": "anomaly",
    "no_grad": "modes",
    "enable_grad": "modes",
    "set_grad_enabled": "modes",
    "inference_mode": "modes",
    "Variable": "variable",
    "_is_checkpoint_valid": "entry",
    "_profiler_enabled": "profiler",
    "kineto_available": "profiler",
    "set_multithreading_enabled": "modes",
}
# torch's names of modules that are called otherwise here
OTHER_NAMES = {"grad_mode": "modes", "anomaly_mode": "anomaly"}
MODULES = (
    "anomaly",
    "engine",
    "entry",
    "forward_ad",
    "function",
    "functional",
    "graph",
    "hooks",
    "modes",
    "profiler",
    "profiler_util",
    "variable",
)

__all__ = [*(name for name in PUBLIC if not name.startswith("_")), "function", "functional", "graph"]


promise(__name__, (*PUBLIC, *OTHER_NAMES, *MODULES))


def __getattr__(name: str) -> Any:
    if name in PUBLIC:
        found = getattr(import_module(f"rushlight.autograd.{PUBLIC[name]}"), name)
        globals()[name] = found
        return found
    if name in MODULES or name in OTHER_NAMES:
        return import_module(f"rushlight.autograd.{OTHER_NAMES.get(name, name)}")
    raise missing("torch.autograd", name)
