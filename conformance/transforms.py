"""Function transforms: forward derivatives of every op against torch's, and `vmap` of it against a loop."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from torch.testing._internal.common_methods_invocations import op_db

from conformance.build import Builder
from conformance.calls import Arguments, conclude
from conformance.compare import Rules, compare_errors, compare_outcomes
from conformance.entries import GAUGE, called_name, full_name, spread
from conformance.gradients import cotangent, tensors_of
from conformance.libraries import Library, dtype_name
from conformance.outcomes import Outcome
from conformance.records import Unrepresentable, record, without_grad
from conformance.registry import registry_of
from conformance.tally import Tally
from conformance.translate import translate

FLOATS = {"float32", "float64", "complex64", "complex128"}
PLACES = (0, 1, -1)
# whose elements are by definition what the memory held before: there are dtypes and shapes to compare, and no values
UNFILLED = {"empty_like", "new_empty", "new_empty_strided", "empty", "empty_permuted", "empty_strided", "resize_"}


def check_entry(index: int, library: Library, samples: int | None) -> dict[str, Any]:
    """The transforms of one entry of op_db."""
    op = op_db[index]
    check = TransformsCheck(op, library)
    for kind in ("float64", "complex128"):
        if kind in {str(dtype).removeprefix("torch.") for dtype in op.supported_dtypes("cpu")}:
            check.run(kind, samples)
    if not check.ran:
        check.run("int64", samples)
    return {"name": full_name(op), **check.tally.to_json()}


def list_looped(library: Library) -> dict[str, Any]:
    """The declared ops that `vmap` runs one sample after the other, for want of a word, and how many ops there are."""
    from rushlight.ops.machine.transforms.mapping import RANDOM, UNKNOWN_SIZES

    ops = [op for op in registry_of(library).values() if not op.is_composed]
    looped = [op.name for op in ops if op.batch is None and op.made is None]
    return {"ops": len(ops), "looped": sorted(set(looped) - set(RANDOM) - set(UNKNOWN_SIZES))}


class TransformsCheck:
    """One op: its derivatives along tangents, and its batches."""

    def __init__(self, op: Any, library: Library) -> None:
        self.op, self.library, self.torch = op, library, Library("torch")
        self.function = translate(op.op, library, called_name(op))
        self.tally = Tally()
        self.ran = False
        self.rules = Rules(aliasing=False, scaled=True, values=op.name not in UNFILLED)

    def run(self, kind: str, samples: int | None) -> None:
        dtype = getattr(self.torch.module, kind, None)
        if dtype not in self.op.supported_dtypes("cpu"):
            return
        self.ran = True
        self.torch.seed()
        for number, sample in enumerate(spread(list(self.op.sample_inputs("cpu", dtype)), samples)):
            try:
                arguments = Arguments(*without_grad(record(((sample.input, *sample.args), sample.kwargs))))
                label = f"{kind} {number} ({arguments})"
                if self.op.supports_forward_ad and self.op.supports_autograd and kind != "int64":
                    self.check_forward(label, arguments, sample.output_process_fn_grad)
                random = self.op.has_nondeterministic_output and self.op.name not in UNFILLED
                if not random and self.op.name not in GAUGE:
                    self.check_mapped(label, arguments)
            except Unrepresentable as reason:
                self.tally.skip(str(reason))

    def check_forward(self, label: str, arguments: Arguments, process: Callable) -> None:
        # op_db makes an argument symmetric, or a triangle, where only such a one can move
        fitted = self.op.gradcheck_wrapper
        if not fitted.__name__.startswith(("gradcheck_wrapper_hermitian", "gradcheck_wrapper_triangular", "<lambda>")):
            fitted = lambda function, *args, **kwargs: function(*args, **kwargs)
        expected = observe_forward(self.torch, functools.partial(fitted, self.op.op), arguments, process)
        if expected.error is None:
            function = functools.partial(translate(fitted, self.library), self.function)
            got = observe_forward(self.library, function, arguments, translate(process, self.library))
            self.tally.add("forward", label, compare_outcomes(expected, got, self.rules))

    def check_mapped(self, label: str, arguments: Arguments) -> None:
        """All tensors mapped at once, and each by itself; along each of the places in turn."""
        count = len(list(leaves(Builder(self.library).build((arguments.args, arguments.kwargs)))))
        choices = [tuple(range(count)), *([(place,) for place in range(count)] if count > 1 else [])]
        for turn, chosen in enumerate(choices if count else []):
            for place in PLACES if turn == 0 else PLACES[:1]:
                expected = self.observe_loop(arguments, chosen, place)
                if expected.error is None:
                    self.add_mapped(f"{label}, inputs {chosen} along {place}", expected, arguments, chosen, place)

    def add_mapped(
        self, label: str, expected: Outcome, arguments: Arguments, chosen: tuple[int, ...], place: int
    ) -> None:
        """Counts a batch that agrees with the loop, or is refused as torch's `vmap` refuses it."""
        got = self.observe_mapped(self.library, self.function, arguments, chosen, place)
        if got.error is not None:
            theirs = self.observe_mapped(self.torch, self.op.op, arguments, chosen, place)
            if theirs.error is not None and compare_errors(theirs.error, got.error) is None:
                self.tally.add("refused", label, None)
                return
        self.tally.add("vmap", label, compare_outcomes(expected, got, self.rules))

    def observe_loop(self, arguments: Arguments, chosen: tuple[int, ...], place: int) -> Outcome:
        """The results of one sample after the other, each as it lies in the batch."""

        def act() -> tuple[Builder, Any, Any]:
            rows = []
            for turn in range(2):
                built = Builder(self.library).build((arguments.args, arguments.kwargs))
                tensors = list(leaves(built))
                dims, batches = batched(self.library, [tensors[number] for number in chosen], place)
                samples = {
                    id(tensors[number]): sample_of(batch, dim, turn)
                    for number, dim, batch in zip(chosen, dims, batches, strict=True)
                }
                args, kwargs = replaced(built, lambda each, samples=samples: samples.get(id(each), each))
                rows.append(tensors_of(self.function(*args, **kwargs)))
            stacked = [self.library.module.stack(list(pair)) for pair in zip(*rows, strict=True)]
            return Builder(self.library), None, stacked

        return conclude(self.library, self.function, act)

    def observe_mapped(
        self, library: Library, function: Callable | None, arguments: Arguments, chosen: tuple[int, ...], place: int
    ) -> Outcome:
        def act() -> tuple[Builder, Any, Any]:
            built = Builder(library).build((arguments.args, arguments.kwargs))
            tensors = list(leaves(built))
            mapped = [tensors[number] for number in chosen]
            dims, batches = batched(library, mapped, place)

            def one(*values: Any) -> Any:
                known = dict(zip([id(each) for each in mapped], values, strict=True))
                args, kwargs = replaced(built, lambda each: known.get(id(each), each))
                return tuple(tensors_of(function(*args, **kwargs)))

            return Builder(library), None, list(library.module.vmap(one, in_dims=tuple(dims))(*batches))

        return conclude(library, function, act)


def batched(library: Library, tensors: list[Any], place: int) -> tuple[list[int], list[Any]]:
    """Batches of two samples, and the dims that count them: `place`, or the last there is."""
    dims = [min(place, each.dim()) if place > 0 else place for each in tensors]
    batches = [library.module.stack([each, other(library, each)], dim) for each, dim in zip(tensors, dims, strict=True)]
    return dims, batches


def sample_of(batch: Any, dim: int, number: int) -> Any:
    """One sample with the strides that it has in its batch, in memory that begins with it."""
    part = batch.select(dim, number)
    first = part.storage_offset()
    memory = batch.as_strided((max(batch.numel() - first, 0),), (1,), first).clone()
    return memory.as_strided(part.shape, part.stride(), 0)


def other(library: Library, tensor: Any) -> Any:
    """A second sample like a tensor: its numbers in another order; indices stay as they are."""
    if dtype_name(tensor.dtype) not in FLOATS or not tensor.dim():
        return tensor.clone()
    return tensor.flip(tuple(range(tensor.dim())))


def leaves(value: Any) -> Iterator[Any]:
    """The tensors among built arguments, in order."""
    if hasattr(value, "data_ptr"):
        yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from leaves(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from leaves(each)


def replaced(value: Any, change: Callable) -> Any:
    """Built arguments with other tensors in the places of theirs."""
    if hasattr(value, "data_ptr"):
        return change(value)
    if isinstance(value, dict):
        return {key: replaced(each, change) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[replaced(each, change) for each in value])
    if type(value) in (list, tuple):
        return type(value)([replaced(each, change) for each in value])
    return value


def observe_forward(library: Library, function: Callable | None, arguments: Arguments, process: Callable) -> Outcome:
    """The tangents of the results, where every float among the arguments has a random one."""
    module = library.module
    forward_ad = module.autograd.forward_ad

    def act() -> tuple[Builder, Any, Any]:
        built = Builder(library).build((arguments.args, arguments.kwargs))
        numbers = {id(each): number for number, each in enumerate(leaves(built))}
        with forward_ad.dual_level():
            args, kwargs = replaced(
                built,
                lambda each: (
                    forward_ad.make_dual(each, cotangent(library, numbers[id(each)], each, False))
                    if dtype_name(each.dtype) in FLOATS
                    else each
                ),
            )
            library.seed()
            found = []
            for each in tensors_of(process(function(*args, **kwargs))):
                tangent = forward_ad.unpack_dual(each).tangent
                if dtype_name(each.dtype) in FLOATS:
                    # with no tangent it does not move
                    still = module.zeros(tuple(each.shape), dtype=each.dtype)
                    found.append(still if tangent is None else tangent.clone())
        return Builder(library), None, found

    return conclude(library, function, act)
