"""L-BFGS: steps that know the curvature, from the last few gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.machine.inplace import written
from rushlight.optim.clipping import clip
from rushlight.optim.line_search import DECREASE, SLOPE, SMALLEST, Point, Search, lowest_between
from rushlight.optim.optimizer import Optimizer, ParamsT
from rushlight.optim.options import number, require_rate
from rushlight.optim.stepping import check_options, real

# a change of gradient that has less in common with its step says nothing about the curvature
LEAST_PRODUCT = 1e-10


class LBFGS(Optimizer):
    """Minimizes with a quasi-Newton method; each step takes up to `max_iter` iterations, and needs a closure.

    The closure clears the gradients, computes the loss, calls `backward` and returns the loss. With `clip_norm` or
    `clip_value`, the method sees the clipped gradients.

    >>> optimizer = torch.optim.LBFGS([x], line_search_fn="strong_wolfe")
    >>> loss = optimizer.step(closure)
    """

    read_first = (
        "lr",
        "max_iter",
        "max_eval",
        "tolerance_grad",
        "tolerance_change",
        "line_search_fn",
        "history_size",
    )

    def __init__(
        self,
        params: ParamsT | None = None,
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
        *,
        clip_norm: float | None = None,
        clip_value: float | None = None,
    ):
        require_rate(lr)
        options: dict[str, Any] = {"lr": lr, "max_iter": max_iter}
        options |= {"max_eval": max_iter * 5 // 4 if max_eval is None else max_eval}
        options |= {"tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change}
        options |= {"history_size": history_size, "line_search_fn": line_search_fn}
        super().__init__(params, options, clip_norm, clip_value)
        if len(self.param_groups) > 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Iterate until the gradient or the progress is small; the loss before the first step."""
        if len(self.param_groups) > 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        for group in self.param_groups:
            check_options(self, group, self.read_first)
        with modes.enable_grad():
            found = closure()
        self._look()
        group = self.param_groups[0]
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        state["func_evals"] += 1
        grad = self.flat_grad(group["params"])
        if largest(grad) <= group["tolerance_grad"]:
            return found
        Run(self, closure, group, state).iterate(Point(0, number(found), grad, None))
        return found

    def flat_grad(self, params: list[Any]) -> np.ndarray:
        """All gradients end to end; zeros where there is none."""
        grads = [param._grad for param in params]
        if self._clip_norm is not None or self._clip_value is not None:
            kept = iter(clip([grad for grad in grads if grad is not None], self._clip_norm, self._clip_value))
            grads = [None if grad is None else next(kept) for grad in grads]
        arrays = [
            np.zeros_like(param._array) if grad is None else grad._array
            for param, grad in zip(params, grads, strict=True)
        ]
        return np.concatenate([real(each).ravel() for each in arrays])


class Run:
    """The iterations of one step, and what they remember: torch's names in `state`, arrays here."""

    def __init__(self, optimizer: LBFGS, closure: Callable[[], Any], group: dict[str, Any], state: dict[str, Any]):
        self.optimizer = optimizer
        self.closure = closure
        self.group = group
        self.state = state
        self.lr = number(group["lr"])
        self.direction = array_of(state.get("d"))
        self.t = array_of(state.get("t"))
        self.changes = [array_of(each) for each in state.get("old_dirs") or []]
        self.steps = [array_of(each) for each in state.get("old_stps") or []]
        self.inverses = [array_of(each) for each in state.get("ro") or []]
        self.shares = [array_of(each) for each in state.get("al") or []]
        self.scale = array_of(state.get("H_diag"))
        self.before = array_of(state.get("prev_flat_grad"))
        self.loss_before = state.get("prev_loss")
        self.evaluations = 1

    def iterate(self, point: Point) -> None:
        """Go on from a point until one of the limits is reached, and write down what was learned."""
        group, state = self.group, self.state
        iterations = 0
        while iterations < group["max_iter"]:
            iterations += 1
            state["n_iter"] += 1
            with np.errstate(all="ignore"):
                self.turn(point.grad)
                slope = point.grad.dot(self.direction)
            # in place, as in torch: a state that was loaded is not copied
            self.before = point.grad.copy() if self.before is None else written_over(self.before, point.grad)
            self.loss_before = point.loss
            if slope > -group["tolerance_change"]:
                break
            last = iterations == group["max_iter"]
            point = self.go(point._replace(t=0, slope=slope), last)
            if last or self.evaluations >= group["max_eval"] or largest(point.grad) <= group["tolerance_grad"]:
                break
            if largest(self.direction * self.t) <= group["tolerance_change"]:
                break
            if abs(point.loss - self.loss_before) < group["tolerance_change"]:
                break
        self.save()

    def turn(self, grad: np.ndarray) -> None:
        """The next direction and the first guess how far to follow it."""
        if self.state["n_iter"] == 1:
            self.direction = -grad
            self.changes, self.steps, self.inverses, self.scale = [], [], [], 1
            self.t = min(1.0, 1.0 / np.add.reduce(np.absolute(grad))) * self.lr
            return
        self.remember(self.direction * self.t, grad - self.before)
        self.direction = self.newton(-grad)
        self.t = self.lr

    def remember(self, step: np.ndarray, change: np.ndarray) -> None:
        """Keep a step and the change of gradient along it, in place of the oldest one."""
        product = change.dot(step)
        if not product > LEAST_PRODUCT:
            return
        if len(self.changes) == self.group["history_size"]:
            for kept in (self.changes, self.steps, self.inverses):
                kept.pop(0)
        self.changes.append(change)
        self.steps.append(step)
        self.inverses.append(np.asarray(1.0 / product))
        self.scale = product / change.dot(change)

    def newton(self, vector: np.ndarray) -> np.ndarray:
        """The approximate inverse Hessian times a vector, by two loops over what is remembered; in its place."""
        if not self.shares:
            self.shares = [None] * self.group["history_size"]
        places = range(len(self.changes))
        for i in reversed(places):
            self.shares[i] = self.steps[i].dot(vector) * self.inverses[i]
            add_scaled(vector, -self.shares[i], self.changes[i])
        vector *= self.scale
        for i in places:
            back = self.changes[i].dot(vector) * self.inverses[i]
            add_scaled(vector, self.shares[i] - back, self.steps[i])
        return vector

    def go(self, start: Point, last: bool) -> Point:
        """Move along the direction: to where the line search ends, or all the way."""
        if self.group["line_search_fn"] is None:
            self.shift(self.t)
            if last:
                return start  # nobody asks for the loss here: programs with noisy losses need not compute it
            self.evaluations += 1
            self.state["func_evals"] += 1
            return self.evaluate(self.t)
        if self.group["line_search_fn"] != "strong_wolfe":
            raise RuntimeError("only 'strong_wolfe' is supported")

        starts = [param._array.copy() for param in self.group["params"]]

        def evaluate(t: Any) -> Point:
            self.shift(t)
            found = self.evaluate(t)
            for param, start in zip(self.group["params"], starts, strict=True):
                param._array[...] = start
                written(param)
            return found

        search = Search(start, evaluate, largest(self.direction), self.group["max_eval"] - self.evaluations)
        found = search.run(self.t)
        self.t = found.t
        self.shift(found.t)
        self.evaluations += search.evaluations
        self.state["func_evals"] += search.evaluations
        return found

    def evaluate(self, t: Any) -> Point:
        """The loss and the gradient where the parameters are."""
        with modes.enable_grad():
            loss = number(self.closure())
        grad = self.optimizer.flat_grad(self.group["params"])
        return Point(t, loss, grad, grad.dot(self.direction))

    @np.errstate(all="ignore")
    def shift(self, t: Any) -> None:
        """Move the parameters `t` along the direction; one that is listed twice moves twice, as in torch."""
        begin = 0
        for param in self.group["params"]:
            array = real(param._array)
            part = self.direction[begin : begin + array.size]
            begin += array.size
            add_scaled(array, t, part.reshape(array.shape))
            written(param)

    def save(self) -> None:
        """What the next step needs, as torch names it."""
        if any([each is not None for each in self.shares]) or self.state["n_iter"] > 1:
            self.state["al"] = [value_of(each) for each in self.shares]
        self.state |= {
            "d": value_of(self.direction),
            "t": value_of(self.t),
            "old_dirs": [value_of(each) for each in self.changes],
            "old_stps": [value_of(each) for each in self.steps],
            "ro": [value_of(each) for each in self.inverses],
            "H_diag": value_of(self.scale),
            "prev_flat_grad": value_of(self.before),
            "prev_loss": self.loss_before,
        }


def _strong_wolfe(
    obj_func: Callable[[Any, Any, Any], tuple[Any, Tensor]],
    x: Any,
    t: Any,
    d: Tensor,
    f: Any,
    g: Tensor,
    gtd: Any,
    c1: float = DECREASE,
    c2: float = SLOPE,
    tolerance_change: float = SMALLEST,
    max_ls: int = 25,
) -> tuple[Any, Tensor, Any, int]:
    """The line search by itself, for optimizers that borrow it: the loss, the gradient, how far, and how many calls.

    `obj_func(x, t, d)` gives the loss and the gradient at `x + t * d`; at `x` they are `f` and `g`, `gtd` is the slope.
    """

    def evaluate(t: Any) -> Point:
        loss, grad = obj_func(x, t, d)
        # a function may write the next gradient over the last one
        return Point(t, loss, grad.clone(), grad.dot(d))

    start = Point(0, f, g.clone(), gtd)
    search = Search(start, evaluate, d.abs().max(), max_ls, c1, c2, tolerance_change)
    found = search.run(t)
    return found.loss, found.grad, found.t, search.evaluations


def _cubic_interpolate(
    x1: Any, f1: Any, g1: Tensor, x2: Any, f2: Any, g2: Tensor, bounds: tuple[Any, Any] | None = None
) -> Any:
    """Where the cubic with these values and slopes at two places is lowest, within the bounds or between the two."""
    low, high = (min(x1, x2), max(x1, x2)) if bounds is None else bounds
    return lowest_between(Point(x1, f1, None, g1), Point(x2, f2, None, g2), low, high)


def largest(array: np.ndarray) -> Any:
    if not array.size:
        raise RuntimeError(
            "max(): Expected reduction dim to be specified for input.numel() == 0: the parameters have no elements"
        )
    return np.maximum.reduce(np.absolute(array))


def add_scaled(array: np.ndarray, factor: Any, other: np.ndarray) -> None:
    """Add a multiple in place; rounded once in float32, as processors do with torch's sums."""
    if array.dtype.char == other.dtype.char == "f":
        array[...] = array + float(np.float32(factor)) * other.astype(np.float64)
    else:
        array += factor * other


def written_over(array: np.ndarray, values: np.ndarray) -> np.ndarray:
    array[...] = values
    return array


def array_of(value: Any) -> Any:
    """What is kept in a tensor as an array, of one number too: a loaded state shares its memory with a dict."""
    return value._array if isinstance(value, Tensor) else value


def value_of(value: Any) -> Any:
    """The other way round."""
    return wrap(np.asarray(value)) if isinstance(value, (np.ndarray, np.generic)) else value


__all__ = ["LBFGS"]
