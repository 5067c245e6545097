"""torch.functional: functions that `torch` has too."""

from __future__ import annotations

from typing import Any

from rushlight.core.surface.lazy import missing, promise

__all__ = """
atleast_1d atleast_2d atleast_3d block_diag broadcast_shapes broadcast_tensors cartesian_prod cdist chain_matmul einsum
istft lu meshgrid norm pca_lowrank split stft svd_lowrank tensordot unique unique_consecutive unravel_index
""".split()
promise(__name__, __all__)


def __getattr__(name: str) -> Any:
    import rushlight

    # torch has this one as well, left out here: the error says why
    if name in __all__ or name == "align_tensors":
        return getattr(rushlight, name)
    # what torch's file imports, and programs take from there
    if name in ("F", "Tensor"):
        return rushlight.nn.functional if name == "F" else rushlight.Tensor
    raise missing("torch.functional", name)
