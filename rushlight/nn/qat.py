"""torch.nn.qat: the old place of torch.ao.nn.qat."""

from rushlight.ao import NAMES, WHY
from rushlight.core.surface.refusals import names_refused

__all__ = [*NAMES["nn.qat"]]
# for docs/coverage.md: nothing here can be used
left_out = True
__getattr__ = names_refused("rushlight.nn.qat", NAMES["nn.qat"], WHY)
