"""How `linear_cross_entropy` is asked to save memory."""

from __future__ import annotations

import dataclasses
from typing import Any

from rushlight.core.numbers import dtypes

__all__ = ["LinearCrossEntropyOptions"]

POLICIES = ("accurate", "balanced", "compact", "auto")
DTYPES = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)


@dataclasses.dataclass(slots=True, frozen=True)
class LinearCrossEntropyOptions:
    """Taken and checked as in torch, where they trade time for memory; here they change nothing."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtypes.dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}; write one of {', '.join(POLICIES)}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or (colon and not (factor.isdigit() and int(factor))):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and not (isinstance(size, int) and size > 0):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype not in DTYPES:
            raise ValueError(
                "acc_dtype must be one of {None, torch.float16, torch.bfloat16, torch.float32, torch.float64}, got "
                f"{self.acc_dtype!r}."
            )

    def _adjust(self, num_batches: int, in_features: int, num_classes: int, dtype: Any, device: Any = None) -> Any:
        """The same options with nothing left open, for inputs of these sizes."""
        half = device is not None and dtype in (dtypes.float16, dtypes.bfloat16)
        policy, method, size = self.acc_policy, self.chunking_method, self.batch_chunk_size
        if policy == "auto":
            policy = "accurate" if half else "compact"
        if method == "auto":
            method = None if size is not None else "aspect_ratio" if half else "aspect_ratio:2"
        found = num_batches if size is None else min(size, num_batches)
        if method is not None:
            found = dataclasses.replace(self, chunking_method=method).chunk(num_batches, in_features, num_classes)
            if size is not None and size != found:
                raise ValueError(
                    f"batch_chunk_size (={size}) and chunking_method ('{method}') give different chunk sizes ({size} "
                    f"vs {found}); pass only one."
                )
        wider = dtypes.float32 if half and self.acc_policy == "auto" else dtype
        return dataclasses.replace(
            self,
            acc_policy=policy,
            chunking_method=method,
            batch_chunk_size=max(1, found),
            acc_dtype=self.acc_dtype or wider,
        )

    def chunk(self, rows: int, features: int, classes: int) -> int:
        """How many rows at a time `chunking_method` would take."""
        factor = int(str(self.chunking_method).partition(":")[2] or 1)
        wanted = -(-rows // -(-classes // features))
        return max(1, min((1 << (wanted - 1).bit_length()) // factor, rows))
