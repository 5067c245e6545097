"""Calls on meta tensors: an op's results by shape, dtype and strides alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.core.memory.meta import Meta, bare, depends_on_data, like, no_data, reserve
from rushlight.core.object.tensor import Tensor
from rushlight.core.object.views import make_view
from rushlight.core.random.random import default_generator

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

ndarray = np.ndarray
# below this many elements the body itself says what comes out
SMALL = 1 << 14


def call_meta(op: Op, arguments: tuple, out: Any = None) -> Any:
    """As `call`, where a tensor among the arguments has no memory."""
    from rushlight.ops.machine import call

    if op.name in DATA_DEPENDENT:
        raise depends_on_data(DATA_DEPENDENT[op.name])
    check_devices(op, arguments)
    arrays, needs, cut = call.unwrap(op, arguments)
    results = results_of(op, arguments, arrays)
    if out is not None:
        refuse_other(out)
        return call.write_out(op, arguments, needs, results, out)
    if type(results) is tuple:
        return call.wrap_many(op, arguments, needs, cut, results)
    tensor = make_view(arguments[0], results) if op.is_view else call.new(Tensor)
    if not op.is_view:
        tensor._array = results
    call.give_history(op, arguments, needs, cut, tensor)
    return tensor


def results_of(op: Op, arguments: tuple, arrays: list) -> Any:
    """Meta arrays as the op's body, its dtype rule and its layout rule make them; views for a view op."""
    from rushlight.ops.machine import call

    if op.is_view:
        results = call.run(op, arguments, arrays)
        if type(results) is tuple:
            return tuple([each.view(Meta) for each in results])
        return results.view(Meta)
    found = by_shape(op, arguments, arrays)
    if found is not None:
        return found
    before = default_generator.clone_state()
    if op.name in NO_ZEROS:
        arrays = [np.ones_like(each) if type(each) is ndarray else each for each in arrays]
    elif op.body.__module__.startswith("rushlight.ops.linalg."):
        arrays = [identity(each) if type(each) is ndarray else each for each in arrays]
    try:
        results = call.run(op, arguments, arrays)
    finally:
        # no number is drawn for a tensor that keeps none
        default_generator.load_state_bytes(before.state_bytes())
    if type(results) is tuple:
        return tuple([like(each) for each in call.laid_out(op, arrays, results)])
    return like(results if op.layout is None or results.ndim < 2 else op.layout(op, arrays, results))


# which refuse zeros
NO_ZEROS = {"div", "floor_divide", "remainder", "fmod", "_multinomial", "_divided_floor", "_divided_trunc"}


def identity(array: ndarray) -> ndarray:
    """Ones on the diagonal of each matrix: a matrix to which nothing is impossible; ones where there is none."""
    made = np.empty_like(array)
    made[...] = 1 if array.ndim < 2 else np.eye(*array.shape[-2:])
    return made


def by_shape(op: Op, arguments: tuple, arrays: list) -> Any:
    """The result where the sizes alone tell it and the body would compute much; None elsewhere."""
    operands = [arrays[position] for position in op.tensors if type(arrays[position]) is ndarray]
    if op.name == "_drawn" and operands:
        return like(operands[0])
    if not operands or sum([each.size for each in operands]) < SMALL:
        return None
    rule = SIZES.get(op.name)
    if rule is not None:
        return rule(op, arguments, arrays, operands)
    if op.name in POINTWISE or is_pointwise(op):
        return pointwise(op, arguments, arrays, operands)
    return None


# more than one operand, or one, each element by itself
POINTWISE = {"copy_", "_to_copy", "clone", "fill", "zero", "where", "contiguous"}


def is_pointwise(op: Op) -> bool:
    """Whether the op's module says that it works on each element by itself."""
    return op.body.__module__.startswith("rushlight.ops.pointwise.")


def pointwise(op: Op, arguments: tuple, arrays: list, operands: list) -> ndarray | None:
    """The shape by broadcasting, the dtype by a call on one element."""
    shape = np.broadcast_shapes(*[each.shape for each in operands])
    tiny = [corner(each, op.name in NO_ZEROS) if type(each) is ndarray else each for each in arrays]
    from rushlight.ops.machine import call

    made = call.run(op, arguments, tiny)
    if type(made) is not ndarray or made.size != 1 or made.ndim != len(shape):
        return None
    # the layout rule looks at a result of the shape, of which it reads nothing that is kept
    found = reserve(shape, made.dtype)
    if op.layout is None or len(shape) < 2 or all([each.flags.c_contiguous for each in operands]):
        return found
    return like(op.layout(op, arrays, bare(found)))


def corner(array: ndarray, one: bool) -> ndarray:
    """One element of an array's dtype, in as many dimensions."""
    return (np.ones if one else np.zeros)((1,) * array.ndim, array.dtype)


def product(shape: Any) -> Any:
    """A rule for a product of matrices, from what its shape is."""

    def rule(op: Op, arguments: tuple, arrays: list, operands: list) -> ndarray | None:
        found = shape(operands)
        return None if found is None else reserve(found, np.result_type(*operands))

    return rule


def matmul_shape(operands: list) -> tuple[int, ...] | None:
    first, second = operands[0].shape, operands[1].shape
    if min(len(first), len(second)) < 2 or first[-1] != second[-2]:
        return None
    return (*np.broadcast_shapes(first[:-2], second[:-2]), first[-2], second[-1])


def added_shape(operands: list) -> tuple[int, ...] | None:
    return matmul_shape(operands[1:3]) if len(operands) == 3 else None


def linear_shape(operands: list) -> tuple[int, ...] | None:
    first, weight = operands[0].shape, operands[1].shape
    if not first or len(weight) != 2 or first[-1] != weight[1]:
        return None
    return (*first[:-1], weight[0])


def embedding(op: Op, arguments: tuple, arrays: list, operands: list) -> ndarray:
    """A row of the weight for each index."""
    weight, indices = sorted(operands[:2], key=lambda each: each.dtype.kind in "iu")
    return reserve((*indices.shape, weight.shape[-1]), weight.dtype)


SIZES = {
    "matmul": product(matmul_shape),
    "mm": product(matmul_shape),
    "bmm": product(matmul_shape),
    "addmm": product(added_shape),
    "baddbmm": product(added_shape),
    "nn.functional.linear": product(linear_shape),
    "linear": product(linear_shape),
    "nn.functional.embedding": embedding,
    "embedding": embedding,
}


def check_devices(op: Op, arguments: tuple) -> None:
    """Refuse tensors with memory beside those without; one without dimensions may come from anywhere."""
    tensors = []
    for position in op.tensors:
        value = arguments[position]
        if isinstance(value, Tensor):
            tensors.append(value)
        elif position in op.lists and isinstance(value, (list, tuple)):
            tensors += [each for each in value if isinstance(each, Tensor)]
    if op.name in MIXED or not tensors:
        return
    expected = tensors[0].device if tensors[0]._array.ndim else next(each for each in tensors if is_meta(each)).device
    for each in tensors:
        if each.device != expected and each._array.ndim:
            raise RuntimeError(
                f"Tensor on device {each.device} is not on the expected device {expected}! Expected all tensors to be "
                f"on the same device: move one of them with .to({str(expected)!r})"
            )


# whose shape, or whose only answer, is in the numbers
DATA_DEPENDENT = {
    "_pick_mask": "nonzero", "_rows_nonzero": "nonzero", "nonzero": "nonzero", "argwhere": "nonzero",
    "_distinct": "_unique2", "unique_consecutive": "unique_consecutive", "masked_select": "masked_select",
    "bincount": "bincount", "equal": "equal",
}  # fmt: skip
# indices may be numbers that are there
MIXED = {"_pick", "_pick_mask", "_put", "index_put"}


def is_meta(tensor: Tensor) -> bool:
    """Whether a tensor has no memory."""
    return type(tensor._array) is Meta


def refuse_other(out: Any) -> None:
    """Refuse an `out=` with memory for results that have none."""
    for each in out if isinstance(out, (tuple, list)) else (out,):
        if isinstance(each, Tensor) and not is_meta(each):
            raise RuntimeError(
                "Attempting to copy from device meta to device cpu, but cross-device copies are not allowed!"
            )


def check_target(op: Op, arguments: tuple) -> None:
    """Refuse to write what has no numbers into memory."""
    if is_meta(arguments[0]):
        return
    if "cop" in op.name:
        raise no_data()
    raise RuntimeError("Tensor on device meta is not on the expected device cpu!")
