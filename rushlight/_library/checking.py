"""opcheck: whether a custom function does what its declaration says."""

from __future__ import annotations

from typing import Any

from rushlight._library.custom_ops import Declared, flattened
from rushlight.core.object.tensor import Tensor, version_of


class OpCheckError(Exception):
    """A custom function that does not do what it says."""


def check(op: Declared, args: tuple, kwargs: dict[str, Any], raise_exception: bool) -> dict[str, str]:
    """The outcome of each check: SUCCESS, or what was found."""
    found = {}
    for name, test in (
        ("test_schema", check_schema),
        ("test_autograd_registration", check_autograd),
        ("test_faketensor", check_fake),
        ("test_aot_dispatch_dynamic", check_autograd),
    ):
        try:
            test(op, args, kwargs)
            found[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            found[name] = repr(error)
    return found


def check_schema(op: Declared, args: tuple, kwargs: dict[str, Any]) -> None:
    """It writes what it says it writes, and nothing else."""
    given, named = op.schema.bind(args, kwargs)
    values = [*given, *named.values()]
    before = [version_of(each) if isinstance(each, Tensor) else None for each in values]
    op.run(*args, **kwargs)
    for argument, value, version in zip(op.schema.arguments, values, before, strict=True):
        if version is not None and version_of(value) != version and not argument.is_write:
            raise RuntimeError(f"Argument {argument.name} is not defined as mutable but was mutated")


def check_autograd(op: Declared, args: tuple, kwargs: dict[str, Any]) -> None:
    """Its gradient runs, if it has one."""
    if op.backward is None:
        return
    flat, _ = flattened(args)
    inputs = [each for each in flat if isinstance(each, Tensor) and each.requires_grad]
    results = op.run(*args, **kwargs)
    for each in results if isinstance(results, (tuple, list)) else (results,):
        if inputs and isinstance(each, Tensor) and each.requires_grad:
            from rushlight.autograd import grad

            grad(each.sum(), inputs, allow_unused=True, retain_graph=True)


def check_fake(op: Declared, args: tuple, kwargs: dict[str, Any]) -> None:
    """Its fake form gives tensors of the same shapes and dtypes."""
    if op.fake is None:
        return
    given, named = op.schema.bind(args, kwargs)
    real, fake = op.run(*args, **kwargs), op.fake(*given, **named)
    for one, other in zip(flattened([real])[0], flattened([fake])[0], strict=True):
        if isinstance(one, Tensor) and (one.shape, one.dtype) != (other.shape, other.dtype):
            raise RuntimeError(
                f"the fake form gives {other.dtype} of shape {list(other.shape)}, the function {one.dtype} of shape "
                f"{list(one.shape)}"
            )
