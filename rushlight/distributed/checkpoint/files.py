"""The files of a checkpoint: one of each process, and one that names them, which is written last."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from typing import Any

from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor
from rushlight.distributed.collectives import barrier
from rushlight.distributed.objects import broadcast_object_list
from rushlight.distributed.process_group import ProcessGroup, given, is_initialized
from rushlight.serialization.replacing import replaced

INDEX = ".metadata"


def save(
    state_dict: dict[str, Any],
    *,
    checkpoint_id: str | os.PathLike | None = None,
    storage_writer: Any = None,
    planner: Any = None,
    process_group: Any = None,
    no_dist: bool = False,
    use_collectives: bool = True,
) -> None:
    """Write each process's state into the folder `checkpoint_id`, whose readers find the old or the new one, whole."""
    import rushlight

    folder, group = folder_of(checkpoint_id, storage_writer, planner), group_of(process_group, no_dist)
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

    With more processes than saved it, the others read the file of the first.
    """
    import rushlight

    folder, group = folder_of(checkpoint_id, storage_reader, planner), group_of(process_group, no_dist)
    with open(os.path.join(folder, INDEX), "rb") as file:
        index = json.loads(file.read())
    rank = 0 if group is None else group.rank()
    number = rank if rank < index["files"] else 0
    content = rushlight.load(os.path.join(folder, file_name(index["name"], number)), weights_only=False)
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


def folder_of(checkpoint_id: Any, storage: Any, planner: Any) -> str:
    if storage is not None or planner is not None:
        raise NotImplementedError(
            "torch.distributed.checkpoint in Rushlight has no storage and no planner: give checkpoint_id, a folder"
        )
    if checkpoint_id is None:
        raise RuntimeError("torch.distributed.checkpoint: checkpoint_id, a folder, must be given")
    return os.fspath(checkpoint_id)


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
