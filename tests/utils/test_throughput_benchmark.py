"""ThroughputBenchmark: calls of a module from several threads, counted."""

import threading

import pytest

import rushlight as torch
from rushlight.utils import ThroughputBenchmark
from rushlight.utils.throughput_benchmark import format_time


@pytest.mark.parametrize("threads", [1, 3])
def test_every_call_is_counted(threads):
    calls, names, lock = [], set(), threading.Lock()

    def module(x, scale=1):
        with lock:
            calls.append(float(x.sum()) * scale)
            names.add(threading.current_thread().name)

    benchmark = ThroughputBenchmark(module)
    benchmark.add_input(torch.ones(2), scale=3)
    stats = benchmark.benchmark(num_calling_threads=threads, num_warmup_iters=2, num_iters=7)
    assert calls == [6.0] * (7 + 2 * threads) and len(names) == threads
    assert stats.num_iters == 7 and stats.benchmark_config["num_calling_threads"] == threads
    assert stats.latency_avg_ms > 0 and stats.total_time_seconds > 0
    assert stats.iters_per_second == pytest.approx(7 / stats.total_time_seconds)
    assert "Total number of iterations: 7" in str(stats)


def test_an_input_is_called_for_and_an_error_comes_back():
    benchmark = ThroughputBenchmark(torch.nn.Linear(2, 2))
    with pytest.raises(RuntimeError, match="Please provide benchmark inputs"):
        benchmark.benchmark()
    assert benchmark.run_once(torch.ones(1, 2)).shape == (1, 2)
    benchmark.add_input(torch.ones(1, 3))
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        benchmark.benchmark(num_calling_threads=2, num_warmup_iters=1, num_iters=3)
    with pytest.raises(NotImplementedError, match=r"torch.profiler.profile\(\)"):
        benchmark.benchmark(profiler_output_path="trace.json")


def test_times_have_units():
    assert [format_time(time_us=3), format_time(time_ms=30), format_time(time_s=4.5)] == [
        "3.000us",
        "30.000ms",
        "4.500s",
    ]
    with pytest.raises(AssertionError, match="Expected only one of time_us, time_ms, time_s is given"):
        format_time(time_us=3, time_s=1)
