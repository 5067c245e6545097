"""torch.utils._content_store: tensors kept by their content."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "it belongs to the inside of PyTorch; leave it out"
NAMES = table(": ContentStoreReader ContentStoreWriter hash_storage")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils._content_store", NAMES, WHY)
