"""Block masks: which blocks of queries and keys a mask shows in part, in full, or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import rushlight
from rushlight.core.object.tensor import Tensor

_DEFAULT_SPARSE_BLOCK_SIZE = 128


def noop_mask(batch: Any, head: Any, token_q: Any, token_kv: Any) -> Tensor:
    """The mask that shows everything."""
    return batch.new_ones((), dtype=rushlight.bool)


def positions(batch: int, heads: int, length: int, keys: int) -> tuple[Tensor, ...]:
    """The numbers of batches, heads, queries and keys, which broadcast against each other."""
    shapes = ((batch, (-1, 1, 1, 1)), (heads, (-1, 1, 1)), (length, (-1, 1)), (keys, (-1,)))
    return tuple(rushlight.arange(count).view(shape) for count, shape in shapes)


def create_mask(mod_fn: Callable, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None) -> Tensor:
    """What a function of positions gives for all of them: a mask, or for a score function the scores of zeros.

    >>> create_mask = torch.nn.attention.flex_attention.create_mask
    >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2)
    tensor([[[[ True, False],
              [ True,  True]]]])
    """
    import inspect

    batch, heads = B or 1, H or 1
    where = positions(batch, heads, Q_LEN, KV_LEN)
    try:
        count = len(inspect.signature(mod_fn).parameters)
    except (TypeError, ValueError):
        count = 4
    if count == 5:
        return mod_fn(rushlight.zeros(batch, heads, Q_LEN, KV_LEN), *where)
    return mod_fn(*where).expand(batch, heads, Q_LEN, KV_LEN).contiguous()


def ordered(dense: Tensor) -> tuple[Tensor, Tensor]:
    """How many blocks a row shows, and which, those that it shows first."""
    counts = dense.sum(-1).to(rushlight.int32)
    return counts, dense.to(rushlight.int32).argsort(dim=-1, descending=True, stable=True).to(rushlight.int32)


def unordered(counts: Tensor, indices: Tensor) -> Tensor:
    """The blocks that are shown, from how many and which."""
    columns = indices.shape[-1]
    shown = rushlight.arange(columns) < counts.unsqueeze(-1)
    dense = rushlight.zeros(*counts.shape, columns + 1, dtype=rushlight.int32)
    places = rushlight.where(shown, indices.long(), columns)
    return dense.scatter(-1, places, rushlight.ones_like(indices))[..., :columns]


def transposed(counts: Tensor | None, indices: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """The same seen from the keys."""
    if counts is None or indices is None:
        return None, None
    return ordered(unordered(counts, indices).transpose(-2, -1))


class BlockMask:
    """A mask in blocks: for each block of queries the blocks of keys that it sees in part, and in full."""

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),
        mask_mod: Callable = noop_mask,
    ):
        if kv_indices.dim() < 2:
            raise RuntimeError("BlockMask must have at least 2 dimensions")
        self.seq_lengths = seq_lengths
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.BLOCK_SIZE = BLOCK_SIZE
        self.mask_mod = mask_mod

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: Callable | None = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
    ) -> BlockMask:
        """A mask from the blocks of keys that each block of queries sees."""
        if (full_kv_num_blocks is None) != (full_kv_indices is None):
            raise AssertionError("full_kv_num_blocks and full_kv_indices must be both provided or omitted")
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        fields = [kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices]
        seen = (
            [(None, None), (None, None)] if not compute_q_blocks else [transposed(*fields[:2]), transposed(*fields[2:])]
        )
        lengths = seq_lengths or (kv_indices.shape[-2] * size[0], kv_indices.shape[-1] * size[1])
        given: Any = dict(zip(FIELDS, [*fields, *seen[0], *seen[1]], strict=True))
        return cls(lengths, **given, BLOCK_SIZE=size, mask_mod=mask_mod or noop_mask)

    @property
    def shape(self) -> tuple[int, ...]:
        """Batches, heads, queries and keys."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def as_tuple(self, flatten: bool = True) -> tuple:
        """All that it holds."""
        return (*self.seq_lengths, *self.tensors().values(), *self.BLOCK_SIZE, self.mask_mod)

    def tensors(self) -> dict[str, Tensor | None]:
        """What it holds, by name."""
        return {name: getattr(self, name) for name in FIELDS}

    def numel(self) -> int:
        """How many scores the mask is for."""
        count = 1
        for each in self.shape:
            count *= each
        return count

    def to_dense(self) -> Tensor:
        """1 for each block of which something is shown."""
        dense = unordered(self.kv_num_blocks, self.kv_indices)
        if self.full_kv_num_blocks is not None and self.full_kv_indices is not None:
            dense = dense | unordered(self.full_kv_num_blocks, self.full_kv_indices)
        return dense

    def sparsity(self) -> float:
        """The share of what is not looked at, in percent."""
        shown = self.to_dense().sum().item() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - shown / self.numel())

    def to(self, device: Any) -> BlockMask:
        """The mask on a device."""
        given: Any = {name: None if value is None else value.to(device) for name, value in self.tensors().items()}
        return BlockMask(self.seq_lengths, **given, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=self.mask_mod)

    def __getitem__(self, index: Any) -> BlockMask:
        given = index if isinstance(index, tuple) else (index,)
        given = tuple(slice(each, each + 1) if isinstance(each, int) else each for each in given)
        part: Any = {name: None if value is None else value[given] for name, value in self.tensors().items()}
        return BlockMask(self.seq_lengths, **part, BLOCK_SIZE=self.BLOCK_SIZE, mask_mod=refuse_part)

    def __repr__(self) -> str:
        lines = [f"    {name}={None if value is None else value.shape},\n" for name, value in self.tensors().items()]
        name = getattr(self.mask_mod, "__name__", self.mask_mod)
        return (
            f"BlockMask(\n{''.join(lines)}    BLOCK_SIZE={self.BLOCK_SIZE},\n    shape={self.shape},\n"
            f"    sparsity={self.sparsity():.2f}%,\n    mask_mod={name}\n)"
        )


FIELDS = [
    f"{full}{side}_{what}" for side in ("kv", "q") for full in ("", "full_") for what in ("num_blocks", "indices")
]


def create_block_mask(
    mask_mod: Callable,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False,
    dq_kv_order: bool = True,
) -> BlockMask:
    """A mask in blocks, from a function that says of positions whether they are shown."""
    rows, columns = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    padded = rushlight.nn.functional.pad(mask, (0, -KV_LEN % columns, 0, -Q_LEN % rows))
    batch, heads, height, width = padded.shape
    blocks = padded.view(batch, heads, height // rows, rows, width // columns, columns)
    shown = blocks.sum((-3, -1))
    full = (shown == rows * columns) & separate_full_blocks
    counts, indices = ordered((shown > 0) & ~full)
    whole = ordered(full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(
        counts, indices, whole[0], whole[1], BLOCK_SIZE=(rows, columns), mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN)
    )


def refuse_part(*given: Any) -> NoReturn:
    """In place of the mask function of a part of a block mask, whose positions would be others."""
    raise RuntimeError("Cannot use mask_mod from a sliced BlockMask: give the part a mask_mod of its own")


def mask_of(block_mask: BlockMask, batch: int, heads: int) -> Tensor:
    """The mask itself: whole blocks, and of the others what the function shows."""
    length, keys = block_mask.seq_lengths
    partial = spread(unordered(block_mask.kv_num_blocks, block_mask.kv_indices), block_mask)
    mask = partial & create_mask(block_mask.mask_mod, batch, heads, length, keys)
    if block_mask.full_kv_num_blocks is not None and block_mask.full_kv_indices is not None:
        mask = mask | spread(unordered(block_mask.full_kv_num_blocks, block_mask.full_kv_indices), block_mask)
    return mask


def spread(blocks: Tensor, block_mask: BlockMask) -> Tensor:
    """Blocks as positions."""
    rows, columns = block_mask.BLOCK_SIZE
    length, keys = block_mask.seq_lengths
    shown = blocks.bool().repeat_interleave(rows, -2).repeat_interleave(columns, -1)
    return shown[..., :length, :keys]
