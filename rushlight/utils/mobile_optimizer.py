"""torch.utils.mobile_optimizer: networks for phones, which are not made here."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "TorchScript is left out; call the function or the module directly"
NAMES = table(": optimize_for_mobile generate_mobile_module_lints LintCode MobileOptimizerType")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.mobile_optimizer", NAMES, WHY)
