"""The caller: one way from a torch call to the body of its op and, if gradients are wanted, to a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.memory import deferred
from rushlight.core.memory.lifted import Lifted
from rushlight.core.memory.meta import Meta, bare
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.casting import by_float32
from rushlight.core.numbers.dtypes import DIFFERENTIABLE
from rushlight.core.object.tensor import Tensor, new, wrap
from rushlight.core.object.views import MULTIPLE, make_view
from rushlight.core.settings.float_warnings import QUIET, floating_point, quiet_context
from rushlight.errors.explained import KERNEL, explained
from rushlight.errors.location import user_line
from rushlight.native import extension
from rushlight.ops.machine.asked import not_a_tensor
from rushlight.ops.machine.calling import ABSENT, argument_words, missing, not_given, parser_name
from rushlight.ops.machine.halves import converted, is_converted
from rushlight.ops.machine.layouts import wraps_number
from rushlight.ops.machine.transforms.level import is_lifted
from rushlight.ops.machine.transforms.lifting import call_lifted, tensors_of

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

ndarray, asarray = np.ndarray, np.asarray
NUMBERS = {int, float, bool, complex, np.float64}
# arrays of tensors whose calls go another way
ELSEWHERE = {Meta, Lifted}
# may give integers although they are differentiable
SUMS = {"sum", "prod", "nansum", "cumsum", "cumprod"}


def call(op: Op, arguments: tuple, out: Any = None) -> Any:
    """Run an op: arrays out of tensors, dtype rule, body, tensors around the results, a node."""
    arrays = list(arguments)
    needs = 0
    cut = None
    elsewhere = False
    for position in op.tensors:
        value = arguments[position]
        if isinstance(value, Tensor):
            array = arrays[position] = value._array
            if type(array) is not ndarray:
                arrays[position] = plain(op, position, array)
                elsewhere = elsewhere or type(array) in ELSEWHERE
            if value._requires_grad or (value._base is not None and value._base._requires_grad):
                needs |= 1 << position
            elif value._cut is not None:
                cut = value._cut
        elif type(value) not in NUMBERS or position in op.strict:
            needs |= unwrap_other(op, position, value, arrays)
            if position in op.lists:
                cut, other = seen_in(value, cut)
                elsewhere = elsewhere or other
    if elsewhere:
        return call_elsewhere(op, arguments, out)
    # `run`, written out: a call less
    expected = None
    token = floating_point.set(QUIET)
    try:
        expected = op.rule(op, arrays)
        is_other = is_converted(op, arguments, expected)
        results = converted(op, arrays, expected) if is_other else op.positional(*arrays)
    except Exception as error:
        if out is not None:
            refuse_out(op, arguments, needs, out, error)
        results = recovered(op, arguments, arrays, error)
    finally:
        floating_point.reset(token)
    return concluded(op, arguments, arrays, expected, results, needs, cut, out)


def concluded(
    op: Op,
    arguments: tuple,
    arrays: list,
    expected: np.dtype | None,
    results: Any,
    needs: int,
    cut: tuple | None,
    out: Any = None,
) -> Any:
    """The rest of a call whose body has run: tensors around what it returned, and a node."""
    if type(results) is not ndarray or (expected is not None and results.dtype is not expected):
        results = settled(results, expected)
    if out is not None:
        return write_out(op, arguments, needs, results, out)
    if type(results) is not ndarray:
        return wrap_many(op, arguments, needs, cut, laid_out(op, arrays, results))
    laid = results if op.is_view or op.layout is None or results.ndim < 2 else op.layout(op, arrays, results)
    tensor = make_view(arguments[0], laid) if op.is_view else wrap(laid)
    if needs or cut is not None or state.inference:
        give_history(op, arguments, needs, cut, tensor)
    return tensor


def seen_in(tensors: Any, cut: tuple | None) -> tuple[tuple | None, bool]:
    """The first cut history among tensors of a list, and whether the call of one of them goes another way."""
    cut = next((each._cut for each in tensors if each._cut is not None), cut)
    return cut, any([type(each._array) in ELSEWHERE for each in tensors])


def call_elsewhere(op: Op, arguments: tuple, out: Any) -> Any:
    """The call where a tensor takes part in a function transform, or is on the device 'meta'."""
    if any(map(is_lifted, tensors_of(arguments))):
        return call_lifted(op, arguments, out)
    from rushlight.ops.machine.meta import call_meta

    return call_meta(op, arguments, out)


def give_history(op: Op, arguments: tuple, needs: int, cut: tuple | None, tensor: Tensor) -> None:
    """A node for the result, or why it has none."""
    if needs and not is_seen(op, arguments):
        needs = 0
    if needs:
        needs &= op.differentiable
        if needs and state.grad and tensor._array.dtype in DIFFERENTIABLE:
            tensor._node = op.node_for(needs, arguments, (tensor,))
            tensor._requires_grad = True
        elif not state.backward:
            mark_cut(op, (tensor,))
    elif cut is not None:
        tensor._cut = cut
    if state.inference and tensor._base is None:
        tensor._inference = True


def is_seen(op: Op, arguments: tuple) -> bool:
    """Whether autograd sees a call: not where all tensors are of inference mode, as `.data` may have made them."""
    for position in op.tensors:
        value = arguments[position]
        for each in value if isinstance(value, (list, tuple)) else (value,):
            if not each._inference if isinstance(each, Tensor) else each is not None and wraps_number(op, position):
                return True
    return False


def unwrap(op: Op, arguments: tuple) -> tuple[list, int, tuple | None]:
    """As at the beginning of `call`, for in-place calls: arrays, bits of what requires grad, and a cut history."""
    arrays = list(arguments)
    needs = 0
    cut = None
    for position in op.tensors:
        value = arguments[position]
        if isinstance(value, Tensor):
            array = arrays[position] = value._array
            if type(array) is not ndarray:
                arrays[position] = plain(op, position, array)
            needs |= value.requires_grad << position
            if value._cut is not None:
                cut = value._cut
        elif type(value) not in NUMBERS or position in op.strict:
            needs |= unwrap_other(op, position, value, arrays, "_")
    return arrays, needs, cut


def plain(op: Op, position: int, array: ndarray) -> ndarray:
    """What a body gets of a deferred array: the memory, to make a view of, or else the elements."""
    if type(array) is Meta:
        return bare(array)
    return deferred.raw(array) if op.is_view and position == 0 else deferred.resolved(array)


def unwrap_other(op: Op, position: int, value: Any, arrays: list, form: str = "") -> int:
    """Unwrap what is neither a tensor nor a number; returns the bit of a list that requires grad."""
    if value is ABSENT:
        raise missing(op, dict(zip(op.names, arrays, strict=True))) or wrong_argument(op, position, value)
    if position not in op.lists:
        arrays[position] = odd_argument(op, position, value, form=form)
        return 0
    values = tensor_list(op, position, value, form)
    arrays[position] = [deferred.resolved(bare(each._array)) for each in values]
    return any([each.requires_grad for each in values]) << position


def run(op: Op, arguments: tuple, arrays: list) -> Any:
    """Apply the dtype rule and the body; the results are arrays of the rule's dtype."""
    expected = None
    token = floating_point.set(QUIET)
    try:
        expected = op.rule(op, arrays)
        is_other = is_converted(op, arguments, expected)
        results = converted(op, arrays, expected) if is_other else op.positional(*arrays)
    except Exception as error:
        results = recovered(op, arguments, arrays, error)
    finally:
        floating_point.reset(token)
    return settled(results, expected)


def recovered(op: Op, arguments: tuple, arrays: list, error: Exception) -> Any:
    """The results where only NumPy objects to a call; an error in torch's words otherwise."""
    from rushlight.errors import calls

    return calls.recover(op, arguments, arrays, error)


def settled(results: Any, expected: np.dtype | None) -> Any:
    """What a body returned, as arrays of the rule's dtype."""
    if type(results) is not ndarray:
        if type(results) is tuple or type(results) is list:
            return tuple([rounded(asarray(each), expected) for each in results])
        results = asarray(results)
    if expected is not None and results.dtype is not expected:
        if results.dtype.kind == "c" and expected.kind != "c":
            words = f"value cannot be converted to type {expected} without overflow: a complex number met real tensors"
            raise explained(RuntimeError, words, stage=KERNEL)
        results = quietly(results, expected)
    return results


def laid_out(op: Op, arrays: list, results: tuple) -> tuple:
    """Several results of a body, each as the op's layout rule says."""
    if op.layout is None:
        return results
    return tuple([op.layout(op, arrays, each) if each.ndim > 1 else each for each in results])


def rounded(array: ndarray, expected: np.dtype | None) -> ndarray:
    """One of several results: back in half precision if it was computed for that."""
    return quietly(array, expected) if expected in dtypes.HALF and array.dtype == np.float32 else array


def quietly(array: ndarray, kind: np.dtype) -> ndarray:
    """The array in another dtype, where a number may be beyond the largest."""
    token = floating_point.set(QUIET)
    try:
        return by_float32(array, kind) if kind in dtypes.HALF else array.astype(kind)
    finally:
        floating_point.reset(token)


def wrap_many(op: Op, arguments: tuple, needs: int, cut: tuple | None, results: tuple) -> Any:
    """Tensors around several results, as a named tuple where torch has one."""
    tensors = []
    for array in results:
        if op.is_view:
            tensor = make_view(arguments[0], array)
            if state.grad:
                tensor._made = MULTIPLE
        else:
            tensor = new(Tensor)
            tensor._array = array
        tensors.append(tensor)
    if needs and tensors and is_seen(op, arguments):
        needs &= op.differentiable
        if needs and state.grad:
            node = op.node_for(needs, arguments, tuple(tensors))
            for number, tensor in enumerate(tensors):
                if tensor._array.dtype in DIFFERENTIABLE:
                    tensor._node, tensor._output, tensor._requires_grad = node, number, True
                else:
                    tensor._cut = ("indices", node.place)
        elif not state.backward:
            mark_cut(op, tuple(tensors))
    elif cut is not None:
        for tensor in tensors:
            tensor._cut = cut
    if state.inference:
        for tensor in tensors:
            tensor._inference = tensor._base is None
    return op.results(*tensors) if op.returns is not None else tuple(tensors)


def mark_cut(op: Op, tensors: tuple[Tensor, ...]) -> None:
    """Note on results without history what cut it, for a later message."""
    if state.grad and op.name in SUMS:
        # torch records these whatever their `dtype=`
        words = f"Autograd not support dtype: {tensors[0].dtype.scalar}"
        raise RuntimeError(f"{words}; {op.name}() of a tensor that requires grad needs floats, or detach() it first")
    reason = op.name if state.grad else "inference" if state.inference else "no_grad"
    for tensor in tensors:
        tensor._cut = (reason, user_line())


def write_out(op: Op, arguments: tuple, needs: int, results: Any, out: Any) -> Any:
    """Put results into the tensors given as `out=`, resized as torch does."""
    from rushlight.ops.machine.out import check_out, wider, write_results

    if type(results) is ndarray and type(getattr(out, "_array", None)) is Meta:
        raise RuntimeError(
            "Attempting to copy from device cpu to device meta, but cross-device copies are not allowed!"
        )
    check_out(op, arguments, needs, out)
    if type(results) is ndarray and results.dtype is not getattr(out, "_array", results).dtype:
        again = wider(op, arguments, out)
        if again is not None:
            return call(op, again, out)
    return write_results(op, results, out, arguments)


def refuse_out(op: Op, arguments: tuple, needs: int, out: Any, error: Exception) -> None:
    """What torch says of `out=` comes before most of what it says of the operands."""
    from rushlight.ops.machine.precedence import check_out

    check_out(op, arguments, needs, out, error)


def tensor_list(op: Op, position: int, value: Any, form: str = "") -> list[Tensor]:
    """A sequence of tensors; a TypeError in torch's words for anything else."""
    if not isinstance(value, (list, tuple)):
        odd_argument(op, position, value, wanted="tuple of Tensors", form=form)
    for number, each in enumerate(value):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {number} in argument {position}, but got {type(each).__name__}"
            )
    return list(value)


def odd_argument(op: Op, position: int, value: Any, wanted: str = "Tensor", form: str = "") -> Any:
    """NumPy scalars become Python numbers and None may stand for an optional tensor; the rest is refused."""
    if value is None and position in op.optional:
        return None
    if isinstance(value, (np.number, np.bool_)) and position not in op.strict and wanted == "Tensor":
        return value.item()
    raise wrong_argument(op, position, value, wanted, form)


def wrong_argument(op: Op, position: int, value: Any, wanted: str = "Tensor", form: str = "") -> Exception:
    """torch's error for an argument of another kind, or for one that was not given; `form` is "_" in place."""
    if value is ABSENT:
        return not_given(parser_name(op), op.names[position])
    refused = not_a_tensor(op.name, {op.names[position]: value}) if not form else None
    if refused is not None:
        return refused
    # a method does not count the tensor itself
    place = position - 1 if form and position else position
    return TypeError(
        f"{argument_words(op, op.names[position], place, form=form)} must be {wanted}, "
        f"not {type(value).__module__ + '.' if isinstance(value, ndarray) else ''}{type(value).__name__}"
    )


if extension is not None:
    extension.connect(call=call, concluded=concluded, quiet=quiet_context())
