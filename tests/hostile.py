"""Hostile calls: an op's own samples with one or two arguments replaced by something nobody should pass."""

import contextlib
import signal
import threading
import warnings

import numpy as np

import rushlight as torch
from rushlight.core.memory.deferred import Deferred
from rushlight.core.numbers import dtypes

# what a call may raise; their subclasses that tell of a fault inside are named below
ORDINARY = (TypeError, ValueError, RuntimeError, IndexError, OverflowError, AssertionError)
OWN = (torch.linalg.LinAlgError, torch.OutOfMemoryError)
FAULTS = (np.exceptions.AxisError, np._core._exceptions.UFuncTypeError, RecursionError, UnicodeError)
SECONDS = 5


class Odd:
    """An object that nothing knows."""

    def __repr__(self):
        return "Odd()"


NUMBERS = [0, 1, -1, 2, 7, -9, 2**31, 2**63, -(2**63) - 1, 10**18, 10**30, 0.5, -2.0, 1j]
NUMBERS += [float("nan"), float("inf"), float("-inf"), True, False]
OTHERS = [None, "", "text", "mean", b"bytes", [], (), [1], (0, 0), [-1, 5], (10**9, 10**9), [1.5], ["a"], [None]]
OTHERS += [[[1], [2, 3]], {}, {"a": 1}, Odd(), Odd, ..., slice(None), np.float64(0.5), np.int64(-3), np.bool_(True)]
OTHERS += [np.str_("x"), np.ones(2), np.array(["a"]), np.array([None]), torch.float16, "cpu", "cuda"]
VALUES = NUMBERS + OTHERS


class Expanded:
    """Stands for a tensor with several elements in one place of memory."""

    def __init__(self, array):
        self.array = array

    def __repr__(self):
        return f"Expanded({self.array!r})"


def strange_arrays():
    """Arrays that stand for tensors which fit hardly any call."""
    nan, inf = float("nan"), float("inf")
    return [
        np.zeros(0, "float32"),
        np.array(2.5, "float32"),
        np.array(-1),
        np.array([nan, inf, -inf], "float32"),
        np.array([[nan]], "float64"),
        np.array([-1, 0, 99]),
        np.array([2**62, -(2**62)]),
        np.array([0.0, 1.0, nan], "float32"),
        np.array([True, False]),
        np.ones((1, 1, 1, 1, 1), "float32"),
        np.ones((2, 0, 3), "float32"),
        np.array([1 + 2j, nan], "complex64"),
        np.array([300, -1], "int16"),
        np.array([1, 65504], "float16"),
        np.arange(12, dtype="float64").reshape(3, 4)[::2, ::-1].copy()[:, ::2],
        Expanded(np.ones((3, 1), "float32")),
    ]


def changed(array, way):
    """The array made wrong in one of a few ways."""
    ways = [
        lambda: array[..., None],
        lambda: array[0] if array.ndim and array.shape[0] else array.reshape(-1),
        lambda: np.concatenate([array, array]) if array.ndim else array.reshape(1, 1),
        lambda: array[:0] if array.ndim else array.reshape(1)[:0],
        lambda: array.astype("float64" if array.dtype.kind != "f" else "int64"),
        lambda: array.astype("bool"),
        lambda: array.astype("complex64"),
        lambda: array.astype("float16"),
        lambda: np.full_like(array, np.nan if array.dtype.kind in "fc" else 99),
        lambda: -array if array.dtype.kind != "b" else array,
        lambda: array.T,
        lambda: Expanded(array[:1]) if array.ndim and array.shape[0] else array,
    ]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # complex numbers made real
        return ways[way % len(ways)]()


WAYS = 12


def replaced(value, choice):
    """What stands in for an argument: a changed array, a strange one, or a value of another kind."""
    strange = strange_arrays()
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        if choice < 2 * WAYS:
            return changed(value, choice)
        choice -= 2 * WAYS
    elif isinstance(value, (list, tuple)) and value and isinstance(value[0], np.ndarray) and choice < 3 * WAYS:
        place = choice % len(value)
        return [*value[:place], replaced(value[place], choice // 3), *value[place + 1 :]]
    options = strange + VALUES
    return options[choice % len(options)]


CHOICES = 3 * WAYS + len(VALUES) + 16


def mutated(sample, changes):
    """A sample's arguments with some replaced: (which, choice) pairs; beyond the last one, an argument is added."""
    args, kwargs = list(sample.args), dict(sample.kwargs)
    for which, choice in changes:
        places = [*range(len(args)), *kwargs, None]
        place = places[which % len(places)]
        if place is None:
            args.append(replaced(None, choice))
        elif isinstance(place, int):
            args[place] = replaced(args[place], choice)
        else:
            kwargs[place] = replaced(kwargs[place], choice)
    return args, kwargs


def as_tensors(value, library=torch):
    """Arrays in arguments as tensors on memory of their own."""
    if isinstance(value, Expanded):
        base = library.from_numpy(value.array.copy())
        return base.expand(3, *base.shape[1:])
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "biufc":
            return value
        made = library.from_numpy(np.ascontiguousarray(value).reshape(value.shape).copy())
        return made
    if isinstance(value, (list, tuple)):
        return type(value)([as_tensors(each, library) for each in value])
    return value


def tensors_in(value, library=torch):
    if isinstance(value, library.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for each in value for t in tensors_in(each, library)] if isinstance(value, (list, tuple)) else []


class TooSlow(BaseException):
    """A call that should have been refused is still running."""


@contextlib.contextmanager
def in_time(seconds=SECONDS):
    """Stop what takes too much of the processor's time, where signals can do that: a busy machine is no fault."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_):
        raise TooSlow(f"still running after {seconds} s of computing")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextlib.contextmanager
def little_memory(more=2**32):
    """Let the process grow by a few gigabytes only: an array that is far too large then fails at once."""
    try:
        import resource
    except ImportError:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + more, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def outcome(function, args, kwargs):
    """What a call does: its result or its error."""
    with warnings.catch_warnings(), in_time():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs), None
        except Exception as error:
            return None, error


def complaint(function, args, kwargs):
    """What is wrong with the way a call ends, or None."""
    tensors = tensors_in([args, kwargs])
    before = [each._array.tobytes() if each._array.nbytes < 2**20 else None for each in tensors]
    result, error = outcome(function, args, kwargs)
    if error is None:
        return improper(result)
    after = [each._array.tobytes() if each._array.nbytes < 2**20 else None for each in tensors]
    if before != after:
        return f"an argument changed although the call failed: {error}"
    return unclear(error)


def unclear(error):
    """What is wrong with an error."""
    # where torch's functions find out what is no tensor by what it lacks
    if type(error) is AttributeError and str(error).endswith("takes a Tensor"):
        return None
    if not isinstance(error, ORDINARY) or isinstance(error, FAULTS):
        return f"{type(error).__name__}: {error}"
    if type(error).__module__ != "builtins" and type(error) not in OWN:
        return f"{type(error).__module__}.{type(error).__name__}: {error}"
    return None if str(error) else f"{type(error).__name__} without a message"


def improper(result):
    """What is wrong with a result."""
    if isinstance(result, torch.Tensor):
        array = result._array
        fit = type(array) in (np.ndarray, Deferred) and any(array.dtype == kind.numpy for kind in dtypes.ALL)
        return None if fit else f"a tensor on {type(array).__name__} of {array.dtype}"
    if isinstance(result, (tuple, list)):
        return next((found for found in map(improper, result) if found), None)
    if isinstance(result, (np.generic, np.ndarray)):
        return f"a NumPy {type(result).__name__}"
    return None
