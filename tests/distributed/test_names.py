"""torch.distributed: names that can be imported, true answers, and reasons when something is used."""

import importlib

import pytest

import rushlight as torch
from rushlight import compat, distributed


def test_there_are_no_several_processes():
    assert not distributed.is_available() and not distributed.is_initialized()
    assert not distributed.is_nccl_available() and not distributed.is_backend_available("gloo")
    assert not distributed.is_gloo_available() and not distributed.is_mpi_available()
    assert not distributed.is_ucc_available() and not distributed.is_xccl_available()


def test_what_started_the_process_is_read_from_the_environment(monkeypatch):
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    monkeypatch.delenv("LOCAL_RANK", raising=False)
    assert not distributed.is_torchelastic_launched() and distributed.get_node_local_rank(3) == 3
    with pytest.raises(RuntimeError, match="LOCAL_RANK is not in the environment"):
        distributed.get_node_local_rank()
    monkeypatch.setenv("LOCAL_RANK", "2")
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    assert distributed.is_torchelastic_launched() and distributed.get_node_local_rank() == 2


def test_words_that_are_values():
    assert [each.name for each in distributed.ReduceOp.RedOpType][:3] == ["SUM", "AVG", "PRODUCT"]
    assert str(distributed.ReduceOp.SUM) == "RedOpType.SUM" and distributed.ReduceOp.MAX.value == 4
    assert distributed.ReduceOp(distributed.ReduceOp.SUM) == distributed.ReduceOp.SUM
    assert distributed.Backend("GLOO") == "gloo" == distributed.Backend.GLOO
    assert distributed.group.WORLD is None and distributed.GroupMember.NON_GROUP_MEMBER == -100
    with pytest.raises(ValueError, match="Backend constructor parameter must be string-ish"):
        distributed.Backend(3)


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("fsdp", "FullyShardedDataParallel"),
        ("fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel"),
        ("tensor", "DTensor"),
        ("device_mesh", "DeviceMesh"),
        ("checkpoint.state_dict", "StateDictOptions"),
        ("algorithms.ddp_comm_hooks.powerSGD_hook", "PowerSGDState"),
        ("rpc", "init_rpc"),
        ("nn.functional", "all_gather"),
    ],
)
def test_names_of_its_modules_say_why_when_they_are_used(module, name):
    with compat.installed():
        found = getattr(importlib.import_module(f"torch.distributed.{module}"), name)
    with pytest.raises(NotImplementedError, match=rf"torch\.distributed\..*{name} is not in Rushlight: it runs in one"):
        found()


@pytest.mark.parametrize("name", ["get_rank", "init_process_group", "all_reduce", "barrier", "TCPStore"])
def test_functions_say_why_when_they_are_called(name):
    with pytest.raises(NotImplementedError, match=rf"^torch\.distributed\.{name} is not in Rushlight"):
        getattr(distributed, name)()


def test_classes_serve_questions_annotations_and_except_clauses():
    from rushlight.distributed.elastic.multiprocessing.errors import ChildFailedError
    from rushlight.distributed.fsdp import ShardingStrategy
    from rushlight.distributed.fsdp import fully_sharded_data_parallel as inner

    assert not isinstance(torch.nn.Linear(1, 1), inner.FullyShardedDataParallel)
    assert inner.ShardingStrategy is ShardingStrategy and ShardingStrategy.FULL_SHARD.name == "FULL_SHARD"
    assert issubclass(ChildFailedError, Exception)
    assert issubclass(type("Mine", (inner.FullyShardedDataParallel,), {}), inner.FullyShardedDataParallel)


def test_a_name_that_nobody_has_is_missing():
    with pytest.raises(AttributeError, match=r"module 'torch\.distributed' has no attribute 'nonsense'"):
        distributed.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'torch\.distributed\.fsdp' has no attribute 'nonsense'"):
        distributed.fsdp.nonsense  # noqa: B018
