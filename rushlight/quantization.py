"""torch.quantization: the old place of torch.ao.quantization."""

from rushlight.ao import NAMES, WHY
from rushlight.core.surface.refusals import make_modules, names_refused

__all__ = [*NAMES["quantization"]]
__getattr__ = names_refused("rushlight.quantization", NAMES["quantization"], WHY)
_below = {
    place.removeprefix("quantization."): names for place, names in NAMES.items() if place.startswith("quantization.")
}
make_modules("rushlight.quantization", _below, WHY, NAMES["quantization"])
