"""torch.nn.quantizable: the old place of torch.ao.nn.quantizable."""

from rushlight.ao import NAMES, WHY
from rushlight.core.surface.refusals import names_refused

__all__ = [*NAMES["nn.quantizable"]]
# for docs/coverage.md: nothing here can be used
left_out = True
__getattr__ = names_refused("rushlight.nn.quantizable", NAMES["nn.quantizable"], WHY)
