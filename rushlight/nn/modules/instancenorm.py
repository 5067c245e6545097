"""Instance normalization: each channel of each example brought to mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.errors.warning import warn
from rushlight.nn import functional as F
from rushlight.nn.modules.batchnorm import _NormBase

__all__ = ["InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d"]


class _InstanceNorm(_NormBase):
    """What the instance norms share; without weights and running statistics unless asked for."""

    dims: int

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (self.dims + 1, self.dims + 2):
            raise ValueError(f"expected {self.dims + 1}D or {self.dims + 2}D input (got {input.ndim}D input)")

    def _get_no_batch_dim(self) -> int:
        """The number of dimensions of one example."""
        return self.dims + 1

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        channel = input.ndim - self.dims - 1
        if input.shape[channel] != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={channel} to match num_features ({self.num_features}), but got: "
                    f"{input.shape[channel]}."
                )
            warn(
                f"input's size at dim={channel} does not match num_features. You can silence this warning by not "
                "passing in num_features, which is not used because affine=False"
            )
        if input.ndim == self.dims + 1:
            return self.normalized(input.unsqueeze(0)).squeeze(0)
        return self.normalized(input)

    def normalized(self, input: Tensor) -> Tensor:
        use_input = self.training or not self.track_running_stats
        momentum = 0.0 if self.momentum is None else self.momentum
        return F.instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, use_input, momentum, self.eps
        )

    def _load_from_state_dict(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict,
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        if local_metadata.get("version") is None and not self.track_running_stats:
            name = type(self).__name__
            found = [each for each in ("running_mean", "running_var") if prefix + each in state_dict]
            if found:
                shown = " and ".join(f'"{prefix + each}"' for each in found)
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {shown} for {name} with track_running_stats=False: leave them "
                    "out of the state dict, or make the layer with track_running_stats=True."
                )
                for each in found:
                    state_dict.pop(prefix + each)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class InstanceNorm1d(_InstanceNorm):
    """Mean 0 and variance 1 for each channel of each example of `(N, C, L)` or `(C, L)`."""

    dims = 1


class InstanceNorm2d(_InstanceNorm):
    """Mean 0 and variance 1 for each channel of each image of `(N, C, H, W)` or `(C, H, W)`."""

    dims = 2


class InstanceNorm3d(_InstanceNorm):
    """Mean 0 and variance 1 for each channel of each volume of `(N, C, D, H, W)` or `(C, D, H, W)`."""

    dims = 3


__getattr__ = names_of(
    "rushlight.nn.modules.instancenorm", (), {f"LazyInstanceNorm{dims}d": "nn.modules.lazy_norm" for dims in (1, 2, 3)}
)
