"""The files of a checkpoint: one of each process, and one that names them, which is written last."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from typing import Any

from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.checkpoint.default_planner import DefaultLoadPlanner
from rushlight.distributed.checkpoint.filesystem import INDEX, FileSystemReader, FileSystemWriter
from rushlight.distributed.checkpoint.metadata import Metadata
from rushlight.distributed.checkpoint.planned import load_planned, save_planned
from rushlight.distributed.checkpoint.storage import StorageWriter
from rushlight.distributed.collectives import barrier
from rushlight.distributed.objects import broadcast_object_list
from rushlight.distributed.process_group import ProcessGroup, given, is_initialized
from rushlight.serialization.replacing import replaced


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> Metadata | None:
    """Write each process's state into the folder `checkpoint_id`, whose readers find the old or the new one, whole.

    With a storage or a planner, the folder is one that torch reads too, and what several processes have is written
    once.
    """
    import rushlight

    group = group_of(process_group, no_dist)
    if storage_writer is not None or planner is not None:
        return save_planned(state_dict, writer_of(checkpoint_id, storage_writer), planner, group)
    folder = folder_of(checkpoint_id)
    os.makedirs(folder, exist_ok=True)
    # all files of one checkpoint carry its name, so that no two are mixed
    name = [secrets.token_hex(4)]
    if group is not None:
        broadcast_object_list(name, group_src=0, group=group)
    rank = 0 if group is None else group.rank()
    content = {key: getattr(value, "state_dict", lambda value=value: value)() for key, value in state_dict.items()}
    rushlight.save(content, os.path.join(folder, file_name(name[0], rank)))
    if group is not None:
        barrier(group)
    if rank == 0:
        with replaced(os.path.join(folder, INDEX)) as file:
            file.write(json.dumps({"name": name[0], "files": 1 if group is None else group.size()}).encode())
        remove_others(folder, name[0])
    if group is not None:
        barrier(group)
    return None


def load(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_reader: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
) -> None:
    """Read what this process has saved into the tensors of `state_dict`; other values are replaced.

    With more processes than saved it, the others read the file of the first. Folders that torch wrote, or a storage
    and a planner, are read by a plan.
    """
    group = group_of(process_group, no_dist)
    if storage_reader is not None and not isinstance(storage_reader, FileSystemReader):
        storage_reader.reset(checkpoint_id)
        load_planned(state_dict, storage_reader, planner, group)
        return
    folder = folder_of(getattr(storage_reader, "path", None) if checkpoint_id is None else checkpoint_id)
    if not is_simple(folder):
        reader = storage_reader or FileSystemReader(folder)
        reader.reset(folder)
        load_planned(state_dict, reader, planner, group)
        return
    if planner is not None and type(planner) is not DefaultLoadPlanner:
        raise NotImplementedError(
            f"{folder} was saved without a plan, and {type(planner).__name__} cannot read it: save it with a "
            "storage_writer or a planner, or load it without a planner"
        )
    content = simple_content(folder, 0 if group is None else group.rank())
    for key, value in state_dict.items():
        if key not in content:
            raise RuntimeError(f"Missing key in checkpoint state_dict: {key}.")
        state_dict[key] = filled(value, content[key])


def filled(target: Any, saved: Any) -> Any:
    """The saved value; tensors are written into those that are there, objects with a state take it up."""
    if isinstance(target, Tensor) and isinstance(saved, Tensor):
        with modes.no_grad():
            target.copy_(saved)
        return target
    if hasattr(target, "load_state_dict"):
        target.load_state_dict(saved)
        return target
    if isinstance(target, dict) and isinstance(saved, dict):
        return {key: filled(target.get(key), value) for key, value in saved.items()}
    return saved


def is_simple(folder: str | os.PathLike) -> bool:
    """Whether a folder was written without a plan: its index is text, that of a plan is a pickle."""
    with open(os.path.join(folder, INDEX), "rb") as file:
        return file.read(1) == b"{"


def simple_content(folder: str, rank: int) -> dict[str, Any]:
    """What a process saved without a plan."""
    import rushlight

    with open(os.path.join(folder, INDEX), "rb") as file:
        index = json.loads(file.read())
    number = rank if rank < index["files"] else 0
    return rushlight.load(os.path.join(folder, file_name(index["name"], number)), weights_only=False)


def folder_of(checkpoint_id: Any) -> str:
    if checkpoint_id is None:
        raise RuntimeError("`checkpoint_id` must be specified if storage_reader/storage_writer is None.")
    return os.fspath(checkpoint_id)


def writer_of(checkpoint_id: Any, writer: StorageWriter | None) -> StorageWriter:
    found = writer if writer is not None else FileSystemWriter(folder_of(checkpoint_id))
    found.reset(checkpoint_id)
    return found


def group_of(process_group: Any, no_dist: bool) -> ProcessGroup | None:
    return given(process_group) if is_initialized() and not no_dist else None


def file_name(name: str, rank: int) -> str:
    return f"{name}_{rank}.distcp"


def remove_others(folder: str, name: str) -> None:
    """Take away the files of older checkpoints, which the index no longer names."""
    for each in os.listdir(folder):
        if each.endswith(".distcp") and not each.startswith(f"{name}_"):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, each))
