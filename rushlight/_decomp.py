"""torch._decomp: operators in terms of others, for graphs of operators, of which there are none; names to import."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "networks are not captured as graphs of operators; call them, or compile them by torch.compile"
NAMES = table(": core_aten_decompositions get_decompositions register_decomposition")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight._decomp", NAMES, WHY)
