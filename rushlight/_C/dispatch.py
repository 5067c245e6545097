"""Dispatch keys: torch's names for the layers that a call passes; here there is one, the CPU with its gradients."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

BACKENDS = "CPU CUDA HIP XLA MPS IPU XPU HPU VE Lazy MTIA MAIA PrivateUse1 PrivateUse2 PrivateUse3 Meta".split()
NAMES = """
Undefined CompositeExplicitAutogradNonFunctional CompositeExplicitAutograd CompositeImplicitAutogradNestedTensor
CompositeImplicitAutograd AutogradNestedTensor AutogradOther Autograd Conjugate ZeroTensor Negative BackendSelect
ADInplaceOrView PythonTLSSnapshot Python FuncTorchDynamicLayerFrontMode FuncTorchDynamicLayerBackMode
FuncTorchBatchedDecomposition FuncTorchBatched FuncTorchVmapMode FuncTorchGradWrapper PythonDispatcher PreDispatch
Functionalize AutocastCPU AutocastMPS AutocastXPU AutocastHPU AutocastIPU AutocastCUDA AutocastPrivateUse1
""".split()
for _kind in ("", "Quantized", "Sparse", "SparseCsr", "NestedTensor", "Autograd"):
    NAMES += [
        {"": "Dense", "Autograd": "AutogradFunctionality"}.get(_kind, _kind),
        *(f"{_kind}{each}" for each in BACKENDS),
    ]

DispatchKey: Any = enum.Enum("DispatchKey", {name: number for number, name in enumerate(NAMES)}, module="torch")  # type: ignore[misc]


class DispatchKeySet:
    """Some keys, in torch's order."""

    def __init__(self, *keys: Any):
        self.keys = frozenset(DispatchKey(each) for each in keys)

    def has(self, key: Any) -> bool:
        """Whether a key is among them."""
        return key in self.keys

    def add(self, key: Any) -> DispatchKeySet:
        """These and one more."""
        return DispatchKeySet(*self.keys, key)

    def remove(self, key: Any) -> DispatchKeySet:
        """These without one."""
        return DispatchKeySet(*(self.keys - {key}))

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self.keys, *other.keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys & other.keys))

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys - other.keys))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self.keys == other.keys

    def __hash__(self) -> int:
        return hash(self.keys)

    def __iter__(self) -> Iterator[Any]:
        return iter(sorted(self.keys, key=lambda each: each.value))

    def __repr__(self) -> str:
        shown = sorted(self.keys, key=lambda each: SHOWN.get(each.name, len(SHOWN)))
        return f"DispatchKeySet({', '.join(each.name for each in shown)})"


SHOWN = {"CPU": 0, "ADInplaceOrView": 1, "AutogradCPU": 2, "AutocastCPU": 3}


def _dispatch_keys(tensor: Any) -> DispatchKeySet:
    """The keys of a tensor: those of the CPU."""
    return DispatchKeySet(*(DispatchKey[name] for name in SHOWN))


def _dispatch_key_name(key: Any) -> str:
    """The name of a key."""
    return str(DispatchKey(key).name)
