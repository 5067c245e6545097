"""Process groups: the processes that work together, their communicator, and who of them this one is."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from rushlight.distributed import mpi
from rushlight.distributed.words import Backend, GroupMember
from rushlight.distributed.words import group as group_words

if TYPE_CHECKING:
    from rushlight.distributed.checks import Checks
    from rushlight.distributed.watch import Watch
    from rushlight.distributed.work import Work

default_pg_timeout = timedelta(minutes=30)


class ProcessGroup:
    """Processes that take part in the same collectives; `group.WORLD` is the one of all."""

    def __init__(self, comm: Any, ranks: tuple[int, ...], backend: str, timeout: timedelta, name: str, desc: str):
        self.comm = comm
        self.ranks = ranks
        self.backend = Backend(backend)
        self.timeout = timeout.total_seconds()
        self.group_name = name
        self.group_desc = desc
        self._rank = comm.Get_rank()
        self._size = comm.Get_size()
        # how many collectives this process has begun here: the number by which processes compare notes
        self.sequence = 0
        # begun and not waited for: they hold memory that MPI may still write to
        self.pending: set[Work] = set()
        # who is asked when somebody does not come; None where there is nobody else
        self.watch: Watch | None = None
        # compares collectives before they run, under TORCH_DISTRIBUTED_DEBUG=DETAIL
        self.checks: Checks | None = None

    def rank(self) -> int:
        """The number of this process in the group."""
        return self._rank

    def size(self) -> int:
        """How many processes it has."""
        return self._size

    def name(self) -> str:
        """What carries its messages."""
        return str(self.backend)

    def global_rank(self, number: int) -> int:
        """The rank among all processes of the one with this number in the group."""
        return self.ranks[number]

    def set_timeout(self, timeout: timedelta) -> None:
        """How long its collectives wait for others from now on."""
        self.timeout = seconds(timeout)

    def __reduce__(self) -> tuple:
        raise TypeError("a ProcessGroup belongs to its process and cannot be pickled: make it anew with new_group")


# what a torch program finds it as
ProcessGroup.__module__ = "torch.distributed.distributed_c10d"


class World:
    """What this process knows of groups: the one of all, and those made since."""

    def __init__(self) -> None:
        self.default: ProcessGroup | None = None
        self.groups: dict[str, ProcessGroup] = {}
        self.names = itertools.count()
        self.watch: Watch | None = None

    def add(self, group: ProcessGroup) -> ProcessGroup:
        group.watch = self.watch
        self.groups[group.group_name] = group
        return group

    def set_default(self, group: ProcessGroup | None) -> None:
        self.default = group
        group_words.WORLD = GroupMember.WORLD = group


world = World()


def is_initialized() -> bool:
    """Whether this process belongs to a group.

    >>> torch.distributed.is_initialized()
    False
    """
    return world.default is not None


def default_group() -> ProcessGroup:
    """The group of all processes."""
    if world.default is None:
        raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.")
    return world.default


def given(group: Any) -> ProcessGroup:
    """The group that a caller means: None is that of all."""
    if group is None or group is world.default:
        return default_group()
    default_group()
    if isinstance(group, ProcessGroup) and world.groups.get(group.group_name) is group:
        return group
    raise ValueError(
        f"Process group {group} is not initialized in the world group map. Please initialize the group first."
    )


def is_outsider(group: Any) -> bool:
    """Whether this process got `GroupMember.NON_GROUP_MEMBER` from `new_group`, as those do who are not in it."""
    return group is not None and type(group) is int and group == GroupMember.NON_GROUP_MEMBER


def seconds(timeout: Any) -> float:
    if not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    return timeout.total_seconds()


def get_rank(group: Any = None) -> int:
    """The number of this process in the group; -1 if it is not in it."""
    return -1 if is_outsider(group) else given(group)._rank


def get_world_size(group: Any = None) -> int:
    """How many processes the group has; -1 if this one is not in it."""
    return -1 if is_outsider(group) else given(group)._size


def get_backend(group: Any = None) -> Backend:
    """The name under which the group was made; MPI carries its messages in any case."""
    if is_outsider(group):
        raise ValueError("Invalid process group specified")
    return given(group).backend


def get_backend_config(group: Any = None) -> str:
    """The backend of each kind of device."""
    return f"cpu:{given(group).backend}"


def get_default_backend_for_device(device: Any) -> str:
    """What carries tensors of a device: gloo, as torch says of the CPU."""
    kind = str(device).partition(":")[0]
    found = Backend.default_device_backend_map.get(kind)
    if found is None:
        raise ValueError(f"Default backend not registered for device : {device}")
    return found


def get_pg_count() -> int:
    """How many groups this process has made."""
    return len(world.groups)


def get_process_group_ranks(group: Any) -> list[int]:
    """The ranks, among all processes, of those in the group."""
    return list(given(group).ranks)


def get_group_rank(group: Any, global_rank: int) -> int:
    """The number in the group of a process that is known by its rank among all."""
    found = given(group)
    if found is world.default:
        return global_rank
    if global_rank not in found.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {found}")
    return found.ranks.index(global_rank)


def get_global_rank(group: Any, group_rank: int) -> int:
    """The rank among all of a process that is known by its number in the group."""
    found = given(group)
    if found is world.default:
        return group_rank
    if not 0 <= group_rank < found._size:
        raise ValueError(f"Group rank {group_rank} is not part of group {found}")
    return found.ranks[group_rank]


def number_in(group: ProcessGroup, rank: int | None, group_rank: int | None, what: str) -> int:
    """The number in the group of the root or partner that a caller has named in one of two ways."""
    if rank is not None and group_rank is not None:
        raise ValueError("Can't specify both group_rank and global_rank")
    if rank is None and group_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    found = get_group_rank(group, rank) if group_rank is None and rank is not None else group_rank
    assert found is not None
    if not 0 <= found < group._size:
        raise RuntimeError(
            f"ProcessGroupMPI::{what}: invalid root rank: {found}; the group has {group._size} processes"
        )
    return found


def new_group(
    ranks: Sequence[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """A group of some of the processes, which all of them have to make, in the same order."""
    parent = default_group()
    limit = timedelta(seconds=parent.timeout) if timeout is None else timedelta(seconds=seconds(timeout))
    members = tuple(range(parent._size)) if ranks is None else checked_ranks(list(ranks), parent._size, sort_ranks)
    name = next_name()
    if parent._rank not in members:
        return GroupMember.NON_GROUP_MEMBER
    # all of its members come here, nobody else has to; the number keeps calls apart
    comm = parent.comm.Create_group(parent.comm.Get_group().Incl(members), int(name) % 32000)
    return register(ProcessGroup(comm, members, backend or parent.backend, limit, name, group_desc or "undefined"))


def next_name() -> str:
    """Names are numbers, the same in every process, since all make groups in one order."""
    return str(next(world.names))


def register(group: ProcessGroup) -> ProcessGroup:
    """Let a new group be known, watched and, where that was asked for, checked."""
    from rushlight.distributed.checks import checks_for

    group.checks = checks_for(group)
    return world.add(group)


def checked_ranks(ranks: list[int], size: int, sort_ranks: bool) -> tuple[int, ...]:
    if len(ranks) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by init_process_group"
        )
    if not ranks:
        raise TypeError("new_group: ranks has to name at least one process")
    for rank in ranks:
        if not 0 <= rank < size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    return tuple(sorted(ranks) if sort_ranks else ranks)


def new_subgroups(
    group_size: int | None = None,
    group: Any = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of `group_size` neighbours each: this process's own, and all of them."""
    if group_size is None:
        raise ValueError("new_subgroups: pass in 'group_size', there are no devices that tell it")
    size = get_world_size()
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    if group_size > size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size}'")
    parts = [list(range(start, start + group_size)) for start in range(0, size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: Sequence[Sequence[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """A group for each list of ranks: this process's own, and all of them."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, made = None, []
    seen: set[int] = set()
    for ranks in ranks_per_subgroup_list:
        twice = seen & set(ranks)
        if twice:
            raise ValueError(f"Rank {min(twice)} has appeared in both subgroups of ranks_per_subgroup_list")
        seen |= set(ranks)
        group = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        made.append(group)
        own = group if get_rank() in ranks else own
    return own, made


def is_mpi_there() -> bool:
    """Whether messages can be carried."""
    return mpi.is_installed()
