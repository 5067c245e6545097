"""torch.distributed.checkpoint.filesystem: a checkpoint as a folder, in the files that torch writes and reads."""

from __future__ import annotations

import enum
import io
import os
import pickle
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.checkpoint.default_planner import part_of
from rushlight.distributed.checkpoint.metadata import Metadata, MetadataIndex, StorageMeta
from rushlight.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    WriteItem,
    WriteItemType,
)
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter, WriteResult
from rushlight.errors.warning import warn
from rushlight.futures import Future
from rushlight.serialization.names import is_torch, our_object
from rushlight.serialization.pickler import pickled
from rushlight.serialization.replacing import replaced

__all__ = ["FileSystemReader", "FileSystemWriter", "SerializationFormat"]

DEFAULT_SUFFIX = ".distcp"
INDEX = ".metadata"


@dataclass
class _StorageInfo:
    """Where an item is."""

    relative_path: str
    offset: int
    length: int
    transform_descriptors: Sequence[str] | None = None


@dataclass
class _StoragePrefix:
    """How the names of a process's files begin."""

    prefix: str


class SerializationFormat(enum.Enum):
    """How tensors are written."""

    TORCH_SAVE = "torch_save"
    SAFETENSORS = "safetensors"


class FileSystemWriter(StorageWriter):
    """Writes a file of each process, or of each item, then one that says what is where.

    >>> writer = torch.distributed.checkpoint.FileSystemWriter("folder")
    >>> torch.distributed.checkpoint.save(model.state_dict(), storage_writer=writer)  # doctest: +SKIP
    """

    def __init__(
        self,
        path: str | os.PathLike,
        single_file_per_rank: bool = True,
        sync_files: bool = True,
        thread_count: int = 1,
        per_thread_copy_ahead: int = 10_000_000,
        cache_staged_state_dict: bool = False,
        overwrite: bool = True,
        _extensions: Any = None,
        serialization_format: SerializationFormat = SerializationFormat.TORCH_SAVE,
    ):
        if _extensions or serialization_format is not SerializationFormat.TORCH_SAVE:
            raise NotImplementedError(
                "torch.distributed.checkpoint.FileSystemWriter in Rushlight writes torch.save's format only"
            )
        self.path = Path(path)
        self.single_file_per_rank = single_file_per_rank
        self.sync_files = sync_files
        self.thread_count = thread_count
        self.overwrite = overwrite
        self.save_id = ""
        self.rank = 0

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begin a checkpoint, in another folder if one is given."""
        if checkpoint_id is not None:
            self.path = Path(checkpoint_id)
        self.save_id = str(uuid.uuid4())

    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Learn the rank, which is in the names of files."""
        self.rank = kwargs.get("rank", 0)

    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Make the folder; one that has a checkpoint is written over unless that was forbidden."""
        self.path.mkdir(parents=True, exist_ok=True)
        if (self.path / INDEX).exists():
            if not self.overwrite:
                raise RuntimeError(f"Checkpoint already exists and overwrite={self.overwrite}.")
            warn(f"Detected an existing checkpoint in {self.path / INDEX}, overwriting since overwrite=True.")
        return plan

    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Tell each process how the names of its files begin."""
        for rank, plan in enumerate(plans):
            object.__setattr__(plan, "storage_data", _StoragePrefix(f"__{rank}_"))
        return plans

    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Write the items: bytes first, then tensors."""
        prefix = plan.storage_data.prefix
        items = sorted(plan.items, key=lambda item: item.type is not WriteItemType.BYTE_IO)
        groups = [items] if self.single_file_per_rank else [[item] for item in items]
        results: list[WriteResult] = []
        for number, group in enumerate(each for each in groups if each):
            name = f"{prefix}{number}{DEFAULT_SUFFIX}"
            with replaced(os.fspath(self.path / name)) as file:
                results.extend(written(file, name, item, planner) for item in group)
        future: Future[list[WriteResult]] = Future()
        future.set_result(results)
        return future

    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Write where everything is."""
        metadata.version = "1.0.0"
        metadata.storage_data = {each.index: each.storage_data for group in results for each in group}
        metadata.storage_meta = self.storage_meta()
        with replaced(os.fspath(self.path / INDEX)) as file:
            # protocol 2 names classes in one piece, so that all names in the file are torch's
            file.write(pickled(metadata, pickle, 2, lambda found: None))

    def storage_meta(self) -> StorageMeta:
        """Which checkpoint it is."""
        return StorageMeta(checkpoint_id=os.fspath(self.path), save_id=self.save_id)

    @property
    def checkpoint_id(self) -> str | os.PathLike:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Whether it is a folder, or may become one."""
        return is_path(checkpoint_id)


def written(file: IO[bytes], name: str, item: WriteItem, planner: SavePlanner) -> WriteResult:
    """Write one item to the end of a file."""
    import rushlight

    begin, data = file.tell(), planner.resolve_data(item)
    if isinstance(data, Tensor):
        # a view would bring the whole of its storage along; torch writes what the item is
        content = io.BytesIO()
        rushlight.save(data.detach().clone(), content)
        file.write(content.getbuffer())
    else:
        file.write(data.getbuffer())
    length = file.tell() - begin
    return WriteResult(item.index, length, _StorageInfo(name, begin, length))


class FileSystemReader(StorageReader):
    """Reads a checkpoint from a folder, also one that torch wrote."""

    def __init__(self, path: str | os.PathLike, _extension_registry: Any = None):
        self.path = Path(path)
        self.storage_data: dict[MetadataIndex, _StorageInfo] = {}
        self.load_id = ""

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begin with a checkpoint, in another folder if one is given."""
        self.storage_data = {}
        if checkpoint_id is not None:
            self.path = Path(checkpoint_id)
        self.load_id = str(uuid.uuid4())

    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """What the folder's index says."""
        with open(self.path / INDEX, "rb") as file:
            metadata = Unpickler(file).load()
        if metadata.storage_meta is None:
            metadata.storage_meta = StorageMeta()
        metadata.storage_meta.load_id = self.load_id
        return metadata

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Learn where everything is."""
        self.storage_data = metadata.storage_data

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Nothing is added."""
        return plan

    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Nothing is added."""
        return plans

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Read the items, file by file."""
        for path, items in self.by_file(plan):
            with open(self.path / path, "rb") as file:
                for item in items:
                    self.read_item(file, item, planner)
        future: Future[None] = Future()
        future.set_result(None)
        return future

    def by_file(self, plan: LoadPlan) -> Iterator[tuple[str, list[ReadItem]]]:
        files: dict[str, list[ReadItem]] = {}
        for item in plan.items:
            files.setdefault(self.storage_data[item.storage_index].relative_path, []).append(item)
        yield from files.items()

    def read_item(self, file: IO[bytes], item: ReadItem, planner: LoadPlanner) -> None:
        import rushlight

        place = self.storage_data[item.storage_index]
        if place.transform_descriptors:
            raise NotImplementedError(
                f"{place.relative_path} is transformed by {', '.join(place.transform_descriptors)}, "
                "which torch.distributed.checkpoint in Rushlight does not read"
            )
        file.seek(place.offset)
        data = io.BytesIO(file.read(place.length))
        if item.type is LoadItemType.BYTE_IO:
            planner.load_bytes(item, data)
            return
        stored = part_of(rushlight.load(data, map_location="cpu"), item.storage_offsets, item.lengths)
        target = planner.resolve_tensor(item).detach()
        if target.size() != stored.size():
            raise AssertionError(
                f"req {item.storage_index} mismatch sizes {target.size()} vs {stored.size()}: the planner's tensor "
                "has to be as large as the part that is read"
            )
        with modes.no_grad():
            target.copy_(stored)
        planner.commit_tensor(item, target)

    @property
    def checkpoint_id(self) -> str | os.PathLike:
        """The folder."""
        return self.path

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Whether it is a folder, or may become one."""
        return is_path(checkpoint_id)


class Unpickler(pickle.Unpickler):
    """Reads an index, whose classes have torch's names."""

    def find_class(self, module: str, name: str) -> Any:
        """Ours for one of torch's."""
        return our_object(module, name) if is_torch(module) else super().find_class(module, name)


def is_path(checkpoint_id: str | os.PathLike) -> bool:
    """Whether a name means a file of this machine, and not one behind a protocol."""
    if isinstance(checkpoint_id, Path):
        return True
    return "://" not in str(checkpoint_id)
