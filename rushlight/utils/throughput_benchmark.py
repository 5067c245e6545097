"""torch.utils.throughput_benchmark: a module called from many threads."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "time the module itself with torch.utils.benchmark.Timer"
NAMES = table(": ThroughputBenchmark ExecutionStats format_time")[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.throughput_benchmark", NAMES, WHY)
