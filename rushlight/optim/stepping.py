"""Stepping: from tensors to a method's formula, for small parameters all at once, else one by one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from rushlight.autograd import modes
from rushlight.core.numbers.dtypes import HALF
from rushlight.core.object.tensor import Tensor, storage_of, wrap
from rushlight.errors.complaints import is_about_shapes
from rushlight.errors.explained import explained
from rushlight.errors.refusals import misfit
from rushlight.native import extension
from rushlight.ops.machine.inplace import make_writable
from rushlight.ops.pointwise.complex import view_as_complex, view_as_real
from rushlight.optim.flat import LARGEST, Moving, flat_for
from rushlight.optim.options import plain, scalar
from rushlight.optim.scaling import goes_on
from rushlight.optim.twins import TWINS

if TYPE_CHECKING:
    from rushlight.optim.optimizer import Optimizer

Array: TypeAlias = Any  # an ndarray; a Tensor where the step is differentiated
State: TypeAlias = dict[str, Array]

# stands for a parameter where only the names of its state are asked for
NOTHING = np.empty(0, np.float32)


def has_twin(optimizer: Optimizer) -> bool:
    """Whether native code can take the optimizer's steps."""
    return extension is not None and type(optimizer).step_for in TWINS


def step_group(optimizer: Optimizer, number: int, group: dict[str, Any], place: Any) -> None:
    """Move the parameters of a group that have gradients."""
    check_options(optimizer, group, optimizer.read_first)
    params = [each for each in group["params"] if each._grad is not None]
    check_forms(group, params)
    if optimizer._scaling and not goes_on(optimizer, group, params):
        for param in params:
            # a buffer without a count of steps has to stay new: the first step fills it
            if "step" in optimizer.state_for(param._array, group):
                state_of(optimizer, param, group)
        return
    if optimizer.defaults.get("differentiable"):
        states = states_of(optimizer, params, group)
        check_options(optimizer, group, optimizer.read_last)
        with modes.enable_grad():
            for param in params:
                move_recorded(optimizer, param, group, states)
        return
    options = plain(group)
    # native code needs no flat form, and Python only what that declines, such as the first step
    flat = flat_for(optimizer, number, options, params) if optimizer.elementwise and not has_twin(optimizer) else None
    alone = params if flat is None else [each for each in params if each not in flat.members]
    states = states_of(optimizer, alone, options)
    check_options(optimizer, group, optimizer.read_last)
    if flat is not None:
        flat.step(optimizer.step_for, options)
    writes = optimizer.writes_for(options) if params else 0
    for param in params:
        if param in states:
            move(optimizer, param, options, *states[param])
        storage = param._storage or storage_of(param)
        storage.version += writes
        storage.writer = place
        if storage.shared is not None:
            storage.shared(storage)


def check_options(optimizer: Optimizer, group: dict[str, Any], names: tuple[str, ...]) -> None:
    """Refuse a group that lacks an option, as one has that was loaded from another method."""
    for name in names:
        if name not in group:
            raise KeyError(f"{name}: {type(optimizer).__name__} needs this option, which the group was loaded without")
        if name in optimizer.pairs:
            _, _ = group[name]


def check_forms(group: dict[str, Any], params: list[Moving]) -> None:
    """Refuse forms of the step that torch refuses on the CPU."""
    if group.get("capturable") and params:
        raise AssertionError(
            "If capturable=True, params and state_steps must be on supported devices: there are none in Rushlight, "
            "which runs on the CPU; leave capturable=False"
        )
    if params and group.get("foreach") and "amsgrad" in group and isinstance(group["lr"], Tensor):
        raise RuntimeError(
            "lr as a Tensor is not supported for capturable=False and foreach=True: leave foreach to its default"
        )
    if group.get("fused"):
        for param in params:
            if param._array.dtype.kind == "c":
                raise RuntimeError(
                    "`fused=True` requires all the params to be floating point Tensors of supported devices: ['cpu'] "
                    f"but {param.dtype} and cpu"
                )


def states_of(optimizer: Optimizer, params: list[Moving], group: dict[str, Any]) -> dict[Tensor, tuple]:
    """What is remembered of each parameter, before any of them moves: new twice to one that is listed twice."""
    states: dict[Tensor, tuple] = {}
    for param in params:
        if param not in states:
            states[param] = state_of(optimizer, param, group)
    return states


def state_of(optimizer: Optimizer, param: Tensor, group: dict[str, Any]) -> tuple[dict[str, Tensor], bool]:
    """What is remembered of a parameter, and whether that is new."""
    known = {name: each for name, each in optimizer.state.get(param, {}).items() if isinstance(each, Tensor)}
    late = optimizer.begins_late
    if known and (not late or late in known):
        check_state(optimizer, known, group)
        return known, False
    made = {name: wrap(each) for name, each in optimizer.state_for(param._array, group).items()}
    if made:
        optimizer.state[param].update(made)
    return made, True


def check_state(optimizer: Optimizer, known: dict[str, Tensor], group: dict[str, Any]) -> None:
    """Refuse a state that lacks something, as one does that was loaded from another method."""
    if optimizer.elementwise:
        for name in optimizer.state_for(NOTHING, group):
            if name not in known:
                raise KeyError(f"{name}: {type(optimizer).__name__} needs this, which the state was loaded without")


def move(optimizer: Optimizer, param: Moving, group: dict[str, Any], state: dict[str, Tensor], first: bool) -> None:
    """One parameter's step, on arrays."""
    grad = real(param._grad._array)
    if group.get("maximize"):
        grad = -grad
    arrays = {name: real(each._array) for name, each in state.items()}
    try:
        if optimizer.elementwise and (param._array.dtype in HALF or param._array.size > LARGEST):
            # NumPy takes a hundred times as long for its own float16, and passes large arrays more often
            with modes.no_grad():
                tensors = {name: wrap(each) for name, each in arrays.items()}
                optimizer.step_for(wrap(real(param._array)), wrap(np.asarray(grad)), tensors, group, first)
            return
        optimizer.step_for(real(param._array), grad, arrays, group, first)
    except ValueError as error:
        if is_about_shapes(error):
            raise state_misfit(param._array, arrays) from None
        if not param._array.flags.writeable:
            make_writable(param._array)
        raise


def state_misfit(param: np.ndarray, state: State) -> RuntimeError:
    """The error of a parameter whose state has another shape, as one does that was loaded from another model."""
    shape = next((each.shape for each in state.values() if each.ndim and each.shape != param.shape), ())
    fix = "the state belongs to a parameter of another shape: load one that was saved with the same model"
    apart = misfit(shape, param.shape, fix=fix)
    if apart is not None:
        return apart
    common = np.broadcast_shapes(shape, param.shape)
    target = shape if shape != common else param.shape
    words = f"output with shape {list(target)} doesn't match the broadcast shape {list(common)}"
    return explained(RuntimeError, words, fix=fix)


def move_recorded(optimizer: Optimizer, param: Moving, group: dict[str, Any], states: dict[Tensor, tuple]) -> None:
    """One parameter's step, on tensors, so that it can be differentiated."""
    known, first = states.pop(param, None) or state_of(optimizer, param, group)
    # copies: earlier steps may need the state as it is now for their backward
    state = {name: pairs(each).clone() for name, each in known.items()}
    grad = -param._grad if group.get("maximize") else param._grad
    options = {name: scalar(value) for name, value in group.items()}
    if param.is_complex():
        target = pairs(param).clone()
        optimizer.step_for(target, pairs(grad), state, options, first)
        param.copy_(view_as_complex(target))
        state = {name: view_as_complex(each) if known[name].is_complex() else each for name, each in state.items()}
    else:
        optimizer.step_for(param, grad, state, options, first)
    if state:
        optimizer.state[param].update(state)


def pairs(tensor: Tensor) -> Tensor:
    """As `real`, for a tensor."""
    return view_as_real(tensor) if tensor.is_complex() else tensor


def real(array: np.ndarray) -> np.ndarray:
    """Complex numbers move as pairs of real ones."""
    return array[..., None].view(array.real.dtype) if array.dtype.kind == "c" else array
