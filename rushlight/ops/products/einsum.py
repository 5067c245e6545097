"""Einsum: sums of products, written with a letter for each dimension."""

from __future__ import annotations

import functools
import math
import string
from typing import Any, NamedTuple

from rushlight.autograd.modes import state
from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.declare import composed
from rushlight.ops.machine.samples import case, cases

LETTERS = string.ascii_uppercase + string.ascii_lowercase


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
    given, output, order = read_equation(equation, tuple([each.ndim for each in operands]))
    if len(operands) == 1:
        return of_one(operands[0], given[0], output)
    inputs = given
    if any([len(set(names)) < len(names) for names in inputs]):
        operands, inputs = zip(
            *[diagonals(*each, place) for place, each in enumerate(zip(operands, inputs, strict=True))], strict=True
        )
    shapes = tuple([each.shape for each in operands])
    steps, shape = plan(equation, given, inputs, shapes, output, order)
    found = operands[0]
    for step, operand in zip(steps, operands[1:], strict=True):
        found = step.multiply(found, operand)
    return found if shape is None else found.view(shape)


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
def read_equation(equation: str, dims: tuple[int, ...]) -> tuple[tuple[str, ...], str, str]:
    """The letters of each operand and of the result, with dots replaced by letters; then all, in torch's order."""
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
    rest = [letter for letter in LETTERS if letter in set("".join(inputs)) - set(output + dots)]
    return tuple(inputs), output, "".join(dict.fromkeys([*output, *dots, *rest]))


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


class Side(NamedTuple):
    """How one of two operands is brought into the form in which they are multiplied."""

    # how many dimensions it lacks: they are put at its end, where torch puts them
    missing: int
    # the new order of its dimensions, None where they are in order
    order: list[int] | None
    # of these: those that it alone has, to be summed first
    alone: list[int]

    def arrange(self, operand: Tensor) -> Tensor:
        for _ in range(self.missing):
            operand = operand.unsqueeze(-1)
        if self.order is not None:
            operand = operand.permute(self.order)
        return operand.sum(self.alone, keepdim=True) if self.alone else operand


class Products(NamedTuple):
    """Two operands multiplied element by element, where there is no sum over both."""

    first: Side
    second: Side

    def multiply(self, one: Tensor, two: Tensor) -> Tensor:
        return self.first.arrange(one) * self.second.arrange(two)


class Matrices(NamedTuple):
    """Two operands multiplied as batches of matrices."""

    # whether the second operand is the first matrix
    swapped: bool
    # the first matrix's, then the second's
    sides: tuple[Side, Side]
    shapes: tuple[tuple, tuple]
    # the result with a dimension for each letter, and their order, None where they are in order
    made: list[int]
    back: list[int] | None

    def multiply(self, one: Tensor, two: Tensor) -> Tensor:
        if self.swapped:
            one, two = two, one
        first, second = self.sides[0].arrange(one), self.sides[1].arrange(two)
        if first.dtype is not second.dtype and not (first.numel() and second.numel()):
            first = zeros_of_second(first, second)
        found = first.reshape(self.shapes[0]).bmm(second.reshape(self.shapes[1])).view(self.made)
        return found if self.back is None else found.permute(self.back)


def zeros_of_second(first: Tensor, second: Tensor) -> Tensor:
    """In place of the first, where there is nothing to add up: torch's zeros have the dtype of the second."""
    if first.requires_grad and state.grad and not (second.is_floating_point() or second.is_complex()):
        raise RuntimeError(f"Autograd not support dtype: {second.dtype.scalar}")
    return second.new_empty(first.shape)


class Operand(NamedTuple):
    """What a plan knows of an operand: its letters, and those of them that do not stand for one element alone."""

    names: str
    stretched: str


@functools.lru_cache(maxsize=512)
def plan(equation: str, given: tuple, inputs: tuple, shapes: tuple, output: str, order: str) -> tuple:
    """The steps, each a product with those before it, and the shape of the result where that needs a view.

    They are torch's, so that results lie in memory as they do there.
    """
    sizes = check_sizes(equation, given, inputs, shapes)
    operands = [
        Operand(names, "".join([letter for letter, size in zip(names, shape, strict=True) if size != 1]))
        for names, shape in zip(inputs, shapes, strict=True)
    ]
    steps = []
    found = operands[0]
    for place, operand in enumerate(operands[1:], 2):
        kept = output + "".join([each.stretched for each in operands[place:]])
        step, found = plan_step(found, operand, kept, order, sizes)
        steps.append(step)
    return steps, None if found.names == output else [sizes[letter] for letter in output]


def check_sizes(equation: str, given: tuple, inputs: tuple, shapes: tuple) -> dict[str, int]:
    """The size of each letter. Those that do not broadcast are refused: what is not in the equation stands for dots."""
    sizes: dict[str, int] = {}
    for place, (names, shape) in enumerate(zip(inputs, shapes, strict=True)):
        for letter, size in zip(names, shape, strict=True):
            if sizes.setdefault(letter, size) == 1:
                sizes[letter] = size
            if size in (1, sizes[letter]):
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
    return sizes


def plan_step(one: Operand, two: Operand, kept: str, order: str, sizes: dict[str, int]) -> tuple[Any, Operand]:
    """How two operands are multiplied and summed over letters that are not kept, and what comes out of it."""
    present = [letter for letter in order if letter in one.names or letter in two.names]
    shared = [letter for letter in order if letter in one.stretched and letter in two.stretched]
    summed = [letter for letter in shared if letter not in kept]
    batch = [letter for letter in shared if letter in kept]
    # what is summed before the operands meet
    alone = [letter for letter in one.stretched + two.stretched if letter not in kept and letter not in summed]
    left = "".join([letter for letter in present if letter in one.stretched + two.stretched and letter in kept])
    if not summed:
        return Products(side(one, present, alone), side(two, present, alone)), Operand("".join(present), left)
    own = [letter for letter in order if letter in one.stretched and letter in kept and letter not in batch]
    # what no operand has any more counts for the second, as in torch: it decides whether they change places
    other = [letter for letter in order if letter not in (*batch, *own, *summed)]
    swapped = bool(own and other) and order.index(other[-1]) < order.index(own[0])
    other = [letter for letter in other if letter in two.stretched and letter in kept]
    if swapped:
        one, two, own, other = two, one, other, own
    sides = (side(one, [*batch, *own, *summed], alone), side(two, [*batch, *summed, *other], alone))
    count, height, depth, width = [
        math.prod([sizes[letter] for letter in group]) for group in (batch, own, summed, other)
    ]
    matrices = ((count, height, depth), (count, depth, width))
    made = [*batch, *own, *other]
    shape = [sizes[letter] for letter in made]
    if made == [letter for letter in present if letter in kept]:
        return Matrices(swapped, sides, matrices, shape, None), Operand("".join(made), left)
    # what was summed stays for a while, as one element
    ones = [letter for letter in present if letter not in made]
    back = [[*made, *ones].index(letter) for letter in present]
    return Matrices(swapped, sides, matrices, shape + [1] * len(ones), back), Operand("".join(present), left)


def side(operand: Operand, wanted: list[str], alone: list[str]) -> Side:
    """The operand with the wanted letters first; the others stand for one element each, or are summed."""
    missing = [letter for letter in wanted if letter not in operand.names]
    names = [*operand.names, *missing]
    new = [*wanted, *[letter for letter in names if letter not in wanted]]
    order = None if new == names else [names.index(letter) for letter in new]
    own = [place for place, letter in enumerate(new) if letter in alone and letter in operand.stretched]
    return Side(len(missing), order, own)
