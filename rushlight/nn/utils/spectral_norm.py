"""Spectral normalization, torch's older form: a hook divides the weight before each call."""

from __future__ import annotations

from typing import Any

from rushlight.autograd.modes import no_grad
from rushlight.core.object.tensor import Tensor
from rushlight.nn import functional as F
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter, is_lazy

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """The hook: the weight `name` is `name_orig` over its largest singular value, found with `name_u`, `name_v`."""

    _version: int = 1

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        self.name = name
        self.dim = dim
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight with `dim` as its rows and all else as its columns."""
        return weight.movedim(self.dim, 0).flatten(1) if weight.ndim > 1 else weight.reshape(len(weight), 1)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Tensor:
        """The weight, after a step of the power method where asked for."""
        weight, u, v = (getattr(module, self.name + part) for part in ("_orig", "_u", "_v"))
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with no_grad():
                for _ in range(self.n_power_iterations):
                    v = F.normalize(matrix.t().mv(u), dim=0, eps=self.eps, out=v)
                    u = F.normalize(matrix.mv(v), dim=0, eps=self.eps, out=u)
                # clones: the next step writes into the buffers, and backward needs what they are now
                u, v = u.clone(), v.clone()
        return weight / u.dot(matrix.mv(v))

    def remove(self, module: Any) -> None:
        """Make the weight a plain parameter again."""
        with no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for part in ("", "_u", "_v", "_orig"):
            delattr(module, self.name + part)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Take the weight of a module apart, and hook the module."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        made = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        with no_grad():
            rows, columns = made.reshape_weight_to_matrix(weight).shape
            u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        delattr(module, name)
        module.register_parameter(name + "_orig", weight)
        # a plain attribute until the hook has run
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(made)
        module._register_state_dict_hook(Saving(made))
        module._register_load_state_dict_pre_hook(Loading(made))
        return made

    def _solve_v_and_rescale(self, weight_mat: Tensor, u: Tensor, target_sigma: Tensor) -> Tensor:
        """The vector that gives `u` and this singular value: what state dicts of torch 0.4 leave out."""
        inverse = (weight_mat.t() @ weight_mat).pinverse()
        v = inverse @ weight_mat.t() @ u
        return v.mul_(target_sigma / u.dot(weight_mat.mv(v)))


class Saving:
    """Notes in a state dict by which version of the hook it was made."""

    def __init__(self, hook: SpectralNorm) -> None:
        self.fn = hook

    def __call__(self, module: Module, state_dict: dict, prefix: str, local_metadata: dict) -> None:
        noted = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in noted:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        noted[key] = self.fn._version


class Loading:
    """Reads state dicts of torch 0.4, which have the weight itself and no `v`."""

    def __init__(self, hook: SpectralNorm) -> None:
        self.fn = hook

    def __call__(
        self,
        state_dict: dict,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        fn, key = self.fn, prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(fn.name + ".version")
        if version is not None and version >= 1:
            return
        complete = all(key + each in state_dict for each in ("_orig", "_u", "_v"))
        if version is None and complete and key not in state_dict:
            # saved by today's form, and read without what it noted
            return
        absent = [key + each for each in ("_orig", "", "_u") if key + each not in state_dict]
        if absent:
            missing_keys += absent if strict else []
            return
        with no_grad():
            weight = state_dict[key + "_orig"]
            sigma = (weight / state_dict.pop(key)).mean()
            matrix = fn.reshape_weight_to_matrix(weight)
            state_dict[key + "_v"] = fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


def default_dim(module: Module) -> int:
    """The dimension of outputs: the second one in the weight of a transposed convolution."""
    return int(any(kind.__name__.startswith("ConvTranspose") for kind in type(module).__mro__))


def spectral_norm(
    module: Module, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Module:
    """Keep the largest singular value of a weight at 1."""
    SpectralNorm.apply(module, name, n_power_iterations, default_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: Module, name: str = "weight") -> Module:
    """Make the weight a plain parameter again."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    for hooks in (module._state_dict_hooks, module._load_state_dict_pre_hooks):
        for number, each in list(hooks.items()):
            if isinstance(each, (Saving, Loading)) and each.fn.name == name:
                del hooks[number]
    return module
