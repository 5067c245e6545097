"""torch.utils.model_zoo: downloads of weights, which are refused."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "downloads are refused; fetch the file yourself and load it"
NAMES = table(": load_url tqdm")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.model_zoo", NAMES, WHY)
