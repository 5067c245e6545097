"""Lists: which functions compute in which dtype under autocast on the CPU, by the name of the function or of its op."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

LOWER, FLOAT32, WIDEST, UNCHANGED, PARTS = "lower", "float32", "widest", "unchanged", "parts"

# products and convolutions: in the dtype that autocast was given
IN_LOWER = """
conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d
mm bmm matmul addmm addbmm baddbmm _addmm_activation linalg.vecdot nn.functional.linear prelu
nn.functional.scaled_dot_product_attention _native_multi_head_attention nn.functional.affine_grid _rnn_layer _rnn_step
"""
# what loses too much in few bits: losses, decompositions, transforms, some windows
IN_FLOAT32 = """
nn.functional.avg_pool3d nn.functional.adaptive_avg_pool3d
nn.functional.adaptive_max_pool3d nn.functional.adaptive_max_pool3d_with_indices
nn.functional.fractional_max_pool2d nn.functional.fractional_max_pool2d_with_indices
nn.functional.fractional_max_pool3d nn.functional.fractional_max_pool3d_with_indices
nn.functional.max_unpool1d nn.functional.max_unpool2d nn.functional.max_unpool3d
nn.functional.grid_sample grid_sampler grid_sampler_2d grid_sampler_3d
nn.functional.binary_cross_entropy nn.functional.binary_cross_entropy_with_logits nn.functional.cross_entropy
nn.functional.cosine_embedding_loss nn.functional.ctc_loss ctc_loss nn.functional.hinge_embedding_loss
nn.functional.huber_loss nn.functional.kl_div nn.functional.l1_loss nn.functional.margin_ranking_loss
nn.functional.mse_loss nn.functional.multi_margin_loss nn.functional.multilabel_margin_loss nn.functional.nll_loss
nn.functional.poisson_nll_loss nn.functional.smooth_l1_loss nn.functional.soft_margin_loss
nn.functional.triplet_margin_loss binary_cross_entropy_with_logits cosine_embedding_loss hinge_embedding_loss kl_div
margin_ranking_loss poisson_nll_loss triplet_margin_loss
cdist polar prod quantile nanquantile stft trace view_as_complex fake_quantize_per_tensor_affine
fft.fft fft.ifft fft.fft2 fft.ifft2 fft.fftn fft.ifftn fft.rfft fft.irfft fft.rfft2 fft.irfft2 fft.rfftn fft.irfftn
fft.hfft fft.ihfft
linalg.cholesky linalg.cholesky_ex linalg.cond linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh
linalg.householder_product linalg.inv linalg.inv_ex linalg.lstsq linalg.matrix_rank linalg.qr linalg.solve
linalg.svd linalg.svdvals linalg.tensorinv linalg.tensorsolve
cholesky cholesky_inverse cholesky_solve geqrf inverse lu lu_solve _lu_with_info orgqr ormqr pinverse qr svd
triangular_solve
"""
# one memory for several tensors: in the widest dtype among them
IN_WIDEST = "cat stack index_copy"
# as without autocast: what is made of short products here, but not in torch
AS_GIVEN = "bilinear nn.functional.grouped_mm"
# layers that are one op here, but sums and products in torch, of which only the products change their dtype
IN_PARTS = "_gru_layer _gru_step _lstm_step"


def of_pad(input: Any, pad: Any, mode: str = "constant", value: Any = None) -> str | None:
    """A border that is read from the tensor; torch does not list the mirror in three dimensions."""
    return FLOAT32 if mode == "replicate" or (mode == "reflect" and len(pad) < 6) else None


def of_pool(*args: Any, return_indices: bool = False, **kwargs: Any) -> str | None:
    """A pool that gives its values alone; the function that tells their places too is not listed."""
    return None if return_indices or args[6:7] == (True,) else FLOAT32


def of_lstm(tensors: list, sizes: Any = None, backwards: bool = False) -> str:
    """torch has a fast layer for sequences of one length without a projection, and steps for the others."""
    return LOWER if sizes is None and len(tensors) in (5, 7) else PARTS


def of_tensordot(a: Any, b: Any, dims: Any = 2, out: Any = None) -> str | None:
    """A sum over every dimension is no matrix product in torch."""
    summed = dims if isinstance(dims, int) else len(dims[0]) if type(dims[0]) in (list, tuple) else 0
    return UNCHANGED if a.ndim == b.ndim == summed else None


def of_einsum(equation: Any, *operands: Any) -> str | None:
    """A sum over a letter that several operands share, none of them with one element there, is a product in torch."""
    if not isinstance(equation, str):
        return None
    terms, arrow, kept = equation.replace(" ", "").partition("->")
    seen: list[str] = []
    for term, operand in zip(terms.split(","), operands, strict=False):
        sizes = operand.shape if "." not in term and len(term) == operand.ndim else [2] * len(term)
        seen += {letter for letter, size in zip(term, sizes, strict=True) if size != 1 and letter != "."}
    return LOWER if any([seen.count(each) > 1 and not (arrow and each in kept) for each in seen]) else None


def of_masked_product(input: Any, *args: Any, **kwargs: Any) -> str:
    """The product of a number is the number itself."""
    return FLOAT32 if input.ndim else UNCHANGED


POLICIES: dict[str, str | Callable[..., str | None]] = {
    **dict.fromkeys(IN_LOWER.split(), LOWER),
    **dict.fromkeys(IN_FLOAT32.split(), FLOAT32),
    **dict.fromkeys(IN_WIDEST.split(), WIDEST),
    **dict.fromkeys(AS_GIVEN.split(), UNCHANGED),
    **dict.fromkeys(IN_PARTS.split(), PARTS),
    # those that depend on the arguments
    "nn.functional.pad": of_pad,
    "nn.functional.max_pool3d": of_pool,
    "_lstm_layer": of_lstm,
    "tensordot": of_tensordot,
    "einsum": of_einsum,
    "masked.prod": of_masked_product,
}
