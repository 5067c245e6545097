"""Autocast on the CPU beside torch's: the dtype and the values of every op's results, from floats long and short."""

import importlib
import warnings
from typing import Any

import numpy as np
import pytest

import rushlight

torch = pytest.importorskip("torch")
from torch.testing._internal.autocast_test_lists import AutocastCPUTestLists  # noqa: E402

# what fills memory with chance, or is told apart by it
CHANCE = ("empty", "rand", "resize", "dropout", "multinomial", "rrelu", "bernoulli", "gumbel", "lowrank", "fractional")
# what cannot be compared, or differs by the dtype of an inner part
OTHERWISE = {
    "linalg.pinv": "torch's last product is short",
    "lobpcg": "an iteration whose products are short ends elsewhere",
    "nn.functional.linear_cross_entropy": "torch's loss inside is long",
    "linalg.svd": "signs of vectors, from other short numbers",
    "svd": "signs of vectors, from other short numbers",
    "linalg.eigh": "signs of vectors, from other short numbers",
    "linalg.eig": "signs of vectors, from other short numbers",
}


def registry() -> dict[str, Any]:
    return importlib.import_module("rushlight.ops.machine.late").registry()


def function_of(library: Any, name: str) -> Any:
    for part in name.split("."):
        library = getattr(library, part, None)
    return library


def placed(library: Any, value: Any, short: str) -> Any:
    """A sample's argument for a library, its floats short if that is asked for."""
    if isinstance(value, np.ndarray):
        if value.dtype.isbuiltin == 2:
            raise NotImplementedError
        made = library.from_numpy(value.copy())
        return made.to(getattr(library, short)) if short and made.dtype == library.float32 else made
    if isinstance(value, rushlight.dtype):
        return getattr(library, str(value).removeprefix("torch."))
    if type(value) in (list, tuple):
        return type(value)([placed(library, each, short) for each in value])
    return value


def flat(found: Any) -> list:
    if isinstance(found, (torch.Tensor, rushlight.Tensor)):
        return [found]
    return [each for part in found for each in flat(part)] if isinstance(found, (tuple, list)) else []


def outcome(library: Any, name: str, sample: Any, short: str, dtype: str, enabled: bool = True) -> Any:
    """The results of a call under autocast; None if it is refused."""
    args = placed(library, tuple(sample.args), short)
    kwargs = {key: placed(library, value, short) for key, value in sample.kwargs.items()}
    library.manual_seed(0)
    try:
        with library.autocast("cpu", dtype=getattr(library, dtype), enabled=enabled):
            return flat(function_of(library, name)(*args, **kwargs))
    except (RuntimeError, TypeError, ValueError, IndexError, NotImplementedError, AttributeError, AssertionError):
        return None


def numbers(tensor: Any) -> np.ndarray:
    kind = str(tensor.dtype)
    tensor = tensor.detach().resolve_conj()
    return (tensor.float() if kind in ("torch.bfloat16", "torch.float16") else tensor).numpy()


def differs(wanted: Any, found: Any) -> str | None:
    if wanted is None or found is None:
        return None if wanted is found else "torch refuses it" if wanted is None else "torch takes it"
    kinds = [[str(each.dtype) for each in one] for one in (wanted, found)]
    if kinds[0] != kinds[1]:
        return f"torch gives {kinds[0]}, not {kinds[1]}"
    for one, other in zip(wanted, found, strict=True):
        a, b = numbers(one), numbers(other)
        if a.dtype.kind in "fc" and a.size:
            largest = np.max(np.abs(a[np.isfinite(a)]), initial=0)
            if a.shape != b.shape or not np.allclose(b, a, rtol=0.03, atol=0.03 * max(largest, 1e-3), equal_nan=True):
                return f"torch gives {a}, not {b}"
    return None


def wanted_of(names: Any) -> list[str]:
    return [
        name
        for name, op in names.items()
        if callable(op.samples) and not name.rsplit(".")[-1].startswith("_") and not any(one in name for one in CHANCE)
    ]


@pytest.mark.parametrize("name", wanted_of(registry()))
@pytest.mark.parametrize(("short", "dtype"), [("", "bfloat16"), ("bfloat16", "bfloat16"), ("", "float16")])
def test_every_op_computes_in_torchs_dtype(name, short, dtype):
    if function_of(torch, name) is None or name in OTHERWISE:
        pytest.skip(OTHERWISE.get(name, "torch has no such name"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, sample in enumerate(registry()[name].samples()):
            try:
                wanted = outcome(torch, name, sample, short, dtype)
                # what differs without autocast too is another test's
                other = differs(*[outcome(each, name, sample, short, dtype, False) for each in (torch, rushlight)])
            except NotImplementedError:
                continue
            if wanted is not None and other is None:
                reason = differs(wanted, outcome(rushlight, name, sample, short, dtype))
                assert reason is None, f"sample {number}: {reason}: {sample}"


def translated(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        long = value.float() if value.dtype in (torch.bfloat16, torch.float16) else value
        return rushlight.from_numpy(long.numpy()).to(getattr(rushlight, str(value.dtype).removeprefix("torch.")))
    return type(value)(map(translated, value)) if type(value) in (list, tuple) else value


def listed() -> list[tuple]:
    """Every call of torch's own lists: name, arguments, options."""
    lists = AutocastCPUTestLists(torch.device("cpu"))
    found = []
    for each in ("torch_16", "torch_fp32", "nn_16", "nn_fp32"):
        for name, args, *options in getattr(lists, each):
            found.append((each, name, args, options[0] if options else {}))
    for name, *forms in lists.torch_need_autocast_promote:
        found += [("promote", name, form, {}) for form in forms[:1]]
    for name, *forms, _ in lists.torch_expect_builtin_promote:
        found += [("builtin", name, form, {}) for form in forms]
    return found


@pytest.mark.parametrize(("kind", "name", "args", "options"), listed(), ids=lambda one: one if type(one) is str else "")
def test_the_calls_of_torchs_lists(kind, name, args, options):
    def call(library, args):
        function = getattr(library.nn.functional, name, None) or getattr(library, name, None)
        if function is None:
            pytest.skip(f"there is no public {name}")
        with library.autocast("cpu", dtype=library.bfloat16):
            return flat(function(*args, **options))

    if kind == "torch_fp32":
        # the public functions have other options than the inner ones
        args = [each.reshape(-1, 1) if name.startswith("margin") else each for each in args if torch.is_tensor(each)]
        args = [each[:8] for each in args] if name.startswith("margin") else args
    wanted = call(torch, args)
    assert differs(wanted, call(rushlight, translated(args))) is None
