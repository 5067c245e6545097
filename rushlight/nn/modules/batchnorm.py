"""Batch normalization: each channel brought to mean 0 and variance 1 over a batch, with running statistics."""

from __future__ import annotations

from typing import Any

from rushlight.core.creation.creation import tensor
from rushlight.core.creation.filled import empty, ones, zeros
from rushlight.core.numbers.dtypes import dtype as Dtype
from rushlight.core.numbers.dtypes import int64
from rushlight.core.object.tensor import Tensor
from rushlight.core.surface.lazy import names_of
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm"]


class _NormBase(Module):
    """What norms with a number for each channel share: weight, bias and running statistics."""

    # from 2 on, `num_batches_tracked` is part of the state
    _version = 2
    weight: Any
    bias: Any
    running_mean: Any
    running_var: Any
    num_batches_tracked: Any

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        make = lambda: Parameter(empty(num_features, device=device, dtype=dtype))
        self.register_parameter("weight", make() if affine else None)
        self.register_parameter("bias", make() if affine and bias else None)
        track = track_running_stats
        self.register_buffer("running_mean", zeros(num_features, device=device, dtype=dtype) if track else None)
        self.register_buffer("running_var", ones(num_features, device=device, dtype=dtype) if track else None)
        self.register_buffer("num_batches_tracked", tensor(0, dtype=int64, device=device) if track else None)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1, and start to count anew."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Set the weight to 1, the bias to 0, and the statistics back."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def _check_input_dim(self, input: Tensor) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
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
        version = local_metadata.get("version")
        key = prefix + "num_batches_tracked"
        if (version is None or version < 2) and self.track_running_stats and key not in state_dict:
            own = self.num_batches_tracked
            known = own is not None and own.device.type != "meta"
            state_dict[key] = own if known else tensor(0, dtype=int64)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )


class _BatchNorm(_NormBase):
    """What the batch norms share: statistics of the batch in training, the running ones else."""

    def forward(self, input: Tensor) -> Tensor:
        self._check_input_dim(input)
        return self.normalized(input)

    def normalized(self, input: Tensor) -> Tensor:
        """The input, normalized; in training the running statistics move towards the batch's."""
        momentum = 0.0 if self.momentum is None else self.momentum
        tracking = self.track_running_stats
        if self.training and tracking and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:  # the mean over all batches
                momentum = 1.0 / float(self.num_batches_tracked)
        mean, variance = self.running_mean, self.running_var
        use_batch = self.training or (mean is None and variance is None)
        if self.training and not tracking:
            mean = variance = None
        return F.batch_norm(input, mean, variance, self.weight, self.bias, use_batch, momentum, self.eps)


class BatchNorm1d(_BatchNorm):
    """Mean 0 and variance 1 for each channel over a batch `(N, C)` or `(N, C, L)`, then a learned weight and bias.

    In evaluation the running statistics are used, which move by `momentum` with each batch in training.
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.ndim}D input)")


class BatchNorm2d(_BatchNorm):
    """Mean 0 and variance 1 for each channel over a batch of images `(N, C, H, W)`, then a learned weight and bias.

    >>> torch.nn.BatchNorm2d(3)(torch.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.ndim}D input)")


class BatchNorm3d(_BatchNorm):
    """Mean 0 and variance 1 for each channel over a batch of volumes `(N, C, D, H, W)`."""

    def _check_input_dim(self, input: Tensor) -> None:
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.ndim}D input)")


class SyncBatchNorm(_BatchNorm):
    """`BatchNorm` of any number of dimensions, with the statistics of the inputs of all processes of a group.

    Without a group it is an ordinary one.
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Dtype | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.ndim}D input)")

    def forward(self, input: Tensor) -> Tensor:
        from importlib import import_module

        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        distributed = import_module("rushlight.distributed.process_group")
        if not (by_batch and distributed.is_initialized() and distributed.get_world_size(self.process_group) > 1):
            return super().forward(input)
        self._check_input_dim(input)
        return import_module("rushlight.distributed.nn.batch_norm").normalized(self, input)

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with every batch norm in it replaced by one of this class, with the same parameters."""
        found = module
        if isinstance(module, _BatchNorm):
            found = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
                setattr(found, name, getattr(module, name))
            found.training = module.training
        for name, child in module.named_children():
            found.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return found


__getattr__ = names_of(
    "rushlight.nn.modules.batchnorm", (), {f"LazyBatchNorm{dims}d": "nn.modules.lazy_norm" for dims in (1, 2, 3)}
)
