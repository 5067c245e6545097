"""torch.distributed: names that can be imported, true answers in one process, and reasons for what is left out."""

import importlib
import importlib.util
import pickle
import types

import pytest

import rushlight as torch
from rushlight import compat, distributed


def test_it_is_available_where_mpi4py_is_installed():
    there = importlib.util.find_spec("mpi4py") is not None
    assert distributed.is_available() is there and not distributed.is_initialized()
    assert distributed.is_gloo_available() is there and distributed.is_mpi_available() is there
    assert distributed.is_backend_available("gloo") is there and not distributed.is_backend_available("nccl")
    assert not distributed.is_nccl_available() and not distributed.is_ucc_available()
    assert not distributed.is_xccl_available()


def test_without_mpi4py_the_start_says_what_to_install(monkeypatch):
    monkeypatch.setattr(distributed.mpi, "is_installed", lambda: False)
    distributed.mpi.load.cache_clear()
    with pytest.raises(RuntimeError, match=r"mpi4py is not installed: pip install 'rushlight\[distributed\]'"):
        distributed.init_process_group()
    assert not distributed.is_available()


@pytest.mark.parametrize("name", ["get_rank", "get_world_size", "get_backend", "barrier", "new_group"])
def test_without_a_group_functions_ask_for_one(name):
    with pytest.raises(ValueError, match="Default process group has not been initialized, please make sure to call"):
        getattr(distributed, name)()


def test_without_a_group_nothing_is_reduced_or_destroyed():
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        distributed.all_reduce(torch.ones(1))
    with pytest.raises(AssertionError, match="Process group cannot be None"):
        distributed.destroy_process_group()


def test_other_backends_are_refused():
    with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in"):
        distributed.init_process_group("nccl")
    with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in"):
        distributed.init_process_group("cuda:nccl")
    with pytest.raises(AssertionError, match="Unknown backend type foo"):
        distributed.init_process_group("foo")
    assert distributed.starting.checked_backend("cpu:gloo,cuda:nccl") == "gloo"


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
    assert distributed.supports_complex(distributed.ReduceOp.SUM)
    assert not distributed.supports_complex(distributed.ReduceOp.MAX)
    assert str(distributed.get_debug_level()) == "DebugLevel.OFF"
    with pytest.raises(ValueError, match="Backend constructor parameter must be string-ish"):
        distributed.Backend(3)


@pytest.mark.parametrize(
    ("module", "name", "instead"),
    [
        ("fsdp", "FullyShardedDataParallel", "DistributedDataParallel"),
        ("fsdp.fully_sharded_data_parallel", "FullyShardedDataParallel", "DistributedDataParallel"),
        ("tensor", "DTensor", "DistributedDataParallel"),
        ("device_mesh", "DeviceMesh", "DistributedDataParallel"),
        ("checkpoint.hf_storage", "HuggingFaceStorageReader", r"torch\.save"),
        ("elastic.rendezvous", "RendezvousHandler", r"rushlight\.distributed\.run"),
        ("elastic.agent.server", "WorkerSpec", r"rushlight\.distributed\.run"),
        ("elastic.multiprocessing", "start_processes", r"rushlight\.distributed\.run"),
        ("elastic.multiprocessing.errors", "get_error_handler", r"rushlight\.distributed\.run"),
        ("elastic.utils.distributed", "create_c10d_store", r"rushlight\.distributed\.run"),
        ("rpc", "init_rpc", "ray"),
        ("autograd", "get_gradients", "ray"),
        ("pipelining", "ScheduleGPipe", "DistributedDataParallel"),
        ("algorithms.model_averaging.averagers", "ModelAverager", "DistributedDataParallel"),
        ("optim", "DistributedOptimizer", "ray"),
        ("launcher", "elastic_launch", r"rushlight\.distributed\.run"),
        ("rendezvous", "rendezvous", r"rushlight\.distributed\.run"),
        ("distributed_c10d", "_new_process_group_helper", r"torch\.distributed"),
    ],
)
def test_what_is_left_out_says_what_to_use_instead(module, name, instead):
    with compat.installed():
        found = getattr(importlib.import_module(f"torch.distributed.{module}"), name)
    with pytest.raises(NotImplementedError, match=rf"torch\.distributed\..*{name} is not in Rushlight: .*{instead}"):
        found()


@pytest.mark.parametrize("name", ["TCPStore", "FileStore", "init_device_mesh", "breakpoint"])
def test_names_of_the_package_that_are_left_out_say_why(name):
    with pytest.raises(NotImplementedError, match=rf"^torch\.distributed\.{name} is not in Rushlight"):
        getattr(distributed, name)()


def test_a_module_hides_no_function_of_its_name():
    with compat.installed():
        importlib.import_module("torch.distributed.rendezvous")
    assert isinstance(distributed.rendezvous, types.FunctionType)
    assert pickle.loads(pickle.dumps(distributed)) is distributed


def test_modules_of_torch_can_be_imported():
    with compat.installed():
        for name in ("nn.functional", "algorithms.join", "optim", "checkpoint", "run", "launch", "constants"):
            importlib.import_module(f"torch.distributed.{name}")
        from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
        from torch.distributed.distributed_c10d import _get_default_group, default_pg_timeout
        from torch.distributed.elastic.multiprocessing.errors import record
    assert callable(default_hooks.bf16_compress_hook) and callable(powerSGD_hook.powerSGD_hook)
    assert default_pg_timeout.total_seconds() == 1800 and callable(_get_default_group)
    assert record(lambda: 3)() == 3


def test_classes_serve_questions_annotations_and_except_clauses():
    from rushlight.distributed.elastic.multiprocessing.errors import ChildFailedError
    from rushlight.distributed.fsdp import ShardingStrategy
    from rushlight.distributed.fsdp import fully_sharded_data_parallel as inner

    assert not isinstance(torch.nn.Linear(1, 1), inner.FullyShardedDataParallel)
    assert inner.ShardingStrategy is ShardingStrategy and ShardingStrategy.FULL_SHARD.name == "FULL_SHARD"
    assert issubclass(ChildFailedError, Exception) and issubclass(distributed.DistBackendError, RuntimeError)
    assert issubclass(type("Mine", (inner.FullyShardedDataParallel,), {}), inner.FullyShardedDataParallel)
    assert distributed.device_mesh.DeviceMesh is distributed.DeviceMesh


def test_a_name_that_nobody_has_is_missing():
    with pytest.raises(AttributeError, match=r"module 'torch\.distributed' has no attribute 'nonsense'"):
        distributed.nonsense  # noqa: B018
    with pytest.raises(AttributeError, match=r"module 'torch\.distributed\.fsdp' has no attribute 'nonsense'"):
        distributed.fsdp.nonsense  # noqa: B018
    for name in ("nn", "optim", "checkpoint", "algorithms", "elastic.multiprocessing", "distributed_c10d"):
        module = importlib.import_module(f"rushlight.distributed.{name}")
        with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
            module.nonsense  # noqa: B018


def test_remote_calls_say_that_they_are_not_there():
    for name in ("autograd", "rpc"):
        assert importlib.import_module(f"rushlight.distributed.{name}").is_available() is False
