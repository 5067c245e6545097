"""Connectionist temporal classification: how unlikely a text is under the letters that each moment may hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from rushlight.core.creation.creation import tensor
from rushlight.core.numbers.dtypes import int64
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.ops.losses.loss_reduction import require_known
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.kinds import refuse
from rushlight.ops.machine.rules import MATCH, SAME
from rushlight.ops.machine.samples import cases, corner
from rushlight.ops.machine.transforms.level import is_mapped
from rushlight.ops.machine.writing import fold_at
from rushlight.ops.pointwise.where import choose

REDUCTIONS = ("mean", "sum", "none")


@op(
    dtype=SAME,
    operands=["log_probs"],
    name="_ctc_loss",
    returns=("loss", "alpha"),
    node="CtcLossBackward0",
    samples=None,
)
def negative_log_likelihoods(log_probs, targets, lengths, target_lengths, blank: int, zero_infinity: bool):
    """For each text the negated logarithm of its probability, and of the ways that lead to each of its letters.

    `log_probs` is `(T, N, C)`, `targets` is `(N, S)`. A text is read with a blank before and after each letter;
    `alpha`, `(T, N, 2 S + 1)`, holds the ways up to a moment that end at a letter or a blank.
    """
    texts, steps = with_blanks(targets, blank)
    scores = letters_of(log_probs[: last_moment(lengths)], texts)
    alpha = np.full((len(log_probs), *texts.shape), -np.inf, scores.dtype)
    if len(scores):
        alpha[0, :, :2] = scores[0, :, :2]
    for t in range(1, len(scores)):
        alpha[t] = scores[t] + arrived(alpha[t - 1], steps)
    alpha[np.arange(len(alpha))[:, None] >= lengths] = -np.inf
    return -ended(alpha, lengths, target_lengths), alpha


def last_moment(lengths: np.ndarray) -> int:
    """How far the longest input goes: what lies behind counts for nobody."""
    return int(lengths.max(initial=0))


def with_blanks(targets: np.ndarray, blank: int) -> tuple[np.ndarray, np.ndarray]:
    """The texts with blanks around each letter, and where the blank before a letter may be left out."""
    rows, letters = targets.shape
    texts = np.full((rows, 2 * letters + 1), blank, np.int64)
    texts[:, 1::2] = targets
    steps = np.zeros(texts.shape, bool)
    steps[:, 3::2] = targets[:, 1:] != targets[:, :-1]
    return texts, steps


def letters_of(log_probs: np.ndarray, texts: np.ndarray) -> np.ndarray:
    """The log-probability of each letter of each text at each moment."""
    rows = np.arange(len(texts))[:, None]
    return log_probs[:, rows, texts]


def arrived(ways: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Ways that stay, that go on to the next place, and that leave out a blank."""
    found = ways.copy()
    found[:, 1:] = np.logaddexp(found[:, 1:], ways[:, :-1])
    found[:, 2:] = np.where(steps[:, 2:], np.logaddexp(found[:, 2:], ways[:, :-2]), found[:, 2:])
    return found


def ended(alpha: np.ndarray, lengths: np.ndarray, target_lengths: np.ndarray) -> np.ndarray:
    """All ways to the end of each text: at its last letter or at the blank after it."""
    rows = np.arange(alpha.shape[1])
    if not len(alpha):
        return np.where(target_lengths == 0, 0.0, -np.inf).astype(alpha.dtype)
    last = alpha[np.maximum(lengths, 1) - 1, rows]
    found = last[rows, 2 * target_lengths]
    before = np.where(target_lengths > 0, last[rows, np.maximum(2 * target_lengths - 1, 0)], -np.inf)
    found = np.logaddexp(found, before.astype(alpha.dtype))
    return np.where(lengths > 0, found, np.where(target_lengths == 0, 0.0, -np.inf)).astype(alpha.dtype)


negative_log_likelihoods.gradient(
    log_probs=lambda grad, log_probs, targets, lengths, target_lengths, blank, zero_infinity, loss, alpha: (
        likelihood_slope(grad, log_probs, targets, lengths, target_lengths, blank, zero_infinity, loss, alpha)
    )
)


@op(dtype=SAME, operands=["grad", "log_probs"], name="_ctc_loss_backward", samples=None)
def likelihood_slope(grad, log_probs, targets, lengths, target_lengths, blank: int, zero_infinity: bool, loss, alpha):
    """Probabilities less how often each letter is expected at each moment.

    As in torch this is the gradient of what `log_softmax` made the log-probabilities of, which is the same behind it.
    """
    texts, steps = with_blanks(targets, blank)
    last = last_moment(lengths)
    scores, alpha = letters_of(log_probs[:last], texts), alpha[:last]
    beta = ways_to_the_end(scores, steps, lengths, target_lengths)
    with np.errstate(all="ignore"):
        # each letter is counted in both
        expected = np.exp(alpha + beta - scores + loss[:, None])
        expected[np.isneginf(alpha + beta)] = 0
    expected[:, np.isinf(loss)] = np.nan
    found = np.zeros(log_probs.shape, log_probs.dtype)
    np.exp(log_probs[:last], found[:last])
    rows = np.arange(last * len(texts)).reshape(last, -1, 1) * log_probs.shape[2]
    fold_at(found.reshape(-1), (rows + texts).reshape(-1), -expected.reshape(-1))
    found[:last] *= grad[:, None]
    found[np.arange(len(found))[:, None] >= lengths] = 0
    if zero_infinity:
        found[:, np.isinf(loss)] = 0
    return found


def ways_to_the_end(
    scores: np.ndarray, steps: np.ndarray, lengths: np.ndarray, target_lengths: np.ndarray
) -> np.ndarray:
    """The ways from each place at each moment to the end of the text: `alpha`, backwards."""
    places = np.arange(scores.shape[2])
    # the last blank of a text, and its last letter
    ends = (places == 2 * target_lengths[:, None]) | (places == 2 * target_lengths[:, None] - 1)
    onwards = np.zeros(steps.shape, bool)
    onwards[:, :-2] = steps[:, 2:]
    beta = np.full(scores.shape, -np.inf, scores.dtype)
    later = np.full(scores.shape[1:], -np.inf, scores.dtype)
    for t in range(len(scores) - 1, -1, -1):
        ways = later.copy()
        ways[:, :-1] = np.logaddexp(ways[:, :-1], later[:, 1:])
        ways[:, :-2] = np.where(onwards[:, :-2], np.logaddexp(ways[:, :-2], later[:, 2:]), ways[:, :-2])
        ways = np.where((lengths == t + 1)[:, None], np.where(ends, 0.0, -np.inf), ways)
        later = beta[t] = ways + scores[t]
    return beta


def refuse_second(grad: Tensor) -> Tensor:
    raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented: CTC has one derivative only")


likelihood_slope.gradient(grad=lambda grad: refuse_second(grad), log_probs=lambda grad: refuse_second(grad))


def words(make: Any) -> list:
    """Samples: several letters in a row, doubled ones, texts of no letters, and one that is too long."""
    scores = make.floats(6, 3, 4)
    scores -= np.log(np.exp(scores).sum(-1, keepdims=True))
    texts = np.array([[1, 2, 3], [1, 1, 2], [3, 0, 0]])
    lengths, letters = np.array([6, 5, 4]), np.array([3, 2, 1])
    flat = np.array([1, 2, 3, 1, 1, 3])
    return [
        *[corner(scores, texts, lengths, letters, reduction=each) for each in REDUCTIONS],
        *[corner(scores, texts, np.array([2, 5, 0]), letters, 0, each, True) for each in REDUCTIONS],
        corner(scores, texts, np.array([2, 5, 4]), letters, reduction="none"),
        corner(scores, flat, lengths, letters),
        corner(scores, texts, lengths, np.array([0, 0, 1])),
        corner(scores, np.array([[1, 2], [2, 1], [1, 1]]), lengths, np.array([2, 1, 2]), blank=3),
        corner(scores[:, 0], texts[0], np.array(6), np.array(3)),
        corner(scores.astype("float64"), texts, [6, 5, 4], [3, 2, 1]),
        corner(scores, texts, np.array([7, 5, 4]), letters),
        corner(scores, texts, lengths, np.array([4, 2, 1])),
        corner(scores, texts, np.array([6, 5]), letters),
        corner(scores, texts, lengths, letters, blank=4),
        corner(scores, texts, lengths, letters, reduction="other"),
        corner(make.ints(6, 3, 4), texts, lengths, letters),
    ]


@composed(name="nn.functional.ctc_loss", samples=cases(words))
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """How unlikely texts are under log-probabilities `(T, N, C)` of letters at each moment, however they are spaced.

    Targets are `(N, S)`, or all texts in a row; lengths are tensors or lists. "mean" divides each loss by its length
    first. A text that is too long for its input has an infinite loss; `zero_infinity` makes that 0.

    >>> log_probs = torch.tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log()  # two moments, a blank and one letter
    >>> loss = F.ctc_loss(log_probs, torch.tensor([[1]]), (2,), (1,))
    >>> torch.exp(-loss)  # that the letter is read at all: three ways of four
    tensor(0.7500)
    """
    require_known(reduction)
    single = log_probs.ndim == 2
    if single:
        log_probs, targets = log_probs.unsqueeze(1), targets.unsqueeze(0) if targets.ndim == 1 else targets
    lengths, letters = (as_lengths(each, name) for each, name in ((input_lengths, "input"), (target_lengths, "target")))
    if any([is_mapped(each) for each in (targets, lengths, letters)]):
        texts = texts_of_samples(targets, log_probs.detach(), lengths, letters, blank)
    else:
        texts = checked_texts(log_probs, targets, lengths, letters, blank)
    loss = negative_log_likelihoods(log_probs, texts, lengths, letters, blank, zero_infinity)[0]
    if zero_infinity:
        loss = choose(loss == float("inf"), 0.0, loss)
    if reduction == "mean":
        return (loss / letters.clamp_min(1).to(loss.dtype)).mean()
    if reduction == "sum":
        return loss.sum()
    return loss.squeeze(0) if single else loss


@op(dtype=MATCH, operands=["targets"], name="_ctc_texts", samples=None)
def texts_of_samples(targets, log_probs: Tensor, lengths: Tensor, letters: Tensor, blank: int):
    """`checked_texts` inside of `vmap`, which looks at each sample by itself."""
    return checked_texts(*map(wrap, (log_probs, targets, lengths, letters)), blank)._array


def as_lengths(given: Any, what: str) -> Tensor:
    if not isinstance(given, Tensor):
        given = tensor(given)
    if given.dtype.is_floating_point or given.dtype.is_complex:
        raise RuntimeError(f"{what}_lengths must be integral, not {given.dtype}")
    return given.detach().to(int64).reshape(-1)


def checked_texts(log_probs: Tensor, targets: Tensor, lengths: Tensor, letters: Tensor, blank: int) -> Tensor:
    """The targets as `(N, S)`, blanks behind each text, once all lengths agree."""
    if log_probs.ndim != 3:
        raise complaint(f"Expected 3-dimensional tensor, but got {log_probs.ndim}-dimensional tensor", "log_probs", 1)
    if not log_probs.numel():
        raise RuntimeError("log_probs tensor must not be empty")
    if log_probs.dtype.name not in ("float32", "float64"):
        raise refuse("ctc_loss_cpu", log_probs._array)
    steps, batch, classes = log_probs.shape
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be in label range: from 0 to {classes - 1}, not {blank}")
    check_lengths("input", lengths, batch, steps)
    check_lengths("target", letters, batch, None)
    longest = max(letters.tolist())
    inside = np.arange(longest) < letters._array[:, None]
    texts = np.full((batch, longest), blank, np.int64)
    given = targets._array
    if given.ndim == 1:
        if given.size != inside.sum():
            raise complaint(f"Expected tensor to have size {inside.sum()} at dimension 0, but got size {given.size}")
        texts[inside] = given
    else:
        if len(given) != batch:
            raise complaint(f"Expected tensor to have size {batch} at dimension 0, but got size {len(given)}")
        if given.shape[1] < longest:
            raise complaint(
                f"Expected tensor to have size at least {longest} at dimension 1, but got size {given.shape[1]}"
            )
        texts[inside] = given[:, :longest][inside]
    if texts.size and not 0 <= texts.min() <= texts.max() < classes:
        raise RuntimeError(f"targets must be in label range: from 0 to {classes - 1}")
    return wrap(texts)


def check_lengths(name: str, lengths: Tensor, batch: int, most: int | None) -> None:
    if lengths.numel() != batch:
        raise RuntimeError(f"{name}_lengths must be of size batch_size: {batch}, not {lengths.numel()}")
    for length in lengths.tolist():
        if length < 0 or (most is not None and length > most):
            bound = "at least 0" if length < 0 else f"at most {most}"
            raise RuntimeError(f"Expected {name}_lengths to have value {bound}, but got value {length}")


def complaint(text: str, name: str = "targets", place: int = 2) -> RuntimeError:
    return RuntimeError(f"{text} for argument #{place} '{name}'")
