"""Joining: what a data parallel module does in a process that has run out of inputs before the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rushlight.distributed.algorithms.join import JoinHook

if TYPE_CHECKING:
    from rushlight.nn.parallel.distributed import DistributedDataParallel


class DataParallelJoinHook(JoinHook):
    """Takes part in the collectives of the others, with nothing to give."""

    def __init__(self, module: DistributedDataParallel):
        self.module = module

    def main_hook(self) -> None:
        """Stand in for one iteration."""
        module = self.module
        gradients_follow = module._agree_on_sync(False)
        if module._syncs_buffers():
            module._broadcast(module._buffers_to_send(), module._common_rank(module.process_group.rank(), False))
        if gradients_follow:
            module.reducer.shadow()
        module.require_forward_param_sync = gradients_follow

    def post_hook(self, is_last_joiner: bool) -> None:
        """Take over the network of a process that was at it until the end."""
        module = self.module
        source = module._common_rank(module.process_group.rank(), is_last_joiner)
        module._broadcast([*module._parameters_to_send(), *module._buffers_to_send()], source)
