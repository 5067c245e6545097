"""In-place calls: an op's result written into its first argument, history included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.meta import Meta
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import COUNTED, Tensor, new, storage_of
from rushlight.core.object.views import check_writable
from rushlight.errors.explained import RESULT, SHAPES, explained, is_late
from rushlight.errors.location import user_line
from rushlight.native import extension
from rushlight.ops.machine.call import call, run, unwrap, wrong_argument
from rushlight.ops.machine.overlap import may_write_expanded, refuse_overlap, write_changed
from rushlight.ops.machine.walking import shares_places, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from rushlight.ops.machine.declare import Op, Plan

ndarray = np.ndarray
# torch has no derivative for these, not even one that refuses: they write to leaves
UNTRACKED = {"logical_and", "logical_not", "logical_or", "logical_xor"}
# a copy into integers takes no history along: it may go through a view that could not follow
UNASKED = UNTRACKED | {"_copy", "_copy_itself"}


def call_inplace(op: Op, arguments: tuple) -> Tensor:
    """Run an op and write its result into the first argument, history included."""
    target = arguments[0]
    if not isinstance(target, Tensor):
        raise wrong_argument(op, 0, target, form="_")
    if state.levels:
        refuse_captured(target, op.name)
    arrays, needs, cut = unwrap(op, arguments)
    if any([type(each) is Lifted or (type(each) is list and holds_lifted(each)) for each in arrays]):
        return call_lifted(op, arguments)
    if needs and state.grad and op.name not in (UNTRACKED if target._array.dtype in DIFFERENTIABLE else UNASKED):
        check_target(target)
    needs &= op.differentiable
    recording = state.grad and needs and target._array.dtype in DIFFERENTIABLE
    if recording:
        plan = op.plan(needs)
        before = before_write(target, arguments, plan.keeps_input)
        check_saving(plan, before)
    if target._storage is not None:
        check_overlap(op, target, arguments, arrays)
    try:
        if any([isinstance(each, Tensor) and type(each._array) is Meta for each in arguments]):
            results = without_memory(op, arguments, arrays)
        else:
            # the dtype rule may put other arrays in their place
            shared = arrays.copy() if op.is_pointwise and shares_places(arrays[0]) else None
            results = run(op, arguments, arrays)
            # what does not fit is refused when it is written
            if shared is not None and results.dtype == shared[0].dtype and results.shape == shared[0].shape:
                results = walk(op, arguments, shared)
        write(op, target, results[0] if type(results) is tuple else results)
    except Exception as error:
        refuse_first(op, arguments, error)
        raise
    if recording:
        record_write(op, plan, before, target)
    elif needs or cut is not None:
        pass_cut(target, cut)
    return target


def refuse_captured(target: Tensor, name: str) -> None:
    """Refuse a write to what a function transform has captured."""
    from rushlight.ops.machine.transforms.captured import refuse_captured

    refuse_captured(target, name)


def holds_lifted(arrays: list) -> bool:
    """Whether one of a list of arrays takes part in a function transform."""
    return any([type(each) is Lifted for each in arrays])


def call_lifted(op: Op, arguments: tuple) -> Tensor:
    """The call where a tensor takes part in a function transform."""
    from rushlight.ops.machine.transforms.lifting import call_inplace_lifted

    return call_inplace_lifted(op, arguments)


def without_memory(op: Op, arguments: tuple, arrays: list) -> Any:
    """The results where one of the tensors is on the device 'meta'."""
    from rushlight.ops.machine import meta

    meta.check_target(op, arguments)
    return meta.results_of(op, arguments, arrays)


def refuse_first(op: Op, arguments: tuple, error: Exception) -> None:
    """After a body has failed: refuse what torch looks at before."""
    from rushlight.ops.machine import precedence

    try:
        precedence.check(op, arguments, error)
    except RuntimeError as first:
        first.__suppress_context__ = True
        raise


def call_either(op: Op, arguments: tuple) -> Tensor:
    """Run an op that has an `inplace=` option, as that says."""
    return (call_inplace if arguments[op.positions["inplace"]] else call)(op, arguments)


def pass_cut(target: Tensor, cut: tuple | None) -> None:
    """After a write that was not recorded: what was written had a history, which was cut here or before."""
    cut = cut or ("inference" if state.inference else "no_grad", target._storage.writer)
    target._cut = cut
    if target._base is not None:
        target._base._cut = cut


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
    from rushlight.errors import history

    raise history.leaf_write(target, words)


def check_saving(plan: Plan, arguments: tuple) -> None:
    """Refuse what cannot be saved before anything is written."""
    for kind, position in plan.sources:
        if kind in ("argument", "memory") and getattr(arguments[position], "_inference", False):
            from rushlight.autograd.saved import raise_inference

            raise_inference()


def before_write(target: Tensor, arguments: tuple, keeps_input: bool) -> tuple:
    """The arguments of an in-place op with their histories before it; on `keeps_input` the input's value too."""
    # a view could take its history from the write, or refuse to when that is done
    arguments = tuple([with_history(each, each._array) if may_follow(each) else each for each in arguments])
    if target._base is not None and target.grad_fn is not None:
        arguments = (of_base(target, arguments[0]), *arguments[1:])
    return (with_history(arguments[0], target._array.copy()), *arguments[1:]) if keeps_input else arguments


def may_follow(value: Any) -> bool:
    """Whether it is a view, and no leaf of its own."""
    if not isinstance(value, Tensor) or value._base is None:
        return False
    return value.grad_fn is not None or not value._requires_grad


def of_base(target: Tensor, kept: Tensor) -> Tensor:
    """The target with its history, straight from its base where a view in between would not show all of it."""
    from rushlight.ops.shape.strided import skipped

    node = skipped(target)
    if node is not None:
        kept._node, kept._output = node, 0
    return kept


def with_history(tensor: Tensor, array: ndarray) -> Tensor:
    """The array with the history that the tensor has now, and with its storage if it is the tensor's own."""
    made = new(Tensor)
    made._array = array
    if array is tensor._array:
        made._storage = tensor._storage
    made._node, made._output = tensor.grad_fn, tensor._output
    # not what its base requires: a view made under no_grad gets no gradient
    made._requires_grad = made._node is not None or tensor._requires_grad
    return made


def write(op: Op, target: Tensor, result: ndarray) -> None:
    """Put a result into a tensor's memory, counting the write."""
    array = target._array
    expanded = not array.flags.writeable or 0 in array.strides
    if expanded:
        if op.name.startswith("clamp"):
            require_castable(result.dtype, array)  # bounds are compared with the target's dtype at once
        expanded = not require_writable(array, op.name)
    if result.shape != array.shape:
        require_shape(array, result.shape)
    if result.dtype != array.dtype:
        require_castable(result.dtype, array)
    if target._inference:
        check_inference(target)
    if expanded:
        write_changed(array, result)
    else:
        put(array, result)
    written(target)


def put(array: ndarray, result: ndarray) -> None:
    """Write a result over an array: NumPy takes five times as long for turned memory, a hundred for float16."""
    quick = array.flags.c_contiguous and result.flags.c_contiguous and array.dtype == result.dtype
    if quick or extension is None or not extension.write_converted(array, result):
        array[...] = result


def check_overlap(op: Op, target: Tensor, arguments: tuple, arrays: list) -> None:
    """Look closer if an operand lies in the target's storage."""
    memory = target._storage.array
    for position in op.tensors[1:]:
        value = arguments[position]
        if isinstance(value, Tensor) and value._storage is not None and value._storage.array is memory:
            try:
                refuse_overlap(op, target, arguments)
            except RuntimeError:
                complain_first(op, arguments, arrays)
                raise
            return


def complain_first(op: Op, arguments: tuple, arrays: list) -> None:
    """Before a refusal for its memory: what the function says of its operands at once."""
    try:
        run(op, arguments, arrays)
    except RuntimeError as error:
        if not is_late(error):
            raise
    except Exception:
        # of NumPy's, or of positions: torch would not come to them
        return


def written(target: Tensor) -> None:
    """Count a write, and keep its line for the message of a backward that needed the old value."""
    storage = target._storage
    if storage is None:
        storage = storage_of(target)
    storage.version += 1
    storage.writer = user_line()
    if storage.shared is not None:
        storage.shared(storage)


def record_write(op: Op, plan: Plan, before: tuple, target: Tensor) -> None:
    """After a write: a node, made of what `before_write` gave, becomes the target's history."""
    node = op.inplace_node_class(before)(plan, before, (target,))
    if plan.keeps_tensors:
        node.outdate(target._storage)
    rebase(target, node)


def rebase(target: Tensor, node: Any) -> None:
    """Make `node` the target's history; a write through a view becomes history of its base as well."""
    before, output = target._node, target._output
    target._node, target._output, target._requires_grad = node, 0, True
    if target._retains:
        follow(target, before, output)
    base = target._base
    if base is not None:
        from rushlight.ops.shape.strided import rebase_base

        rebase_base(base, target)
        if target._retains:
            # now the gradient of a part of the base
            target.grad_fn  # noqa: B018


def follow(target: Tensor, before: Any, output: int) -> None:
    from rushlight.autograd import hooks

    hooks.follow(target, before, output)


def check_inference(target: Tensor, attempt: Callable[[Tensor], Any] | None = None) -> None:
    """Refuse a write to a tensor of inference mode, outside of it; what is wrong with an `attempt` is said first."""
    if not state.inference and target._made != COUNTED:
        if attempt is not None:
            attempt(target.clone())
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. You can make a clone to get a "
            "normal tensor before doing inplace update."
        )


def require_shape(array: ndarray, shape: tuple[int, ...]) -> None:
    if np.broadcast_shapes(array.shape, shape) != array.shape:
        raise explained(
            RuntimeError,
            f"output with shape {list(array.shape)} doesn't match the broadcast shape {list(shape)}",
            fix="an in-place operation keeps its shape: write the result to a new tensor (y = x + z, not x += z)",
            stage=SHAPES,
        )


def require_castable(kind: np.dtype, array: ndarray) -> None:
    have, want = dtypes.from_numpy(kind), dtypes.from_numpy(array.dtype)
    if have.category > want.category:
        raise explained(
            RuntimeError,
            f"result type {have.scalar} can't be cast to the desired output type {want.scalar}",
            fix=f"write the result to a new tensor (y = x + z, not x += z), or convert the {want.name} one first: "
            f"x.to(torch.{have.name})",
            stage=RESULT,
        )


def require_writable(array: ndarray, name: str = "") -> bool:
    """Whether each element has a place of its own; a refusal if it has not and the op may not write then."""
    if is_expanded(array):
        if may_write_expanded(name, array):
            return False
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
    if not array.flags.writeable:
        make_writable(array)
    return True


def make_writable(array: ndarray) -> None:
    """Write through read-only NumPy memory as torch does, as from_numpy has warned; not through that of others."""
    try:
        array.flags.writeable = True
    except ValueError:
        raise explained(
            RuntimeError,
            "the memory of this tensor is read-only: it was received without a copy, and others read it too",
            fix="write to tensor.clone(), or to copy.deepcopy(module)",
        ) from None


def is_expanded(array: ndarray) -> bool:
    """Whether several elements stand at one place, as those of expanded tensors do."""
    return array.size > 0 and any(step == 0 and size > 1 for step, size in zip(array.strides, array.shape, strict=True))
