"""torch.nn.quantized: the old place of torch.ao.nn.quantized."""

from rushlight.ao import NAMES, WHY
from rushlight.core.surface.refusals import make_modules, names_refused

__all__ = [*NAMES["nn.quantized"]]
# for docs/coverage.md: nothing here can be used
left_out = True
__getattr__ = names_refused("rushlight.nn.quantized", NAMES["nn.quantized"], WHY)
make_modules("rushlight.nn.quantized", {"dynamic": NAMES["nn.quantized.dynamic"]}, WHY)
