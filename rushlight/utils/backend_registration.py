"""torch.utils.backend_registration: devices of one's own, which are left out."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "it runs on the CPU; leave other devices out"
NAMES = table(": generate_methods_for_privateuse1_backend rename_privateuse1_backend")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.backend_registration", NAMES, WHY)
