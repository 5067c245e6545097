"""torch.sparse: sparse layouts, which are left out; names that programs import."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "sparse layouts are left out; keep the tensor dense"
NAMES = table(
    """
    :
    SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS
    addmm as_sparse_gradcheck check_sparse_tensor_invariants log_softmax mm sampled_addmm softmax solve spdiags
    spsolve sum to_sparse_semi_structured
    """
)[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.sparse", NAMES, WHY)
