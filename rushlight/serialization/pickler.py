"""Pickling for files: tensors, dtypes, generators and kin in the forms that torch reads, storages on the side."""

from __future__ import annotations

import io
from inspect import unwrap
from typing import Any

from rushlight.core.memory.deferred import CONJUGATE, NEGATIVE, flips_of
from rushlight.core.memory.layout import layout, memory_format
from rushlight.core.memory.public_storage import untyped_storage_of
from rushlight.core.numbers import dtypes
from rushlight.core.object.tensor import Tensor, geometry_of
from rushlight.core.random.streams import Generator
from rushlight.core.settings.device import device
from rushlight.errors.warning import warn
from rushlight.serialization import rebuilding
from rushlight.serialization.locations import location_tag
from rushlight.serialization.opcodes import renamed
from rushlight.serialization.rebuilding import no_hooks, state_of

# by the names that files have for them, so that every pickler finds them there
from rushlight.storage import KINDS, TypedStorage, UntypedStorage


class Storages:
    """The storages that a pickle refers to, each with a key."""

    def __init__(self) -> None:
        self.keys: dict[int, str] = {}
        self.held: dict[str, tuple[UntypedStorage, dtypes.dtype]] = {}
        self.kinds: dict[int, dtypes.dtype] = {}

    def key_of(self, storage: UntypedStorage) -> str:
        return self.keys.setdefault(storage._cdata, str(len(self.keys)))

    def identify(self, found: Any) -> tuple | None:
        """What stands for a storage in the pickle; None for anything else."""
        if isinstance(found, TypedStorage):
            storage, kind = found.untyped(), found.dtype
            made: Any = KINDS[kind]
            count = found.size()
        elif isinstance(found, UntypedStorage):
            storage, kind, made, count = found, dtypes.uint8, UntypedStorage, found.nbytes()
        else:
            return None
        if storage.nbytes() and self.kinds.setdefault(storage._address, kind) is not kind:
            raise RuntimeError(
                "Cannot save multiple tensors or storages that view the same data as different types: save a clone() "
                f"of the one or the other ({kind} and {self.kinds[storage._address]})"
            )
        key = self.key_of(storage)
        self.held[key] = storage, kind
        return "storage", made, key, location_tag(storage), count


def pickled(found: Any, module: Any, protocol: int, identify: Any) -> bytes:
    """The pickle of an object, in torch's names; `identify` says what is left out and what stands for it."""

    class Pickler(module.Pickler):
        """One that knows torch's forms of tensors."""

        def persistent_id(self, obj: Any) -> Any:
            """What stands for a storage."""
            return identify(obj)

        def reducer_override(self, obj: Any) -> Any:
            """torch's form of what is ours."""
            form = FORMS.get(type(obj))
            if form is not None:
                return form(obj)
            if isinstance(obj, Tensor):
                return form_of_tensor(obj)
            if isinstance(obj, dtypes.dtype):
                # a rare one
                return form_of_dtype(obj)
            outer = getattr(super(), "reducer_override", None)
            if outer is not None:
                return outer(obj)
            return form_of_results(obj) if type(obj).__module__ == "rushlight.return_types" else NotImplemented

    data = io.BytesIO()
    Pickler(data, protocol=protocol).dump(found)
    return renamed(data.getvalue())


def form_of_tensor(tensor: Tensor) -> Any:
    """A tensor as a function of files and its arguments."""
    if type(tensor) is not Tensor:
        return form_of_subclass(tensor)
    warn_of_hooks(tensor)
    state = state_of(tensor)
    return plain_form(tensor) if state is None else form_with_type(tensor, state)


def form_of_subclass(tensor: Tensor) -> Any:
    """A parameter, or a tensor of somebody's class, as a function of files and its arguments."""
    # not at the top: plain tensors are saved and loaded without all of `nn`
    from rushlight.nn.parameter import Parameter, UninitializedTensorMixin

    # that of a subclass asks the class first
    ours = (Tensor.__reduce_ex__, UninitializedTensorMixin.__reduce_ex__)
    if unwrap(type(tensor).__reduce_ex__) not in ours:
        return NotImplemented
    if isinstance(tensor, UninitializedTensorMixin):
        return type(tensor), (tensor.requires_grad,)
    warn_of_hooks(tensor)
    state = state_of(tensor)
    if type(tensor) is not Parameter:
        return form_with_type(tensor, state)
    arguments = (tensor.data, tensor.requires_grad, no_hooks())
    if state is None:
        return rebuilding._rebuild_parameter, arguments
    return rebuilding._rebuild_parameter_with_state, (*arguments, state)


def form_with_type(tensor: Tensor, state: Any) -> tuple[Any, tuple]:
    function, arguments = plain_form(tensor)
    return rebuilding._rebuild_from_type_v2, (function, type(tensor), arguments, state)


def plain_form(tensor: Tensor) -> tuple[Any, tuple]:
    size, stride, offset = geometry_of(tensor)
    if tensor.is_meta:
        return rebuilding._rebuild_meta_tensor_no_storage, (tensor.dtype, size, stride, tensor.requires_grad)
    flips = flips_of(tensor._array)
    bits = {name: True for name, bit in (("conj", CONJUGATE), ("neg", NEGATIVE)) if flips & bit}
    metadata = (bits,) if bits else ()
    rest = (offset, tuple(size), tuple(stride), tensor.requires_grad, no_hooks())
    # an optimizer that finds its state with a storage lays it out anew: saving must not do that
    kind, storage = tensor.dtype, untyped_storage_of(tensor)
    if kind not in KINDS:
        return rebuilding._rebuild_tensor_v3, (storage, *rest, kind, *metadata)
    return rebuilding._rebuild_tensor_v2, (TypedStorage(wrap_storage=storage, dtype=kind), *rest, *metadata)


def warn_of_hooks(tensor: Tensor) -> None:
    for hook in (tensor._hooks or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warn(
                f"backward hook {hook!r} on tensor will not be serialized. If this is expected, you can decorate the "
                "function with @torch.utils.hooks.unserializable_hook to suppress this warning"
            )


def form_of_dtype(kind: dtypes.dtype) -> str:
    return "bool_" if kind is dtypes.bool_ else kind.name


def form_of_device(place: device) -> tuple:
    return device, (place.type,) if place.index is None else (place.type, place.index)


def form_of_generator(generator: Generator) -> tuple:
    return Generator, (generator.device,), (generator.initial_seed(), None, generator.get_state())


def form_of_layout(kind: layout) -> tuple:
    return rebuilding._get_layout, (repr(kind),)


def form_of_format(kind: memory_format) -> str:
    return kind.name


def form_of_results(results: Any) -> tuple:
    return type(results), (tuple(results), {})


FORMS: dict[type, Any] = {
    dtypes.dtype: form_of_dtype,
    device: form_of_device,
    Generator: form_of_generator,
    layout: form_of_layout,
    memory_format: form_of_format,
    Tensor: form_of_tensor,
}
