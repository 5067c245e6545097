"""torch.utils.data: datasets, the order of their samples, and loaders of batches."""

from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.utils.data.dataloader import DataLoader, _DatasetKind, default_collate, default_convert, get_worker_info
from rushlight.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from rushlight.utils.data.distributed import DistributedSampler
from rushlight.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

# pipes of datasets, which few programs use
_PIPES = dict.fromkeys("DFIterDataPipe DataChunk IterDataPipe MapDataPipe".split(), "utils.data.datapipes.datapipe")
_PIPES |= dict.fromkeys(
    "argument_validation functional_datapipe guaranteed_datapipes_determinism non_deterministic runtime_validation "
    "runtime_validation_disabled".split(),
    "utils.data.datapipes._decorator",
)
__getattr__ = _names_of(
    "rushlight.utils.data", ("backward_compatibility", "datapipes", "graph", "graph_settings"), _PIPES
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DFIterDataPipe",
    "DataChunk",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterDataPipe",
    "IterableDataset",
    "MapDataPipe",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "_DatasetKind",
    "argument_validation",
    "default_collate",
    "default_convert",
    "functional_datapipe",
    "get_worker_info",
    "guaranteed_datapipes_determinism",
    "non_deterministic",
    "random_split",
    "runtime_validation",
    "runtime_validation_disabled",
]
