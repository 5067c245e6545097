"""torch.nested: rows of different lengths in one tensor, which are left out; names that programs import."""

from rushlight.core.surface.refusals import make_modules, names_refused, table

WHY = "nested and jagged tensors are left out; pad with nn.utils.rnn.pad_sequence and keep a mask"
NAMES = table(
    """
    : as_nested_tensor masked_select narrow nested_tensor nested_tensor_from_jagged to_padded_tensor
    _internal:
    _internal.nested_tensor: NestedTensor ViewNestedFromBuffer _tensor_symint_registry
    _internal.ops: extract_kwargs
    """
)
__all__ = [*NAMES[""]]
__getattr__ = names_refused("rushlight.nested", NAMES[""], WHY)
make_modules("rushlight.nested", {place: names for place, names in NAMES.items() if place}, WHY)
