"""DistributedDataParallel: the same network in every process, each on its part of a batch, with shared gradients."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rushlight.autograd import modes
from rushlight.core.object.tensor import Tensor, wrap
from rushlight.nn.modules.module import Module
from rushlight.nn.parallel.reducer import MEGABYTE, Reducer


class DistributedDataParallel(Module):
    """Calls the module it is given; after backward every process has the average of all processes' gradients.

    Start the processes with `python -m rushlight.distributed.run`; each calls `torch.distributed.init_process_group`.
    """

    def __init__(
        self,
        module: Module,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[int] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        super().__init__()
        from rushlight.distributed.process_group import given

        self.process_group = given(process_group)
        refuse(mixed_precision=mixed_precision, device_mesh=device_mesh, delayed=delay_all_reduce_named_params)
        check_devices(module, device_ids, output_device)
        ignored = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        named = [(name, each) for name, each in module.named_parameters() if each.requires_grad and name not in ignored]
        if not named:
            raise RuntimeError(
                "DistributedDataParallel is not needed when a module doesn't have any parameter that requires a "
                "gradient."
            )
        self.module = module
        self.dim = dim
        self.device_ids = self.output_device = None
        self.broadcast_buffers = True if broadcast_buffers is None else broadcast_buffers
        self.find_unused_parameters = find_unused_parameters
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.static_graph = static_graph
        self.bucket_bytes_cap = int((25 if bucket_cap_mb is None else bucket_cap_mb) * MEGABYTE)
        self.require_backward_grad_sync = True
        self.require_forward_param_sync = True
        self.parameters_to_ignore = ignored
        self._join_config: Any = None
        self._divide_by_initial_world_size = True
        self._synchronize(named, init_sync)
        self.reducer = Reducer(
            {id(each): name for name, each in named},
            [each for _, each in named],
            self.process_group,
            self.bucket_bytes_cap,
            gradient_as_bucket_view,
            find_unused_parameters and not static_graph,
            static_graph,
        )

    def _synchronize(self, named: Sequence[tuple[str, Tensor]], init_sync: bool) -> None:
        """Let all processes begin with the same network: that of the first one, if it has the same shape everywhere."""
        from rushlight.nn.parallel.agreement import check_shapes, check_values

        check_shapes(named, self.process_group)
        if init_sync:
            self._broadcast([*self._parameters_to_send(), *self._buffers_to_send()], 0)
        else:
            check_values(named, self.process_group)

    def _parameters_to_send(self) -> list[Tensor]:
        return [each for name, each in self.module.named_parameters() if name not in self.parameters_to_ignore]

    def _buffers_to_send(self) -> list[Tensor]:
        return [each for name, each in self.module.named_buffers() if name not in self.parameters_to_ignore]

    def _broadcast(self, tensors: list[Tensor], source: int) -> None:
        """Give all processes the tensors of one, in a message for each dtype."""
        from rushlight.distributed.collectives import broadcast

        for kind in dict.fromkeys(each.dtype for each in tensors):
            same = [each for each in tensors if each.dtype is kind]
            flat = np.concatenate([each._array.reshape(-1) for each in same])
            broadcast(wrap(flat), group_src=source, group=self.process_group)
            cuts = np.cumsum([each.numel() for each in same])[:-1]
            with modes.no_grad():
                for target, part in zip(same, np.split(flat, cuts), strict=True):
                    target.copy_(wrap(part.reshape(target.shape)))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        training = modes.is_grad_enabled() and self.require_backward_grad_sync
        if self._join_config is not None and self._join_config.enable:
            self._tell_joined()
        if self._syncs_buffers():
            self._sync_buffers()
        output = self.module(*inputs, **kwargs)
        if training:
            self.reducer.begin(tensors_in(output))
        # buffers change with the steps that are shared
        self.require_forward_param_sync = training
        return output

    def _syncs_buffers(self) -> bool:
        return self.require_forward_param_sync and self.broadcast_buffers and bool(self._buffers_to_send())

    def _sync_buffers(self) -> None:
        """Running averages and other buffers are those of the first process, or of the last one that has inputs."""
        source = 0
        if self._join_config is not None and self._join_config.enable:
            source = self._common_rank(self.process_group.rank(), True)
        self._broadcast(self._buffers_to_send(), source)

    def _common_rank(self, rank: int, takes_part: bool) -> int:
        from rushlight.distributed.collectives import all_reduce
        from rushlight.distributed.words import ReduceOp

        found = np.array([rank if takes_part else -1], np.int64)
        all_reduce(wrap(found), ReduceOp.MAX, self.process_group)
        return int(found[0])

    def _tell_joined(self) -> None:
        """Let processes that have run out of inputs know that this one has not, and whether gradients follow."""
        from rushlight.distributed.algorithms.join import Join

        work = Join.notify_join_context(self)
        if work is not None:
            active = int(work.result()[0].item()) if work.wait() else 0
            self.reducer.divisor = self.process_group.size() if self._divide_by_initial_world_size else active
        self._agree_on_sync(modes.is_grad_enabled() and self.require_backward_grad_sync)

    def _agree_on_sync(self, wanted: bool) -> bool:
        from rushlight.distributed.collectives import all_reduce

        count = np.array([int(wanted)], np.int64)
        all_reduce(wrap(count), group=self.process_group)
        return bool(count[0])

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Leave gradients to themselves inside of it: they add up, and the first backward after it averages sums."""
        before = self.require_backward_grad_sync
        self.require_backward_grad_sync = False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    def register_comm_hook(self, state: Any, hook: Callable) -> None:
        """Let `hook(state, bucket)` reduce the buckets: it returns a future of the average."""
        if not callable(hook):
            raise TypeError("Communication hook must be callable.")
        if self.reducer.hook is not None:
            raise RuntimeError("register_comm_hook or register_builtin_comm_hook can only be called once.")
        self.reducer.hook = (state, hook)

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Any:
        """A context for processes with different numbers of inputs: those that are done keep the others going."""
        from rushlight.distributed.algorithms.join import Join

        return Join(
            [self], enable, throw_on_early_termination, divide_by_initial_world_size=divide_by_initial_world_size
        )

    def join_hook(self, **kwargs: Any) -> Any:
        """What this module does in a process that has run out of inputs."""
        from rushlight.distributed.algorithms.data_parallel import DataParallelJoinHook

        self._divide_by_initial_world_size = kwargs.get("divide_by_initial_world_size", True)
        return DataParallelJoinHook(self)

    @property
    def join_device(self) -> Any:
        return next(self.module.parameters()).device

    @property
    def join_process_group(self) -> Any:
        return self.process_group

    def _set_static_graph(self) -> None:
        """Say that every iteration uses the same parameters, as `static_graph=True` does."""
        self.static_graph = self.reducer.is_static = True
        self.reducer.finds_unused = False

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Module, params_and_buffers_to_ignore: Any) -> None:
        """Leave parameters and buffers, by their names, to each process."""
        module._ddp_params_and_buffers_to_ignore = params_and_buffers_to_ignore

    def __getstate__(self) -> Any:
        raise RuntimeError(
            "DistributedDataParallel belongs to its process group and cannot be pickled: save module.state_dict()"
        )


def refuse(**options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise NotImplementedError(f"DistributedDataParallel in Rushlight has no {name}: leave it out")


def check_devices(module: Module, device_ids: Any, output_device: Any) -> None:
    if device_ids or output_device is not None:
        devices = {each.device for each in module.parameters()}
        raise ValueError(
            "DistributedDataParallel device_ids and output_device arguments only work with "
            f"single-device/multiple-device GPU modules or CPU modules, but got device_ids {device_ids}, output_device "
            f"{output_device}, and module parameters {devices}. Leave both out: there is one device, the CPU."
        )


def tensors_in(output: Any) -> list[Tensor]:
    """The tensors of a module's output: itself, or in lists, dicts and objects with fields."""
    if isinstance(output, Tensor):
        return [output]
    if isinstance(output, dict):
        output = list(output.values())
    elif hasattr(output, "__dataclass_fields__"):
        output = [getattr(output, name) for name in output.__dataclass_fields__]
    if isinstance(output, (list, tuple)):
        return [tensor for each in output for tensor in tensors_in(each)]
    return []
