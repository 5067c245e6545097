"""Names of ops that are declared late: see `late.py`.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

FUNCTIONS = frozenset(
    """
    _batch_norm_with_update _dirichlet_grad _embedding_bag _foreach_abs _foreach_abs_ _foreach_acos _foreach_acos_
    _foreach_add _foreach_add_ _foreach_addcdiv _foreach_addcdiv_ _foreach_addcmul _foreach_addcmul_ _foreach_asin
    _foreach_asin_ _foreach_atan _foreach_atan_ _foreach_ceil _foreach_ceil_ _foreach_clamp_max _foreach_clamp_max_
    _foreach_clamp_min _foreach_clamp_min_ _foreach_clone _foreach_copy_ _foreach_cos _foreach_cos_ _foreach_cosh
    _foreach_cosh_ _foreach_div _foreach_div_ _foreach_erf _foreach_erf_ _foreach_erfc _foreach_erfc_ _foreach_exp
    _foreach_exp_ _foreach_expm1 _foreach_expm1_ _foreach_floor _foreach_floor_ _foreach_frac _foreach_frac_
    _foreach_lerp _foreach_lerp_ _foreach_lgamma _foreach_lgamma_ _foreach_log _foreach_log10 _foreach_log10_
    _foreach_log1p _foreach_log1p_ _foreach_log2 _foreach_log2_ _foreach_log_ _foreach_max _foreach_maximum
    _foreach_maximum_ _foreach_minimum _foreach_minimum_ _foreach_mm _foreach_mul _foreach_mul_ _foreach_neg
    _foreach_neg_ _foreach_norm _foreach_pow _foreach_pow_ _foreach_powsum _foreach_reciprocal _foreach_reciprocal_
    _foreach_round _foreach_round_ _foreach_rsqrt _foreach_rsqrt_ _foreach_sigmoid _foreach_sigmoid_ _foreach_sign
    _foreach_sign_ _foreach_sin _foreach_sin_ _foreach_sinh _foreach_sinh_ _foreach_sqrt _foreach_sqrt_ _foreach_sub
    _foreach_sub_ _foreach_tan _foreach_tan_ _foreach_tanh _foreach_tanh_ _foreach_trunc _foreach_trunc_
    _foreach_zero_ _native_batch_norm_legit _sample_dirichlet _standard_gamma _standard_gamma_grad
    _upsample_bilinear2d_aa _weight_norm_interface adaptive_avg_pool1d adaptive_max_pool1d affine_grid_generator
    alias_copy alpha_dropout alpha_dropout_ as_strided_copy avg_pool1d bartlett_window batch_norm
    batch_norm_update_stats bilinear bincount binomial blackman_window cdist chain_matmul channel_shuffle cholesky
    cholesky_inverse cholesky_solve constant_pad_nd conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d
    conv_transpose3d convolution cosine_similarity cross cumulative_trapezoid det diagonal_copy diff dropout
    dropout_ eig embedding_bag expand_copy feature_alpha_dropout feature_alpha_dropout_ feature_dropout
    feature_dropout_ geqrf gradient grid_sampler grid_sampler_2d grid_sampler_3d group_norm gru gru_cell
    hamming_window hann_window hash_tensor histc histogram histogramdd index_reduce inner instance_norm inverse
    istft kaiser_window kron lobpcg logdet lstm lstm_cell lstsq lu lu_solve lu_unpack matrix_exp matrix_power
    matrix_rank max_pool1d max_pool1d_with_indices max_pool2d max_pool3d median mode nanmedian nanquantile
    narrow_copy native_batch_norm native_channel_shuffle native_dropout native_group_norm native_layer_norm
    nonzero_static orgqr ormqr pairwise_distance pca_lowrank pdist permute_copy pinverse pixel_shuffle
    pixel_unshuffle poisson qr quantile rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell scatter_reduce segment_reduce
    select_copy slice_copy slogdet solve split_copy split_with_sizes_copy squeeze_copy stft svd svd_lowrank symeig
    t_copy tensordot transpose_copy trapezoid trapz triangular_solve unbind_copy unfold_copy unique
    unique_consecutive unravel_index unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze_copy
    view_as_complex_copy view_as_real_copy view_copy
    """.split()
)
# methods of Tensor, with what they do
METHODS = {
    "bincount": "How often each of 0, 1, 2, ... occurs, or the sum of the weights of its occurrences.",
    "cholesky": "The triangle L with L L' = A of a positive definite matrix; `linalg.cholesky` replaces it.",
    "cholesky_inverse": "The inverse of the positive definite matrix whose Cholesky factor is given.",
    "cholesky_solve": "The solution X of A X = B for the positive definite matrix A whose Cholesky factor is given second.",
    "cross": "The cross product of vectors of three elements, along `dim` or the first dimension of that size.",
    "det": "The determinant of a square matrix: `linalg.det`.",
    "diff": "Differences of each element and the next one along `dim`, taken `n` times.",
    "eig": "Removed from torch: use torch.linalg.eig(A), or eigvals for the values alone; its results are complex.",
    "geqrf": "R of the QR decomposition, below it the vectors of the reflections that make Q, and their factors.",
    "hash_tensor": "The exclusive or of the elements' bits, floats taken as float64, over all dimensions or over `dim`: a uint64.",
    "histc": "Counts of the elements in equal ranges from `min` to `max`, or from the smallest to the largest.",
    "histogram": "Counts, or sums of weights, of the elements in each bin, and the edges of the bins.",
    "index_reduce": "The input with the parts of `source` reduced into those at the given positions along `dim`.",
    "index_reduce_": "The input with the parts of `source` reduced into those at the given positions along `dim`.",
    "inner": "The products of all vectors along the last dimension of one tensor and all of the other.",
    "inverse": "The inverse of a square matrix: `linalg.inv`.",
    "istft": "The signal behind short-time spectra, (B, L) from (B, N, T): the inverse of `stft` with the same options.",
    "kron": "Blocks of the second tensor, each times an element of the first.",
    "logdet": "The logarithm of the determinant; NaN where that is negative.",
    "lstsq": "Removed from torch: use torch.linalg.lstsq(A, B), the matrix first; the residuals are a result of their own.",
    "lu": "L and U in one matrix and the rows that were swapped, with infos if asked: `linalg.lu_factor_ex`.",
    "lu_solve": "The solution of A X = B from what `lu_factor(A)` returns: `linalg.lu_solve`, the right side first.",
    "matrix_exp": "The exponential of a square matrix: `linalg.matrix_exp`.",
    "matrix_power": "A square matrix multiplied with itself `n` times: `linalg.matrix_power`.",
    "median": "The middle element, the lower one of two, NaN if there is one; along `dim` also where it stands.",
    "mode": "The most frequent element along `dim`, the smallest one of several, and where it last stands.",
    "nanmedian": "The element in the middle of those that are not NaN; along `dim` also where it stands.",
    "nanquantile": "The `q`-th quantiles along `dim` of the elements that are not NaN.",
    "narrow_copy": "Like `narrow`, with results in memory of their own.",
    "nonzero_static": "The positions of the first `size` elements that are not zero, filled up with rows of `fill_value`.",
    "orgqr": "The first columns of a product of Householder reflections: `linalg.householder_product`.",
    "ormqr": "A matrix times the product of all Householder reflections, or its adjoint: from the left or the right.",
    "pinverse": "The pseudoinverse of a matrix; `linalg.pinv` under its old name.",
    "qr": "Q with orthonormal columns and an upper triangle R, whose product is the input; `linalg.qr` replaces it.",
    "quantile": "The `q`-th quantiles along `dim`, between two elements by `interpolation`; NaN where there is one.",
    "scatter_reduce": "The input with `src` reduced into the elements whose position along `dim` the index gives.",
    "scatter_reduce_": "The input with `src` reduced into the elements whose position along `dim` the index gives.",
    "slogdet": "The sign and the logarithm of the absolute value of the determinant: `linalg.slogdet`.",
    "solve": "Removed from torch: use torch.linalg.solve(A, B), the matrix first; the factors come from torch.linalg.lu_factor(A).",
    "stft": "The Fourier transforms of pieces of `n_fft` samples, `hop_length` apart: (B, N, T) from a signal (B, L).",
    "sum_to_size": "The sum over those dimensions that `size` lacks or has as 1: what expanding to the input's size undoes.",
    "svd": "U, S and V with A = U diag(S) V'; zeros for U and V without `compute_uv`. `linalg.svd` replaces it.",
    "symeig": "Removed from torch: use torch.linalg.eigh(A, UPLO='L'), or eigvalsh for the values alone; upper=True was UPLO='U'.",
    "triangular_solve": "The solution X of A X = B for a triangular A, and a copy of A; `linalg.solve_triangular` replaces it.",
    "unique": "The different elements in ascending order, or the different slices along `dim`.",
    "unique_consecutive": "The elements, or the slices along `dim`, of which only the first of each run of equals is kept.",
    "unsafe_chunk": "Like `chunk`, but the parts are no views.",
    "unsafe_split": "Like `split` with one size, but the parts are no views: writing to one is not seen by the others' history.",
    "unsafe_split_with_sizes": "Like `split_with_sizes`, but the parts are no views.",
}
