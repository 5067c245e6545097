"""The caller: one way from a torch call to the body of its op and, if gradients are wanted, to a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core import dtypes
from rushlight.core.dtypes import DIFFERENTIABLE
from rushlight.core.location import user_line
from rushlight.core.quiet import QUIET, floating_point
from rushlight.core.tensor import Tensor, new, storage_of
from rushlight.core.views import MULTIPLE, check_writable, make_view

if TYPE_CHECKING:
    from rushlight.ops.declare import Op, Plan

ndarray, asarray = np.ndarray, np.asarray
NUMBERS = {int, float, bool, complex, np.float64}


def call(op: Op, arguments: tuple, out: Any = None) -> Any:
    """Run an op: arrays out of tensors, dtype rule, body, tensors around the results, a node."""
    arrays = list(arguments)
    needs = 0
    cut = None
    for position in op.tensors:
        value = arguments[position]
        if isinstance(value, Tensor):
            arrays[position] = value._array
            if value._requires_grad or (value._base is not None and value._base._requires_grad):
                needs |= 1 << position
            elif value._cut is not None:
                cut = value._cut
        elif type(value) not in NUMBERS or position in op.strict:
            needs |= unwrap_other(op, position, value, arrays)
            if position in op.lists:
                cut = next((each._cut for each in value if each._cut is not None), cut)
    results = run(op, arguments, arrays)
    if out is not None:
        return write_out(op, needs, results, out)
    if type(results) is not ndarray:
        return wrap_many(op, arguments, needs, cut, results)
    tensor = make_view(arguments[0], results) if op.is_view else new(Tensor)
    tensor._array = results
    if needs:
        needs &= op.differentiable
        if needs and state.grad and results.dtype in DIFFERENTIABLE:
            tensor._node = op.node_class(arguments)(op.plan(needs), arguments, (tensor,))
            tensor._requires_grad = True
        else:
            mark_cut(op, (tensor,))
    elif cut is not None:
        tensor._cut = cut
    if state.inference:
        tensor._inference = True
    return tensor


def unwrap_other(op: Op, position: int, value: Any, arrays: list) -> int:
    """Unwrap what is neither a tensor nor a number; returns the bit of a list that requires grad."""
    if position not in op.lists:
        arrays[position] = odd_argument(op, position, value)
        return 0
    values = tensor_list(op, position, value)
    arrays[position] = [each._array for each in values]
    return any([each.requires_grad for each in values]) << position


def run(op: Op, arguments: tuple, arrays: list) -> Any:
    """Apply the dtype rule and the body; the results are arrays of the rule's dtype."""
    expected = None
    token = floating_point.set(QUIET)
    try:
        expected = op.rule(op, arrays)
        results = op.positional(*arrays)
    except Exception as error:
        from rushlight.ops import explain

        results = explain.recover(op, arguments, arrays, error)
    finally:
        floating_point.reset(token)
    if type(results) is not ndarray:
        if type(results) is tuple or type(results) is list:
            return tuple([rounded(asarray(each), expected) for each in results])
        results = asarray(results)
    if expected is not None and results.dtype is not expected:
        results = results.astype(expected)
    return results


def rounded(array: ndarray, expected: np.dtype | None) -> ndarray:
    """One of several results: back in half precision if it was computed for that."""
    return array.astype(expected) if expected in dtypes.HALF and array.dtype == np.float32 else array


def wrap_many(op: Op, arguments: tuple, needs: int, cut: tuple | None, results: tuple) -> Any:
    """Tensors around several results, as a named tuple where torch has one."""
    tensors = []
    for array in results:
        tensor = make_view(arguments[0], array) if op.is_view else new(Tensor)
        tensor._array = array
        if op.is_view and state.grad:
            tensor._made = MULTIPLE
        tensors.append(tensor)
    if needs and tensors:
        needs &= op.differentiable
        if needs and state.grad:
            node = op.node_class(arguments)(op.plan(needs), arguments, tuple(tensors))
            for number, tensor in enumerate(tensors):
                if tensor._array.dtype in DIFFERENTIABLE:
                    tensor._node, tensor._output, tensor._requires_grad = node, number, True
                else:
                    tensor._cut = ("indices", node.place)
        else:
            mark_cut(op, tuple(tensors))
    elif cut is not None:
        for tensor in tensors:
            tensor._cut = cut
    if state.inference:
        for tensor in tensors:
            tensor._inference = True
    return op.results(*tensors) if op.returns is not None else tuple(tensors)


def mark_cut(op: Op, tensors: tuple[Tensor, ...]) -> None:
    """Note on results without history what cut it, for a later message."""
    if state.backward:
        return
    reason = op.name if state.grad else "inference" if state.inference else "no_grad"
    for tensor in tensors:
        tensor._cut = (reason, user_line())


def call_inplace(op: Op, arguments: tuple) -> Tensor:
    """Run an op and write its result into the first argument, history included."""
    target = arguments[0]
    if not isinstance(target, Tensor):
        odd_argument(op, 0, target)
    arrays = list(arguments)
    needs = 0
    cut = None
    for position in op.tensors:
        value = arguments[position]
        if isinstance(value, Tensor):
            arrays[position] = value._array
            needs |= value.requires_grad << position
            if value._cut is not None:
                cut = value._cut
        elif type(value) not in NUMBERS or position in op.strict:
            needs |= unwrap_other(op, position, value, arrays)
    needs &= op.differentiable
    recording = state.grad and needs and target._array.dtype in DIFFERENTIABLE
    if recording:
        check_target(target)
        plan = op.plan(needs)
        before = before_write(target, arguments, plan.keeps_input)
    results = run(op, arguments, arrays)
    write(op, target, results if type(results) is ndarray else results[0])
    if recording:
        record_write(op, plan, before, target)
    elif needs or cut is not None:
        pass_cut(target, cut)
    return target


def pass_cut(target: Tensor, cut: tuple | None) -> None:
    """After a write that was not recorded: what was written had a history, which was cut here or before."""
    cut = cut or ("inference" if state.inference else "no_grad", target._storage.writer)
    target._cut = cut
    if target._base is not None:
        target._base._cut = cut


def call_either(op: Op, arguments: tuple) -> Tensor:
    """Run an op that has an `inplace=` option, as that says."""
    return (call_inplace if arguments[op.positions["inplace"]] else call)(op, arguments)


def check_target(target: Tensor) -> None:
    """Refuse a recorded write to a leaf that requires grad, or through a view that cannot follow."""
    base = target._base
    if base is not None:
        check_writable(target)
        if base._node is None and target.requires_grad:
            raise_leaf(target, "a view of a leaf Variable that requires grad is being used in an in-place operation.")
    elif target._requires_grad and target._node is None:
        raise_leaf(target, "a leaf Variable that requires grad is being used in an in-place operation.")


def raise_leaf(target: Tensor, words: str) -> None:
    from rushlight.autograd import explain

    raise explain.leaf_write(target, words)


def before_write(target: Tensor, arguments: tuple, keeps_input: bool) -> tuple:
    """The arguments of an in-place op with their histories before it; on `keeps_input` the input's value too."""
    # a view could take its history from the write, or refuse to when that is done
    arguments = tuple(
        [
            with_history(each, each._array)
            if isinstance(each, Tensor) and each._base is not None and each.grad_fn is not None
            else each
            for each in arguments
        ]
    )
    return (with_history(target, target._array.copy()), *arguments[1:]) if keeps_input else arguments


def with_history(tensor: Tensor, array: ndarray) -> Tensor:
    """The array with the history that the tensor has now, and with its storage if it is the tensor's own."""
    made = new(Tensor)
    made._array = array
    if array is tensor._array:
        made._storage = tensor._storage
    made._node, made._output, made._requires_grad = tensor.grad_fn, tensor._output, tensor.requires_grad
    return made


def write(op: Op, target: Tensor, result: ndarray) -> None:
    """Put a result into a tensor's memory, counting the write."""
    array = target._array
    if result.shape != array.shape:
        require_shape(array, result)
    if result.dtype != array.dtype:
        require_castable(result, array)
    if not array.flags.writeable or 0 in array.strides:
        require_writable(array)
    if target._inference:
        check_inference()
    array[...] = result
    written(target)


def check_inference() -> None:
    """Refuse a write to a tensor made in inference mode, outside of it."""
    if not state.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a "
            "normal tensor before doing inplace update."
        )


def written(target: Tensor) -> None:
    """Count a write, and keep its line for the message of a backward that needed the old value."""
    storage = target._storage
    if storage is None:
        storage = storage_of(target)
    storage.version += 1
    storage.writer = user_line()


def require_shape(array: ndarray, result: ndarray) -> None:
    if np.broadcast_shapes(array.shape, result.shape) != array.shape:
        raise RuntimeError(
            f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(result.shape)}"
            "\n  fix: an in-place operation keeps its shape: write the result to a new tensor (y = x + z, not x += z)"
        )


def require_castable(result: ndarray, array: ndarray) -> None:
    have, want = dtypes.from_numpy(result.dtype), dtypes.from_numpy(array.dtype)
    if have.category > want.category:
        raise RuntimeError(
            f"result type {torch_scalar(have)} can't be cast to the desired output type {torch_scalar(want)}"
            f"\n  fix: write the result to a new tensor (y = x + z, not x += z), or convert the {want.name} one first: "
            f"x.to(torch.{have.name})"
        )


def require_writable(array: ndarray) -> None:
    if array.size and any(
        step == 0 and extent > 1 for step, extent in zip(array.strides, array.shape, strict=True)
    ):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
    if not array.flags.writeable:
        array.flags.writeable = True  # torch writes through read-only NumPy memory too; from_numpy has warned


SCALAR_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


def torch_scalar(kind: dtypes.dtype) -> str:
    """torch's other name for a dtype, used in its messages."""
    return SCALAR_NAMES[kind.name]


def record_write(op: Op, plan: Plan, before: tuple, target: Tensor) -> None:
    """After a write: a node, made of what `before_write` gave, becomes the target's history."""
    node = op.node_class(before)(plan, before, (target,))
    if plan.keeps_tensors:
        node.outdate(target._storage)
    rebase(target, node)


def rebase(target: Tensor, node: Any) -> None:
    """Make `node` the target's history; a write through a view becomes history of its base as well."""
    target._node, target._output, target._requires_grad = node, 0, True
    target._retains = False
    base = target._base
    if base is not None:
        from rushlight.ops.strided import rebase_base

        rebase_base(base, target)


def write_out(op: Op, needs: int, results: Any, out: Any) -> Any:
    """Put results into the tensors given as `out=`, resized as torch does."""
    if needs and state.grad and op.gradients:
        raise RuntimeError(
            f"{op.name.rpartition('.')[2]}(): functions with out=... arguments don't support automatic "
            "differentiation, but one of the arguments requires grad."
        )
    from rushlight.ops.out import write_results

    return write_results(op, results, out)


def tensor_list(op: Op, position: int, value: Any) -> list[Tensor]:
    """A sequence of tensors; a TypeError in torch's words for anything else."""
    if not isinstance(value, (list, tuple)):
        odd_argument(op, position, value, wanted="tuple of Tensors")
    for number, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {number} in argument {position}, but got {type(each).__name__}"
            )
    return list(value)


def odd_argument(op: Op, position: int, value: Any, wanted: str = "Tensor") -> Any:
    """NumPy scalars become Python numbers and None may stand for an optional tensor; the rest is refused."""
    if value is None and position in op.optional:
        return None
    if isinstance(value, np.generic) and position not in op.strict and wanted == "Tensor":
        return value.item()
    raise TypeError(
        f"{op.name.rpartition('.')[2]}(): argument '{op.names[position]}' (position {position + 1}) must be {wanted}, "
        f"not {type(value).__module__ + '.' if isinstance(value, ndarray) else ''}{type(value).__name__}"
    )
