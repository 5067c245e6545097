"""Checkpoints by a planner and a storage: plans are made by each process, agreed on, carried out and written down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.distributed.checkpoint.api import CheckpointException, _wrap_exception
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner, DefaultSavePlanner
from rushlight.distributed.checkpoint.metadata import Metadata
from rushlight.distributed.checkpoint.planner import LoadPlanner, SavePlanner
from rushlight.distributed.checkpoint.storage import StorageReader, StorageWriter
from rushlight.distributed.objects import all_gather_object, broadcast_object_list
from rushlight.distributed.process_group import ProcessGroup


class Processes:
    """Those who take part: each does its step, and an error of one is raised in all."""

    def __init__(self, group: ProcessGroup | None):
        self.group = group
        self.rank = 0 if group is None else group.rank()
        self.is_coordinator = self.rank == 0

    def all_of(self, step: Callable[[], Any], name: str) -> list[Any]:
        """What the step gives in each process."""
        try:
            mine: tuple[Any, Any] = step(), None
        except Exception as error:
            mine = None, _wrap_exception(error)
        found = [mine]
        if self.group is not None:
            found = [mine] * self.group.size()
            all_gather_object(found, mine, self.group)
        failures = {rank: error for rank, (_, error) in enumerate(found) if error is not None}
        if failures:
            raise CheckpointException(name, failures)
        return [value for value, _ in found]

    def coordinated(self, step: Callable[[], Any], name: str) -> Any:
        """What the step gives in the coordinator."""
        found: list[Any] = [None]
        if self.is_coordinator:
            try:
                found = [(step(), None)]
            except Exception as error:
                found = [(None, _wrap_exception(error))]
        if self.group is not None:
            broadcast_object_list(found, group_src=0, group=self.group)
        value, failure = found[0]
        if failure is not None:
            raise CheckpointException(name, {0: failure})
        return value


def save_planned(
    state_dict: dict[str, Any], writer: StorageWriter, planner: SavePlanner | None, group: ProcessGroup | None
) -> Metadata:
    """Write a state by a plan; the metadata is written last."""
    processes, plans = Processes(group), planner or DefaultSavePlanner()
    state = {key: stateful_content(value) for key, value in state_dict.items()}

    def local() -> Any:
        plans.set_up_planner(state, writer.storage_meta(), processes.is_coordinator)
        writer.set_up_storage_writer(processes.is_coordinator, rank=processes.rank)
        return writer.prepare_local_plan(plans.create_local_plan())

    def together() -> Any:
        agreed, metadata = plans.create_global_plan(found)
        return writer.prepare_global_plan(agreed), metadata

    def write() -> Any:
        return writer.write_data(plans.finish_plan(agreed[processes.rank]), plans).wait()

    found = processes.all_of(local, "plan")
    agreed, metadata = processes.coordinated(together, "plan")
    results = processes.all_of(write, "write")
    processes.coordinated(lambda: writer.finish(metadata, results), "finish")
    return metadata


def load_planned(
    state_dict: dict[str, Any], reader: StorageReader, planner: LoadPlanner | None, group: ProcessGroup | None
) -> None:
    """Fill a state by a plan; objects with a state of their own take it up."""
    processes, plans = Processes(group), planner or DefaultLoadPlanner()
    # a planner may add names: the same dict comes back
    objects = {key: value for key, value in state_dict.items() if is_stateful(value)}
    state = {key: stateful_content(value) for key, value in state_dict.items()}

    def local() -> Any:
        metadata = reader.read_metadata()
        plans.set_up_planner(state, metadata, processes.is_coordinator)
        reader.set_up_storage_reader(metadata, processes.is_coordinator)
        return reader.prepare_local_plan(plans.create_local_plan())

    def together() -> Any:
        return reader.prepare_global_plan(plans.create_global_plan(found))

    def read() -> None:
        reader.read_data(plans.finish_plan(agreed[processes.rank]), plans).wait()

    found = processes.all_of(local, "plan")
    agreed = processes.coordinated(together, "plan")
    processes.all_of(read, "read")
    for key, value in state.items():
        if key in objects:
            objects[key].load_state_dict(value)
        else:
            state_dict[key] = value


def is_stateful(value: Any) -> bool:
    return callable(getattr(value, "state_dict", None)) and callable(getattr(value, "load_state_dict", None))


def stateful_content(value: Any) -> Any:
    return value.state_dict() if is_stateful(value) else value
