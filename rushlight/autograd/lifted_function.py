"""Users' Functions inside of function transforms: their own derivatives and batches, level by level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from rushlight.autograd import modes
from rushlight.autograd.context import BackwardCFunction
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.forward import Forward
from rushlight.ops.machine.transforms.level import Level, holds
from rushlight.ops.machine.transforms.lifting import highest, settled
from rushlight.ops.machine.transforms.making import below
from rushlight.ops.machine.transforms.mapping import Mapping
from rushlight.ops.machine.transforms.tracking import Tracking

if TYPE_CHECKING:
    from rushlight.autograd.function import Function


class VmapInfo(NamedTuple):
    """What a Function's `vmap` is told of the batch."""

    batch_size: int
    randomness: str


def apply_lifted(function: type[Function], args: tuple) -> Any:
    """As `Function.apply`, where a tensor among the arguments is lifted."""
    args = settled(args)
    level = highest(args)
    if level is None:
        return function.apply(*args)
    if level.transforms and not has_setup(function):
        raise RuntimeError(
            "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
            "override the setup_context staticmethod: let forward take no ctx, and save in setup_context(ctx, inputs, "
            "output)"
        )
    if isinstance(level, Mapping):
        return apply_mapped(function, args, level)
    if isinstance(level, Forward):
        return apply_forward(function, args, level)
    assert isinstance(level, Tracking)
    return apply_tracked(function, args, level)


def has_setup(function: type[Function]) -> bool:
    from rushlight.autograd.function import Function

    return function.setup_context is not Function.setup_context


def lowered(level: Level, args: tuple) -> tuple:
    return tuple([level.lower(each) for each in args])


def each_output(change: Any, results: Any) -> Any:
    """A change of each result; `change` gets its number too."""
    if not isinstance(results, tuple):
        return change(0, results)
    return tuple([change(number, each) for number, each in enumerate(results)])


def apply_tracked(function: type[Function], args: tuple, level: Tracking) -> Any:
    """Run it below, and record it here with the user's backward."""
    from rushlight.autograd.function import connect

    found = level.below(lambda _, given: function.apply(*given), None, lowered(level, args))  # type: ignore[arg-type]
    results = each_output(lambda _, each: level.lift(each) if isinstance(each, Tensor) else each, found)
    node = function._backward_cls(args)
    with modes.no_grad():
        function.setup_context(node, args, results)
    outputs = connect(node, args, list(results) if isinstance(results, tuple) else [results])
    return tuple(outputs) if isinstance(results, tuple) else outputs[0]


def apply_forward(function: type[Function], args: tuple, level: Forward) -> Any:
    """Run it below, and the user's `jvp` on the tangents."""
    primals = lowered(level, args)
    found = function.apply(*primals)
    node: Any = function._backward_cls(primals)
    with modes.no_grad():
        if has_setup(function):
            function.setup_context(node, primals, found)
        else:
            function.forward(node, *primals)
    kept = node.saved_for_forward or node.to_save or ()
    context = ForwardContext(node, kept)
    tangents = [level.tangent_of(each) for each in args]
    if node.materialize_grads:
        tangents = [
            each.new_zeros(each.shape) if tangent is None and isinstance(each, Tensor) else tangent
            for each, tangent in zip(primals, tangents, strict=True)
        ]
    moved = function.jvp(context, *tangents)
    many = moved if isinstance(moved, tuple) else (moved,)
    constant = node.non_differentiable or ()

    def dual(number: int, value: Any) -> Any:
        if not isinstance(value, Tensor) or any([each is value for each in constant]):
            return value
        return level.dual(value, many[number])

    return each_output(dual, found)


class ForwardContext:
    """The `ctx` that a user's `jvp` sees: what was left there, and the tensors that were saved for it."""

    def __init__(self, node: BackwardCFunction, saved: tuple):
        self.__dict__.update({name: value for name, value in vars(node).items() if not name.startswith("_")})
        self.saved_tensors = saved
        self.needs_input_grad = node.needs_input_grad


def apply_mapped(function: type[Function], args: tuple, level: Mapping) -> Any:
    """The user's `vmap` on the whole batch, or a rule made of the Function itself."""
    from rushlight.autograd.function import Function

    written = function.vmap is not Function.vmap
    if function.generate_vmap_rule:
        if written:
            raise RuntimeError(
                f"You tried to vmap over {function.__name__}, but it has both generate_vmap_rule=True and an "
                "overridden vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap "
                "staticmethod to avoid ambiguity."
            )
        return generated(function, args, level)
    if not written:
        raise RuntimeError(
            f"You tried to vmap over {function.__name__}, but it does not have vmap support. Please override and "
            "implement the vmap staticmethod or set generate_vmap_rule=True."
        )
    in_dims = tuple([0 if holds(each) is level else None for each in args])
    with below(level):
        found, out_dims = function.vmap(VmapInfo(level.size, level.randomness), in_dims, *lowered(level, args))

    def result(number: int, value: Any) -> Any:
        dim = out_dims[number] if isinstance(out_dims, tuple) else out_dims
        return value if dim is None or not isinstance(value, Tensor) else level.lift(value.movedim(dim, 0))

    return each_output(result, found)


def generated(function: type[Function], args: tuple, level: Mapping) -> Any:
    """A Function of the whole batch, whose parts are the user's, mapped."""
    from rushlight.autograd.function import Function

    mapped = [holds(each) is level for each in args]
    inside = Mapping(level.size, level.randomness)

    def raised(values: tuple, which: list[bool]) -> tuple:
        return tuple([inside.lift(each) if there else each for each, there in zip(values, which, strict=True)])

    def flat(value: Any) -> Any:
        return inside.batch_of(value) if isinstance(value, Tensor) else value

    class Batched(Function):
        """The Function of a batch."""

        @staticmethod
        def forward(*values: Any) -> Any:
            with inside:
                return each_output(lambda _, each: flat(each), function.forward(*raised(values, mapped)))

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
            with inside:
                shown = each_output(lambda _, each: inside.lift(each) if isinstance(each, Tensor) else each, output)
                held = Held()
                function.setup_context(held, raised(inputs, mapped), shown)
                ctx.held = held
                ctx.save_for_backward(*[flat(each) for each in held.saved])
                ctx.kept = [holds(each) is inside for each in held.saved]
                ctx.save_for_forward(*[flat(each) for each in held.forward_saved])
                ctx.set_materialize_grads(held.materialize_grads)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            with inside:
                ctx.held.saved_tensors = tuple(
                    [None if each is None else inside.lift(each) for each in ctx.saved_tensors]
                )
                ctx.held.needs_input_grad = ctx.needs_input_grad
                given = [None if each is None else inside.lift(each) for each in grads]
                found = function.user_backward()(ctx.held, *given)
                many = found if isinstance(found, tuple) else (found,)
                return tuple([
                    None if each is None else flat(each) if there else inside.batch_of(each).sum(0)
                    for each, there in zip(many, mapped, strict=True)
                ])  # fmt: skip

        @staticmethod
        def jvp(ctx: Any, *tangents: Any) -> Any:
            with inside:
                ctx.held.saved_tensors = tuple([inside.lift(each) for each in ctx.saved_tensors])
                found = function.jvp(ctx.held, *raised(tangents, mapped))
                return each_output(lambda _, each: flat(each), found)

    with below(level):
        found = Batched.apply(*lowered(level, args))
    return each_output(lambda _, each: level.lift(each) if isinstance(each, Tensor) else each, found)


class Held:
    """The `ctx` of one sample: what the user's `setup_context` leaves there."""

    def __init__(self) -> None:
        self.saved: tuple = ()
        self.forward_saved: tuple = ()
        self.saved_tensors: tuple = ()
        self.needs_input_grad: tuple = ()
        self.materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        self.saved = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        self.forward_saved = tensors

    def set_materialize_grads(self, value: bool) -> None:
        self.materialize_grads = value

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Nothing: results of integers have no gradient, and others are not taken out inside of a batch."""

    def mark_dirty(self, *args: Tensor) -> None:
        raise RuntimeError("generate_vmap_rule=True does not support mark_dirty: write a vmap staticmethod")
