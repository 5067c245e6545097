"""torch.nn.intrinsic: the old place of torch.ao.nn.intrinsic."""

from rushlight.ao import NAMES, WHY
from rushlight.core.surface.refusals import names_refused

__all__ = [*NAMES["nn.intrinsic"]]
# for docs/coverage.md: nothing here can be used
left_out = True
__getattr__ = names_refused("rushlight.nn.intrinsic", NAMES["nn.intrinsic"], WHY)
