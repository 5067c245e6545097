"""torch.utils.bundled_inputs: inputs inside TorchScript archives, which are not made here."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "TorchScript is left out; call the function or the module directly"
NAMES = table(
    """
    : augment_model_with_bundled_inputs augment_many_model_functions_with_bundled_inputs bundle_inputs
    bundle_large_tensor bundle_randn InflatableArg
    """
)[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.bundled_inputs", NAMES, WHY)
