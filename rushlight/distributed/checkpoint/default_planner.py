"""torch.distributed.checkpoint.default_planner: every tensor whole, every other value by the coordinator."""

from __future__ import annotations

import dataclasses
import io
from typing import Any

from rushlight.autograd import modes
from rushlight.core.object.size import Size
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.checkpoint._nested_dict import flatten_state_dict, set_element
from rushlight.distributed.checkpoint.metadata import (
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorProperties,
    TensorStorageMetadata,
)
from rushlight.distributed.checkpoint.planner import (
    LoadItemType,
    LoadPlan,
    LoadPlanner,
    ReadItem,
    SavePlan,
    SavePlanner,
    TensorWriteData,
    WriteItem,
    WriteItemType,
)

__all__ = [
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "create_default_global_load_plan",
    "create_default_global_save_plan",
    "create_default_local_load_plan",
    "create_default_local_save_plan",
]


class DefaultSavePlanner(SavePlanner):
    """Names values by their way through the state; what several processes have is written by the first of them."""

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ):
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.mappings: dict[str, tuple] = {}
        self.state_dict: dict[str, Any] = {}
        self.is_coordinator = False
        self.plan = SavePlan([])

    def set_up_planner(
        self, state_dict: dict[str, Any], storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        """Take up what is to be saved."""
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict, self.is_coordinator = state_dict, is_coordinator

    def create_local_plan(self) -> SavePlan:
        """All tensors, and for the coordinator all else."""
        plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        self.plan = dataclasses.replace(plan, planner_data=self.mappings) if self.flatten_state_dict else plan
        return self.plan

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Each item once, and what is said about all."""
        plans, metadata = create_default_global_save_plan(without_repetition(all_plans))
        if self.flatten_state_dict:
            ways = {name: way for plan in all_plans for name, way in (plan.planner_data or {}).items()}
            metadata = dataclasses.replace(metadata, planner_data=ways)
        return plans, metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Take up what the coordinator decided."""
        self.plan = new_plan
        return new_plan

    def resolve_data(self, write_item: WriteItem) -> Tensor | io.BytesIO:
        """The tensor of an item, or its value in the bytes of `torch.save`."""
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """The value of a name."""
        return self.state_dict[index.fqn]

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """The form in which a value is written."""
        import rushlight

        if write_item.type is WriteItemType.BYTE_IO:
            data = io.BytesIO()
            rushlight.save(object, data)
            data.seek(0)
            object = data
        return object


class DefaultLoadPlanner(LoadPlanner):
    """Fills the tensors of a state and replaces its other values; with `allow_partial_load` some may be missing."""

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ):
        self.flatten_state_dict = flatten_state_dict
        self.flatten_sharded_tensors = flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load
        self.original_state_dict: dict[str, Any] = {}
        self.mappings: dict[str, tuple] = {}
        self.state_dict: dict[str, Any] = {}
        self.metadata: Metadata | None = None
        self.is_coordinator = False

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Take up what is to be filled."""
        self.original_state_dict = state_dict
        if self.flatten_state_dict:
            state_dict, self.mappings = flatten_state_dict(state_dict)
        self.state_dict, self.metadata, self.is_coordinator = state_dict, metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """All values of the state."""
        if self.metadata is None:
            raise AssertionError("set_up_planner was not called with the metadata of a checkpoint")
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """As each process wanted it."""
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        """As the coordinator decided."""
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Replace a value by the one that was saved."""
        import rushlight

        name = read_item.dest_index.fqn
        self.state_dict[name] = loaded = rushlight.load(value, weights_only=False)
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[name], loaded)

    def resolve_tensor(self, read_item: ReadItem) -> Tensor:
        """The part of a tensor that an item fills."""
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: Tensor) -> None:
        """Nothing is left to do: the tensor is the state's own."""

    def lookup_tensor(self, index: MetadataIndex) -> Tensor:
        """The tensor of a name."""
        return self.state_dict[index.fqn]

    def transform_tensor(self, read_item: ReadItem, tensor: Tensor) -> Tensor:
        """The part of a tensor that is read."""
        return part_of(tensor, read_item.dest_offsets, read_item.lengths)


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Makes the state of all that the checkpoint has, or of the names that begin with some `keys`."""

    def __init__(self, keys: set[str] | None = None, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.keys = keys

    def set_up_planner(
        self, state_dict: dict[str, Any], metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Put empty tensors into a state, which has to be empty."""
        import rushlight

        if state_dict:
            raise AssertionError("the state that is filled with all of a checkpoint has to be empty")
        if metadata is None:
            raise AssertionError("the metadata of a checkpoint is needed to make its state")
        ways = metadata.planner_data or {}
        for name, about in metadata.state_dict_metadata.items():
            way = ways.get(name, (name,))
            if self.keys is not None and name not in self.keys and way[0] not in self.keys:
                continue
            value: Any = 0
            if isinstance(about, TensorStorageMetadata):
                value = rushlight.empty(about.size, dtype=about.properties.dtype)
            set_element(state_dict, way, value)
        super().set_up_planner(state_dict, metadata, is_coordinator)


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """Each tensor as one item, and other values if this is the coordinator."""
    items = []
    for name, value in state_dict.items():
        if isinstance(value, Tensor):
            begin = Size([0] * value.dim())
            about = TensorWriteData(
                ChunkStorageMetadata(begin, value.size()), TensorProperties.create_from_tensor(value), value.size()
            )
            items.append(WriteItem(MetadataIndex(name, begin), WriteItemType.TENSOR, tensor_data=about))
        elif is_coordinator:
            items.append(WriteItem(MetadataIndex(name), WriteItemType.BYTE_IO))
    return SavePlan(items)


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """What is said about all items, which learn their places in the lists of parts."""
    about: dict[str, Any] = {}
    plans = []
    for plan in all_plans:
        items = []
        for item in plan.items:
            if item.tensor_data is None:
                about[item.index.fqn] = BytesStorageMetadata()
                items.append(item)
                continue
            data = item.tensor_data
            stored = about.setdefault(item.index.fqn, TensorStorageMetadata(data.properties, data.size, []))
            place = dataclasses.replace(item.index, index=len(stored.chunks)) if rewrite_index_hints else item.index
            items.append(dataclasses.replace(item, index=place))
            stored.chunks.append(data.chunk)
        plans.append(dataclasses.replace(plan, items=items))
    return plans, Metadata(about)


def without_repetition(plans: list[SavePlan]) -> list[SavePlan]:
    """The plans with each item in the first of those that have it."""
    seen: set[MetadataIndex] = set()
    found = []
    for plan in plans:
        items = [each for each in plan.items if each.index not in seen]
        seen.update(each.index for each in items)
        found.append(dataclasses.replace(plan, items=items))
    return found


def create_default_local_load_plan(state_dict: dict[str, Any], metadata: Metadata, strict: bool = True) -> LoadPlan:
    """All parts of all tensors of a state, and its other values."""
    items: list[ReadItem] = []
    for name, value in state_dict.items():
        about = metadata.state_dict_metadata.get(name)
        if about is None:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {name}.")
            continue
        if isinstance(about, TensorStorageMetadata) and isinstance(value, Tensor):
            if about.size != value.size():
                raise ValueError(
                    f"Size mismatch between saved {about.size} and current: {value.size()} for {name}",
                )
            items.extend(reading(name, place, chunk) for place, chunk in enumerate(about.chunks))
        else:
            index, nothing = MetadataIndex(name), Size([0])
            items.append(ReadItem(LoadItemType.BYTE_IO, index, nothing, index, nothing, nothing))
    return LoadPlan(items)


def reading(name: str, place: int, chunk: ChunkStorageMetadata) -> ReadItem:
    """One stored part of a tensor, which goes to where it was."""
    target = MetadataIndex(name, [0] * len(chunk.offsets), 0)
    stored = MetadataIndex(name, chunk.offsets, place)
    return ReadItem(LoadItemType.TENSOR, target, chunk.offsets, stored, Size([0] * len(chunk.offsets)), chunk.sizes)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """As each process wanted it."""
    return all_plans


def part_of(tensor: Tensor, offsets: Size, lengths: Size) -> Tensor:
    """A view of a part of a tensor, which may be written to."""
    with modes.no_grad():
        for dim, (offset, length) in enumerate(zip(offsets, lengths, strict=True)):
            if tensor.size(dim) != length:
                tensor = tensor.narrow(dim, offset, length)
    return tensor
