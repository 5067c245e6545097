"""Words: how an op takes a batch dimension, which stands first in each mapped tensor and in each result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rushlight.core.object.tensor import Tensor
from rushlight.ops.machine.transforms.lifting import invoke, mapped

if TYPE_CHECKING:
    from rushlight.ops.machine.declare import Op

# ops that draw random numbers
RANDOM = {
    "_drawn", "_normal", "_bernoulli", "_multinomial", "poisson", "binomial", "_standard_gamma", "_sample_dirichlet",
}  # fmt: skip

# views that strides must allow
BY_STRIDES = {"_view", "_reshape_alias", "view_as_complex"}

# options that count dimensions, and those that are a whole shape
DIMS = {"dim", "dims", "dim0", "dim1", "dim2", "dimension", "axis"}
SHAPES = {"shape"}

# words that native code knows, by the numbers of BatchWord in native/seam/plan.h; the rest it leaves to them
NATIVE = {
    "ELEMENTWISE": 1, "PLAIN": 2, "LINEAR": 3, "PRODUCT": 3, "ALONG": 4, "SHAPED": 4, "PART": 4, "OVER": 5,
    "SQUEEZED": 5,
}  # fmt: skip


# ops whose result has a dimension more, which options may name
GROWING = {"unsqueeze", "stack", "diag_embed"}

# how many dimensions the tensors of a sample must have, None for any number: with a batch in front others would do too
EXACTLY: dict[str, tuple[int | None, ...]] = {
    "mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1), "vdot": (1, 1), "addmm": (None, 2, 2),
    "addmv": (None, 2, 1), "baddbmm": (None, 3, 3), "addbmm": (None, 3, 3), "addr": (None, 1, 1),
}  # fmt: skip

# ops on matrices, of which each tensor has two dimensions at least, if TRAILING does not say otherwise
OF_MATRICES = {
    "tril", "triu", "cdist", "matrix_exp", "triangular_solve", "cholesky_inverse", "cholesky_solve", "geqrf", "ormqr",
    "lu_solve", "_lu", "_cofactors", "_permutation", "_pseudoinverse", "_singular_values", "_eigenvalues",
    "_eigenvalues_hermitian", *[f"linalg.{name}" for name in (
        "inv", "inv_ex", "det", "slogdet", "svd", "svdvals", "qr", "eig", "eigh", "eigvals", "eigvalsh", "cholesky",
        "cholesky_ex", "lu", "lu_factor", "lu_factor_ex", "lu_solve", "ldl_factor", "ldl_factor_ex", "ldl_solve",
        "matrix_exp", "householder_product", "solve_triangular", "solve", "solve_ex",
    )],
}  # fmt: skip

# what may be a vector there
VECTORS = {("linalg.solve", "B"), ("linalg.solve_ex", "B"), ("lu_solve", "LU_pivots")}


class ReachesBatch(Exception):
    """A sample has too few dimensions for the call, which would take the batch for one of them."""


class Batch:
    """A call for a whole batch: `arguments` as they are below, the batch first in those that are `mapped`."""

    def __init__(self, op: Op, arguments: list, inside: dict[int, Any], size: int):
        self.op, self.arguments, self.size = op, arguments, size
        # places of mapped tensors; for a list, which of its members are
        self.inside = inside
        # of the tensors, as the user sees them, before they were aligned
        self.ndims: dict[int, int] = {}

    def __getitem__(self, name: str) -> Any:
        return self.arguments[self.op.positions[name]]

    def is_mapped(self, place: int) -> bool:
        return self.inside.get(place) is True

    def ndim(self, place: int) -> int:
        """The number of dimensions that the user sees; 0 for a number."""
        value = self.arguments[place]
        return value._array.ndim - self.is_mapped(place) if isinstance(value, Tensor) else 0

    def tensors(self) -> list[int]:
        """The places of tensors, lists aside."""
        return [place for place in self.op.tensors if isinstance(self.arguments[place], Tensor)]

    def spread(self, value: Tensor) -> Tensor:
        """A tensor that is the same for all samples, as a batch."""
        return value.expand(self.size, *value.shape)

    def fill(self, *places: int) -> None:
        """Make batches of what is the same for all samples."""
        for place in places or self.op.tensors:
            value = self.arguments[place]
            if isinstance(value, Tensor):
                if not self.is_mapped(place):
                    self.arguments[place], self.inside[place] = self.spread(value), True
            elif place in self.op.lists and value is not None:
                known = self.inside.get(place) or [False] * len(value)
                self.arguments[place] = [
                    each if there else self.spread(each) for each, there in zip(value, known, strict=True)
                ]
                self.inside[place] = [True] * len(value)

    def align(self, *places: int) -> None:
        """Give the tensors as many dimensions as the user's have at most, behind the batch."""
        self.ndims = {place: self.ndim(place) for place in places}
        for place in places:
            self.raise_to(place, max(self.ndims.values()))

    def raise_to(self, place: int, ndim: int) -> None:
        value = self.arguments[place]
        if self.is_mapped(place) and self.ndim(place) < ndim:
            shape = value.shape
            self.arguments[place] = value.reshape(shape[0], *[1] * (ndim - self.ndim(place)), *shape[1:])

    def call(self, **changes: Any) -> Any:
        """The op on the batch, with other options."""
        given, positions = self.arguments, self.op.positions
        if changes:
            given = list(given)
            for name, value in changes.items():
                given[positions[name]] = value
        return invoke(self.op, given)

    def fits(self) -> bool:
        """Whether the tensors of a sample have the dimensions that the op asks for."""
        name, names = self.op.name, self.op.names
        exactly = EXACTLY.get(name)
        if exactly is not None:
            return all([each is None or self.ndim(place) == each for place, each in enumerate(exactly)])
        if name == "constant_pad_nd":
            return len(self["pad"]) <= 2 * self.ndim(0)
        if name in ("matmul", "nn.functional.linear"):
            return self.ndim(0) > 0 and self.ndim(1) > 0
        if name not in OF_MATRICES:
            return True
        least = [TRAILING.get((name, names[place]), 2 - ((name, names[place]) in VECTORS)) for place in self.tensors()]
        return all([self.ndim(place) >= each for place, each in zip(self.tensors(), least, strict=True)])

    def shifted(self, ndim: int | None = None) -> dict[str, Any]:
        """The options that count dimensions, one further; those that are shapes, with the batch in front."""
        found: dict[str, Any] = {}
        ndim = (self.ndim(0) if ndim is None else ndim) + (self.op.name in GROWING)
        for name, place in self.op.positions.items():
            if name in DIMS:
                value = self.arguments[place]
                if value is not None:
                    found[name] = shift(value, ndim)
            elif name in SHAPES:
                found[name] = (self.size, *self.arguments[place])
        return found


def shift(dim: Any, ndim: int) -> Any:
    """A dimension, or several, of a sample with `ndim`, counted with the batch in front."""
    if isinstance(dim, (tuple, list)):
        return tuple([shift(each, ndim) for each in dim])
    if dim < -max(ndim, 1):
        raise ReachesBatch
    return dim if dim < 0 else dim + 1


def ELEMENTWISE(batch: Batch) -> Any:
    """Each element by itself, with broadcasting."""
    places = batch.tensors()
    if len(places) > 1:
        batch.align(*places)
        # as in torch, where only ops of two look at this
        if len(batch.op.tensors) == 2:
            keep_promotion(batch, places)
    return batch.call()


def keep_promotion(batch: Batch, places: list[int]) -> None:
    """Let a tensor without dimensions count as little in the dtype of the result as it does for one sample."""
    places = [place for place in places if place in batch.op.operands]
    ndims = {place: batch.ndims[place] for place in places}
    if all(ndims.values()):
        return
    values = batch.arguments
    if not any(ndims.values()):
        for place in places:
            if not batch.is_mapped(place):
                values[place] = values[place].reshape(1)
        return
    kinds = [values[place].dtype for place in places if ndims[place]]
    for place in places:
        own = values[place].dtype
        if not ndims[place] and batch.is_mapped(place) and own not in kinds:
            strongest = max(kinds, key=lambda each: each.category)
            if own.category <= strongest.category:
                values[place] = values[place].to(strongest)


def ALONG(batch: Batch) -> Any:
    """Along dimensions that an option names; all its tensors have a batch."""
    if len(batch.tensors()) > 1:
        batch.fill(*batch.tensors())
    if batch.ndim(0):
        return batch.call(**batch.shifted())
    return of_scalar(batch, batch.shifted())


def of_scalar(batch: Batch, changes: dict[str, Any]) -> Any:
    """A sample without dimensions, for which torch's dimension 0 and -1 are there all the same."""
    for place in batch.tensors():
        batch.raise_to(place, 1)
    found = batch.call(**{name: 1 if name in DIMS else value for name, value in changes.items()})
    return mapped(lambda each: each.reshape(batch.size) if each.ndim == 2 else each, found)


def OVER(batch: Batch) -> Any:
    """A reduction over the dimensions that `dim` names, all of them if it names none."""
    dim = batch["dim"]
    ndim = batch.ndim(0)
    nothing = isinstance(dim, (tuple, list)) and not dim
    if nothing and batch.op.name in ("any", "all"):
        # for these no dimension is none
        return batch.call()
    if ndim and not (dim is None or nothing):
        return batch.call(**batch.shifted())
    value = batch.arguments[0]
    batch.arguments[0] = value.reshape(batch.size, -1) if value.numel() else value.reshape(batch.size, *flat(value))
    kept = bool("keepdim" in batch.op.positions and batch["keepdim"])
    options: dict[str, Any] = {"keepdim": False} if kept else {}
    found = batch.call(dim=1, **options)
    return mapped(lambda each: each.reshape(batch.size, *[1] * ndim), found) if kept else found


def flat(value: Tensor) -> tuple[int]:
    """The number of elements of a sample; of one among none, by its shape."""
    count = 1
    for each in value.shape[1:]:
        count *= each
    return (count,)


def LEADING(batch: Batch) -> Any:
    """On the last dimensions: more of them in front are no matter, and are broadcast."""
    places = batch.tensors()
    if len(places) > 1:
        batch.fill(*places)
        batch.align(*places)
    return batch.call()


def PLAIN(batch: Batch) -> Any:
    """On the last dimensions, or on each element, of one tensor: a dimension more in front is no matter."""
    return batch.call()


def COPIED(batch: Batch) -> Any:
    """A copy, in a memory format that may be one of so many dimensions."""
    form = batch["form"] if "form" in batch.op.positions else batch["memory_format"]
    return each_sample(batch) if "channels_last" in str(form) else batch.call()


def FILLED(batch: Batch) -> Any:
    """On the last dimensions of tensors that have as many in front: a dimension more in front of all is no matter."""
    places = batch.tensors()
    leads = {batch.ndim(place) - TRAILING.get((batch.op.name, batch.op.names[place]), 2) for place in places}
    if len(leads) > 1:
        return each_sample(batch)
    batch.fill(*places)
    return batch.call()


# how many dimensions at the end belong to the op itself, where it is not 2
TRAILING = {
    ("linalg.householder_product", "tau"): 1, ("ormqr", "input2"): 1, ("linalg.lu_solve", "pivots"): 1,
    ("linalg.ldl_solve", "pivots"): 1,
}  # fmt: skip


def FOLDED(batch: Batch) -> Any:
    """On (N, C, *): the batch is made a part of the first dimension, or that where there is none."""
    places = batch.tensors()
    batch.fill(*places)
    value = batch.arguments[places[0]]
    ndim = batch.ndim(places[0])
    least = FOLDS.get(batch.op.name, 4)
    if ndim < least - 1:
        return each_sample(batch)
    if ndim < least:
        return batch.call()
    count = value.shape[1]
    for place in places:
        each = batch.arguments[place]
        batch.arguments[place] = each.reshape(batch.size * count, *each.shape[2:])
    return mapped(lambda each: each.reshape(batch.size, count, *each.shape[1:]), batch.call())


# how many dimensions a sample of (N, C, *) has, where it is not 4; with one less the batch can be N
FOLDS = {"nn.functional.avg_pool3d": 5, "nn.functional.fold": 3, "channel_shuffle": 0}


def OVERWRITTEN(batch: Batch) -> Any:
    """What is written over the input: it may be smaller, and spreads over it."""
    batch.fill(0)
    if batch.op.name == "_copy":
        # nothing of it is left, so that no gradient goes there: it would have the shape of what is written
        batch.arguments[0] = batch.arguments[0].detach()
    batch.align(*batch.tensors())
    found, shape = batch.call(), batch.arguments[0].shape
    return found if found.shape == shape else found.expand(shape)


def JOINED(batch: Batch) -> Any:
    """Tensors of a list, put together along a dimension."""
    place = batch.op.lists[0]
    values, known = batch.arguments[place], batch.inside[place]
    ndims = [each.ndim - there for each, there in zip(values, known, strict=True)]
    if max(ndims) > 1 and min(ndims) == 1 and batch.op.name != "stack":
        # torch lets empty vectors be
        kept = [number for number, ndim in enumerate(ndims) if ndim > 1 or values[number].numel()]
        batch.arguments[place] = [values[number] for number in kept]
        batch.inside[place] = [known[number] for number in kept]
    batch.fill()
    return batch.call(**batch.shifted(max(ndims)))


def SHAPED(batch: Batch) -> Any:
    """A view, or its gradient, whose options name dimensions or a whole shape."""
    if not batch.ndim(0) and batch.op.name in OF_NUMBERS:
        return each_sample(batch)
    batch.fill(*batch.tensors())
    return batch.call(**batch.shifted())


# which take a tensor without dimensions as one with one
OF_NUMBERS = {"transpose", "unfold", "select", "_slice", "flip", "unbind"}


def each_sample(batch: Batch) -> Any:
    """One sample after the other, where no word is said; the results are stacked."""
    from rushlight.ops.shape.joining import stack

    if not batch.size:
        made = sample(batch, lambda value: value.new_zeros(value.shape[1:]))
        return mapped(lambda each: each.new_zeros((0, *each.shape)), made)
    found = [sample(batch, lambda value, number=number: value.select(0, number)) for number in range(batch.size)]
    if not isinstance(found[0], tuple):
        return stack(found)
    columns = iter([stack(list(column)) for column in zip(*found, strict=True)])
    return mapped(lambda each: next(columns), found[0])


def sample(batch: Batch, take: Any) -> Any:
    """The call for one sample."""
    given = list(batch.arguments)
    for place, known in batch.inside.items():
        value = given[place]
        if known is True:
            given[place] = take(value)
        elif known:
            given[place] = [take(each) if there else each for each, there in zip(value, known, strict=True)]
    return invoke(batch.op, given)
