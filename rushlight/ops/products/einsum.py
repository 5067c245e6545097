"""Einsum: sums of products, written with a letter for each dimension."""

from __future__ import annotations

import functools
import math
import string
from typing import Any

import numpy as np

from rushlight.autograd.modes import state
from rushlight.core.numbers import dtypes
from rushlight.core.numbers.dtypes import bool_
from rushlight.core.object.tensor import Tensor
from rushlight.errors.refusals import no_kernel
from rushlight.ops.machine.declare import composed, op
from rushlight.ops.machine.gradients import conjugate
from rushlight.ops.machine.rules import MATCH
from rushlight.ops.machine.samples import case, cases
from rushlight.ops.machine.transforms.product_words import CONTRACTED

LETTERS = string.ascii_uppercase + string.ascii_lowercase
# whose matrices are multiplied at once: integers in float64 where it holds their sums, which BLAS knows
MULTIPLIED = (dtypes.float32, dtypes.float64, dtypes.int64)


@composed(
    method=False,
    samples=cases(
        lambda make: [
            case("i,i->", make.floats(4), make.floats(4)),
            case("ij,jk->ik", make.floats(2, 3), make.floats(3, 4)),
            case("ij,jk", make.floats(2, 3), make.floats(3, 4)),
            case("bij,bjk->bik", make.floats(5, 2, 3), make.floats(5, 3, 4)),
            case("ii->i", make.floats(3, 3)),
            case("ii", make.floats(3, 3)),
            case("ij->", make.floats(2, 3)),
            case("ij->ji", make.floats(2, 3)),
            case("...ij,...jk->...ik", make.floats(2, 1, 2, 3), make.floats(5, 3, 4)),
            case("bn,anm,bm->ba", make.floats(2, 5), make.floats(3, 5, 4), make.floats(2, 4)),
            case("i,j->ij", make.floats(3), make.floats(4)),
            case("bi,bj->bji", make.floats(2, 3), make.floats(2, 4)),
            case("ij,jk->ki", make.floats(2, 3), make.floats(3, 4)),
            case("ibj,bkj->bik", make.floats(2, 5, 3), make.floats(5, 4, 3)),
            case("ibj,bkj->ibk", make.floats(2, 5, 3), make.floats(5, 4, 3)),
            case("ij,jk->ik", make.floats(2, 1), make.floats(3, 4)),
            case("ij,jk->ik", make.floats(2, 0), make.floats(0, 4)),
            case("ij,ij->j", make.floats(2, 3), make.floats(3, 2).T),
            case("ij,j", make.complexes(2, 3), make.complexes(3)),
            case("ij,jk->ik", make.floats(2, 3), make.floats(4, 4)),
            case("ij->ik", make.floats(2, 3)),
        ]
    ),
)
def einsum(*args: Any) -> Tensor:
    """Sum of products of the operands' elements, as an equation says: `einsum('ij,jk->ik', a, b)`.

    >>> a, b = torch.tensor([[1, 2], [3, 4]]), torch.tensor([[10, 0], [0, 1]])
    >>> torch.einsum("ij,jk->ik", a, b)
    tensor([[10,  2],
            [30,  4]])
    >>> torch.einsum("ii", a)
    tensor(5)
    """
    equation, operands = read_arguments(args)
    inputs, output, plain = read_equation(equation, tuple([each.ndim for each in operands]))
    if plain and len(operands) == 2:
        found = product(*operands, *inputs, output)
        if found is not None:
            return found
    if len(operands) == 1:
        return of_one(operands[0], inputs[0], output)
    given = inputs
    operands, inputs = zip(
        *[
            simplified(each, names, inputs, output, place)
            for place, (each, names) in enumerate(zip(operands, inputs, strict=True))
        ],
        strict=True,
    )
    check_sizes(operands, inputs, given, equation)
    kind = operands[0].dtype
    if not (kind.is_floating_point or kind.is_complex) or any(each.dtype is not kind for each in operands):
        return in_pairs(operands, inputs, output)
    summed = any(letter not in output for letters in given for letter in letters)
    if not summed or (len(operands) == 2 and stretches(operands, inputs)):
        return in_pairs(operands, inputs, output)
    return contracted(list(operands), inputs, output)


def read_arguments(args: tuple) -> tuple[str, list[Tensor]]:
    """The equation and the operands, from either form of the call."""
    if not args:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], str):
        operands = args[1:]
        if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
            operands = tuple(operands[0])
        if not operands:
            raise ValueError("einsum(): must specify the equation string and at least one operand")
        return args[0], list(operands)
    return sublist_equation(args), list(args[: len(args) // 2 * 2 : 2])


def sublist_equation(args: tuple) -> str:
    """The equation behind `einsum(a, [0, 1], b, [1, 2], [0, 2])`."""

    def letters(sublist: Any) -> str:
        found = []
        for each in sublist:
            if each is Ellipsis:
                found.append("...")
            elif not 0 <= each < len(LETTERS):
                raise ValueError(f"einsum(): not within the valid range [0, 52) : subscript {each}")
            else:
                found.append(LETTERS[each])
        return "".join(found)

    sides = ",".join(letters(each) for each in args[1::2])
    return f"{sides}->{letters(args[-1])}" if len(args) % 2 else sides


@functools.lru_cache(maxsize=512)
def read_equation(equation: str, dims: tuple[int, ...]) -> tuple[tuple[str, ...], str, bool]:
    """The letters of each operand and of the result, with dots replaced by letters.

    The last one tells whether no letter is repeated within an operand, and none is summed that is in one alone.
    """
    left, arrow, output = equation.replace(" ", "").partition("->")
    inputs = left.split(",")
    if len(inputs) != len(dims):
        words = "fewer" if len(dims) < len(inputs) else "more"
        raise RuntimeError(f"einsum(): {words} operands were provided than specified in the equation")
    for text in (*inputs, output):
        bad = next((letter for letter in text.replace("...", "") if letter not in LETTERS), None)
        if bad is not None:
            raise RuntimeError(
                f"einsum(): invalid subscript given at index {text.index(bad)} in the equation string, subscripts "
                "must be in [a-zA-Z]"
            )
    free = [letter for letter in LETTERS if letter not in equation]
    extra = [ndim - len(text.replace("...", "")) for ndim, text in zip(dims, inputs, strict=True)]
    for place, (text, missing) in enumerate(zip(inputs, extra, strict=True)):
        if missing < 0 or (missing and "..." not in text):
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(text.replace('...', ''))}) does not match "
                f"the number of dimensions ({dims[place]}) for operand {place} and no ellipsis was given"
            )
    width = max([missing for text, missing in zip(inputs, extra, strict=True) if "..." in text], default=0)
    dots = "".join(free[:width])
    inputs = [text.replace("...", dots[width - missing :]) for text, missing in zip(inputs, extra, strict=True)]
    if not arrow:
        everything = "".join(inputs)
        output = dots + "".join(sorted(each for each in set(everything) - set(dots) if everything.count(each) == 1))
    else:
        output = output.replace("...", dots)
    for each in output:
        if output.count(each) > 1:
            raise RuntimeError(f"einsum(): output subscript {each} appears more than once in the output")
        if each not in "".join(inputs):
            raise RuntimeError(
                f"einsum(): output subscript {each} does not appear in the equation for any input operand"
            )
    plain = all(
        text.count(letter) == 1 and (letter in output or sum(letter in other for other in inputs) > 1)
        for text in inputs
        for letter in text
    )
    return tuple(inputs), output, plain


def simplified(operand: Tensor, names: str, inputs: tuple[str, ...], output: str, place: int) -> tuple[Tensor, str]:
    """The operand with repeated letters taken as diagonals and letters nobody else has summed away."""
    operand, names = diagonals(operand, names, place)
    others = output + "".join((*inputs[:place], *inputs[place + 1 :]))
    alone = [position for position, letter in enumerate(names) if letter not in others]
    if alone:
        operand = operand.sum(alone)
        names = "".join(letter for letter in names if letter in others)
    return operand, names


def of_one(operand: Tensor, names: str, output: str) -> Tensor:
    """Nothing to multiply: a view, and the sum over what the result lacks."""
    operand, names = diagonals(operand, names, 0)
    summed = [letter for letter in names if letter not in output]
    operand = operand.permute([names.index(letter) for letter in (*output, *summed)])
    return operand.sum(list(range(len(output), len(names)))) if summed else operand


def diagonals(operand: Tensor, names: str, place: int) -> tuple[Tensor, str]:
    """The operand with each letter once: where one is repeated, the diagonal."""
    for letter in dict.fromkeys(names):
        while names.count(letter) > 1:
            first = names.index(letter)
            second = names.index(letter, first + 1)
            if operand.shape[first] != operand.shape[second]:
                raise RuntimeError(
                    f"einsum(): subscript {letter} is repeated for operand {place} but the sizes don't match, "
                    f"{operand.shape[second]} != {operand.shape[first]}"
                )
            operand = operand.diagonal(0, first, second)
            names = names[:first] + names[first + 1 : second] + names[second + 1 :] + letter
    return operand, names


def check_sizes(operands: tuple, inputs: tuple, given: tuple, equation: str) -> None:
    """Refuse sizes of one letter that do not broadcast; a letter that is not in the equation stands for dots."""
    sizes: dict[str, int] = {}
    for place, (operand, names) in enumerate(zip(operands, inputs, strict=True)):
        for letter, size in zip(names, operand.shape, strict=True):
            if sizes.setdefault(letter, size) in (1, size) or size == 1:
                sizes[letter] = max(sizes[letter], size)
                continue
            if letter not in equation:
                raise RuntimeError(
                    f"einsum(): dimension {given[place].index(letter)} covered by ellipsis in operand {place}has size "
                    f"{size} which does not broadcast with previously seen ellipsis with size {sizes[letter]} for the "
                    "respective dimension"
                )
            raise RuntimeError(
                f"einsum(): subscript {letter} has size {size} for operand {place} which does not broadcast with "
                f"previously seen size {sizes[letter]}"
            )


def product(left: Tensor, right: Tensor, left_names: str, right_names: str, output: str) -> Tensor | None:
    """Two operands multiplied as they stand or as batches of matrices; None where that does not give the result."""
    plan = plan_product(left_names, right_names, output)
    if plan is None or left.dtype is not right.dtype or left.dtype not in MULTIPLIED:
        return None
    sizes = dict(zip(left_names, left.shape, strict=True))
    for letter, size in zip(right_names, right.shape, strict=True):
        if sizes.setdefault(letter, size) != size:
            return None
    swapped, first_order, second_order, (batch, first_own, second_own, summed) = plan
    if not summed:
        return spread_out(left, left_names, output) * spread_out(right, right_names, output)
    first, second = (right, left) if swapped else (left, right)
    first = first if first_order is None else first.permute(first_order)
    second = second if second_order is None else second.permute(second_order)
    count, rows, columns, inner = (
        math.prod([sizes[letter] for letter in group]) for group in (batch, first_own, second_own, summed)
    )
    matrices = first.reshape(count, rows, inner).bmm(second.reshape(count, inner, columns))
    return matrices.view([sizes[letter] for letter in output])


@functools.lru_cache(maxsize=512)
def plan_product(left: str, right: str, output: str) -> tuple | None:
    """For `product`: whether the operands change places, their orders of dimensions, and the letters by their roles."""
    batch = "".join(letter for letter in output if letter in left and letter in right)
    summed = "".join(letter for letter in left if letter not in output)
    if not summed:
        return False, None, None, (batch, "", "", "")
    for swapped, first, second in ((False, left, right), (True, right, left)):
        first_own = "".join(letter for letter in output if letter not in second)
        second_own = "".join(letter for letter in output if letter not in first)
        if output != batch + first_own + second_own:
            continue
        wanted = (batch + first_own + summed, batch + summed + second_own)
        orders = [
            None if names == order else tuple(names.index(letter) for letter in order)
            for names, order in zip((first, second), wanted, strict=True)
        ]
        return swapped, *orders, (batch, first_own, second_own, summed)
    return None


def stretches(operands: tuple, inputs: tuple) -> bool:
    """Whether a letter stands for one element in one operand and for several in the other."""
    sizes = [dict(zip(letters, each.shape, strict=True)) for each, letters in zip(operands, inputs, strict=True)]
    return any(sizes[1].get(letter, size) != size for letter, size in sizes[0].items())


def in_pairs(operands: tuple, inputs: tuple, output: str) -> Tensor:
    """Multiplied one after another as torch does it, which promotes where nothing is summed, and sums to int64."""
    found, names = operands[0], inputs[0]
    for place, (operand, letters) in enumerate(zip(operands[1:], inputs[1:], strict=True), 2):
        later = "".join(inputs[place:])
        found, names = pair((found, names), (operand, letters), "".join(dict.fromkeys(output + later)))
    return found if names == output else found.permute([names.index(letter) for letter in output])


def pair(left: tuple[Tensor, str], right: tuple[Tensor, str], kept: str) -> tuple[Tensor, str]:
    """The product of two operands, summed over the letters that are not kept, and its letters in the order of those."""
    present = dict.fromkeys(left[1] + right[1])
    names = "".join([letter for letter in dict.fromkeys([*kept, *present]) if letter in present])
    first, second = [spread_out(*each, names) for each in (left, right)]
    ends = [place for place, letter in enumerate(names) if letter not in kept]
    sizes = list(zip(first.shape, second.shape, strict=True))
    summed = [place for place in ends if 1 not in sizes[place]]
    # where one of them has size 1, the other is summed before it is multiplied
    first, second = [
        each.sum(alone, keepdim=True)
        if (alone := [place for place in ends if place not in summed and each.shape[place] != 1])
        else each
        for each in (first, second)
    ]
    left_over = names[: len(names) - len(ends)]
    if not summed:
        found = first * second
        return found.view(found.shape[: len(left_over)]) if ends else found, left_over
    if not (first.numel() and second.numel()):
        # nothing to add up: the zeros have the dtype of the second
        if first.requires_grad and state.grad and not (second.is_floating_point() or second.is_complex()):
            raise RuntimeError(f"Autograd not support dtype: {second.dtype.scalar}")
        first = second.new_empty(first.shape)
    elif first.dtype is bool_:
        raise no_kernel("bmm", "Bool", fix="convert the operands first: x.long()")
    own = [letter for letter in left_over if letter not in left[1] or letter not in right[1]]
    # the one whose own letters come first is the first matrix
    turned = bool(own) and own[0] in right[1] and first.dtype is not second.dtype
    return contracted([second, first] if turned else [first, second], (names, names), left_over), left_over


def spread_out(operand: Tensor, letters: str, names: str) -> Tensor:
    """The operand with a dimension for each of the names, of size 1 where it lacks one."""
    # at the end, then put in order: torch's strides where sizes are 1
    lacking = [letter for letter in names if letter not in letters]
    for _ in lacking:
        operand = operand.unsqueeze(-1)
    order = [*letters, *lacking]
    return operand.permute([order.index(letter) for letter in names])


def contracted(operands: list[Tensor], inputs: tuple, output: str) -> Tensor:
    """A sum of products as torch has it: a view of the product of matrices."""
    found = contract(operands, inputs, output)
    return found.view(found.shape)


@op(
    name="_contract",
    dtype=MATCH,
    batch=CONTRACTED,
    node="BmmBackward0",
    samples=None,
)
def contract(operands: list[Tensor], inputs: tuple, output: str):
    """np.einsum of operands whose letters are distinct and all needed."""
    sizes = {}
    for array, letters in zip(operands, inputs, strict=True):
        sizes.update(pair for pair in zip(letters, array.shape, strict=True) if pair[1] != 1)
    arrays, names = squeezed(operands, inputs, sizes)
    if not all([array.size for array in arrays]):
        return np.zeros([sizes.get(letter, 1) for letter in output], arrays[0].dtype)
    wanted = "".join(letter for letter in output if letter in sizes)
    big = sum(array.size for array in arrays) > 4096 or len(arrays) > 2
    found = np.einsum(f"{','.join(names)}->{wanted}", *arrays, optimize=big)
    return np.array(found, order="C").reshape([sizes.get(letter, 1) for letter in output])


contract.gradient(
    operands=lambda grad, operands, inputs, output: [
        operand_gradient(grad, operands, inputs, output, place) for place in range(len(operands))
    ]
)


# torch multiplies two at a time, the first two first
contract.op.delivery = lambda node: list(reversed(range(len(node.edges))))


def squeezed(operands: list, inputs: tuple, sizes: dict) -> tuple[list, list]:
    """Dimensions of size 1 dropped: np.einsum does not broadcast them."""
    arrays, names = [], []
    for array, letters in zip(operands, inputs, strict=True):
        kept = [letter for letter, size in zip(letters, array.shape, strict=True) if size != 1]
        arrays.append(array.reshape([size for size in array.shape if size != 1]))
        names.append("".join(kept))
    return arrays, names


def operand_gradient(grad: Tensor, operands: list, inputs: tuple, output: str, place: int) -> Tensor | None:
    """The equation turned round: the other operands with the gradient give this one's."""
    if not operands[place].requires_grad:
        return None
    others = [conjugate(each) for number, each in enumerate(operands) if number != place]
    names = tuple(each for number, each in enumerate(inputs) if number != place)
    found = contract([grad, *others], (output, *names), inputs[place])
    # a letter that the others have in size 1 alone
    sizes = zip(found._array.shape, operands[place]._array.shape, strict=True)
    return found.expand([wanted if have == 1 else have for have, wanted in sizes])
