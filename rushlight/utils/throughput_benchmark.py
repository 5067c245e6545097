"""torch.utils.throughput_benchmark: how often a module answers in a second, called from several threads at once."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

__all__ = ["ExecutionStats", "ThroughputBenchmark", "format_time"]


def format_time(time_us: float | None = None, time_ms: float | None = None, time_s: float | None = None) -> str:
    """A time with its unit, as tables show it.

    >>> torch.utils.throughput_benchmark.format_time(time_ms=30)
    '30.000ms'
    """
    given = [(value, unit) for value, unit in ((time_us, "us"), (time_ms, "ms"), (time_s, "s")) if value is not None]
    if len(given) != 1:
        raise AssertionError(
            f"Expected only one of time_us, time_ms, time_s is given. There are {len(given)} of them: name one"
        )
    value, unit = given[0]
    return f"{value:.3f}{unit}"


class ExecutionStats:
    """What a run of the benchmark found."""

    def __init__(self, seconds: float, times: int, benchmark_config: dict[str, Any]) -> None:
        self._seconds, self._times = seconds, times
        self.benchmark_config = benchmark_config

    @property
    def latency_avg_ms(self) -> float:
        """Milliseconds of one call, with the others beside it."""
        return self._seconds * 1000 * self.benchmark_config["num_calling_threads"] / self._times

    @property
    def num_iters(self) -> int:
        """How many calls were timed."""
        return self._times

    @property
    def iters_per_second(self) -> float:
        """Calls a second, of all threads together."""
        return self._times / self._seconds

    @property
    def total_time_seconds(self) -> float:
        """Seconds of the whole run."""
        return self._seconds

    def __str__(self) -> str:
        latency, whole = format_time(time_ms=self.latency_avg_ms), format_time(time_s=self.total_time_seconds)
        return (
            f"Average latency per example: {latency}\nTotal number of iterations: {self.num_iters}\n"
            f"Total number of iterations per second (across all threads): {self.iters_per_second:.2f}\n"
            f"Total time: {whole}"
        )


class ThroughputBenchmark:
    """Calls a module with inputs that were added, from as many threads as wanted, and counts.

    >>> benchmark = torch.utils.ThroughputBenchmark(torch.nn.Linear(2, 2))
    >>> benchmark.add_input(torch.ones(1, 2))
    >>> benchmark.benchmark(num_warmup_iters=1, num_iters=4).num_iters
    4
    """

    def __init__(self, module: Any) -> None:
        self._module = module
        self._inputs: list[tuple[tuple, dict[str, Any]]] = []

    def run_once(self, *args: Any, **kwargs: Any) -> Any:
        """What the module gives for these arguments, untimed."""
        return self._module(*args, **kwargs)

    def add_input(self, *args: Any, **kwargs: Any) -> None:
        """Add arguments that the benchmark may call the module with."""
        self._inputs.append((args, kwargs))

    def benchmark(
        self,
        num_calling_threads: int = 1,
        num_warmup_iters: int = 10,
        num_iters: int = 100,
        profiler_output_path: str = "",
    ) -> ExecutionStats:
        """Call the module `num_iters` times after a warm-up in each thread, and say how long it took."""
        if not self._inputs:
            raise RuntimeError("Please provide benchmark inputs. Did you forget to call add_input()?")
        if profiler_output_path:
            raise NotImplementedError(
                "ThroughputBenchmark writes no profile in Rushlight: put the call inside of torch.profiler.profile()"
            )
        config = {
            "num_calling_threads": num_calling_threads,
            "num_warmup_iters": num_warmup_iters,
            "num_iters": num_iters,
            "profiler_output_path": profiler_output_path,
        }
        seconds = Callers(self._module, self._inputs, config).run()
        return ExecutionStats(seconds, num_iters, config)


class Callers:
    """The threads of one run: all warm up, then they share the calls."""

    def __init__(self, module: Any, inputs: list[tuple[tuple, dict[str, Any]]], config: dict[str, Any]) -> None:
        self.module, self.inputs, self.config = module, inputs, config
        self.left = config["num_iters"]
        self.lock = threading.Lock()
        self.ready = threading.Barrier(config["num_calling_threads"] + 1)
        self.error: BaseException | None = None

    def run(self) -> float:
        """Seconds from the last warm-up to the last call; an error of the module is raised here."""
        threads = [
            threading.Thread(target=self.call, args=(seed,)) for seed in range(self.config["num_calling_threads"])
        ]
        for each in threads:
            each.start()
        self.ready.wait()
        began = time.perf_counter()
        for each in threads:
            each.join()
        seconds = time.perf_counter() - began
        if self.error is not None:
            raise self.error
        return seconds

    def call(self, seed: int) -> None:
        """One thread: inputs are drawn from a stream of its own, so that the module's is left alone."""
        draw = random.Random(seed)
        try:
            for _ in range(self.config["num_warmup_iters"]):
                self.once(draw)
        except BaseException as error:
            self.error = error
        self.ready.wait()
        try:
            while self.error is None and self.take():
                self.once(draw)
        except BaseException as error:
            self.error = error

    def once(self, draw: random.Random) -> None:
        args, kwargs = draw.choice(self.inputs)
        self.module(*args, **kwargs)

    def take(self) -> bool:
        """Whether there is a call left to make."""
        with self.lock:
            self.left -= 1
            return self.left >= 0
