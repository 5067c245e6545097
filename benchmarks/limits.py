"""What Rushlight has to reach: one table, ratios to torch eager's best or to another column of the same run."""

from dataclasses import dataclass

from benchmarks.libraries import EAGER

BASES = {"torch": EAGER, "jax": ("jax",), "floor": ("floor",), "numpy": ("numpy",)}
WORDS = {"torch": "torch eager", "jax": "JAX jit", "floor": "the floor", "numpy": "NumPy"}
# Seventy per cent of the bandwidth of a copy, as a ratio of times.
BANDWIDTH = 1 / 0.7


@dataclass(frozen=True)
class Limit:
    workload: str
    base: str
    at_most: float
    threads: int = 1

    def verdict(self, ratio):
        if ratio is None:
            return "not measured"
        return "holds" if ratio <= self.at_most else "does not hold"


def with_one_and_two_threads(workload, base, at_most):
    return [Limit(workload, base, at_most, threads) for threads in (1, 2)]


LIMITS = [
    Limit("add", "torch", 0.15),
    Limit("tanh", "torch", 0.15),
    Limit("mul_sum_backward", "torch", 0.05),
    Limit("mlp_1_64", "torch", 0.06),
    Limit("mlp_64_64", "torch", 0.12),
    Limit("mlp_64_256", "torch", 0.50),
    Limit("mlp_256_256", "floor", 1.2),
    Limit("mlp_1024_512", "floor", 1.2),
    *[Limit(name, "jax", 1.0) for name in ("mlp_1_64", "mlp_64_64", "mlp_64_256", "mlp_256_256", "mlp_1024_512")],
    Limit("adam_50", "torch", 0.1),
    Limit("adam_50_clipped", "torch", 0.1),
    *with_one_and_two_threads("adam_1e7", "torch", 1.0),
    *with_one_and_two_threads("adam_1e7_clipped", "torch", 1.0),
    Limit("rmsprop_50", "torch", 0.1),
    Limit("clip_50", "torch", 0.15),
    Limit("policy_forward", "torch", 0.12),
    Limit("policy_sample", "torch", 0.15),
    Limit("categorical", "torch", 0.15),
    Limit("normal", "torch", 0.15),
    Limit("rejection", "torch", 1.2),
    Limit("actor_critic", "torch", 0.10),
    Limit("sac", "floor", 1.2),
    *[Limit(name, "jax", 1.0) for name in ("policy_forward", "policy_sample", "actor_critic", "sac")],
    Limit("loading", "torch", 0.5),
    Limit("loading_own", "torch", 0.5),
    *with_one_and_two_threads("lenet", "torch", 0.7),
    *with_one_and_two_threads("dqn", "torch", 0.95),
    *with_one_and_two_threads("resnet", "torch", 1.0),
    *with_one_and_two_threads("gpt", "torch", 0.85),
    *with_one_and_two_threads("lstm", "torch", 0.95),
    *[Limit(name, "torch", 0.3) for name in ("per_sample", "ensemble", "hessian")],
    Limit("physics", "torch", 0.4),
    *with_one_and_two_threads("arithmetic_1e6", "torch", 1.0),
    *with_one_and_two_threads("arithmetic_1e7", "torch", 1.0),
    *with_one_and_two_threads("functions_1e6", "torch", 1.0),
    *with_one_and_two_threads("functions_1e7", "torch", 1.0),
    *with_one_and_two_threads("sum_0", "torch", 1.0),
    *with_one_and_two_threads("sum_1", "torch", 1.0),
    *with_one_and_two_threads("softmax", "torch", 1.05),
    *with_one_and_two_threads("layer_norm", "torch", 1.1),
    # copies run on one thread, so the bandwidth is compared there
    *[Limit(name, "floor", BANDWIDTH) for name in ("arithmetic_1e6", "arithmetic_1e7", "sum_0", "sum_1")],
    Limit("import", "numpy", 2.0),
    Limit("start_mlp_1_64", "torch", 0.2),
]


def check(results):
    """Yield each limit on what this run measured, with its ratio: None if it had nothing to compare with."""
    measured = {(result.workload, result.threads): result for result in results}
    for limit in LIMITS:
        result = measured.get((limit.workload, limit.threads))
        if result is not None:
            yield limit, result.ratio("rushlight", *BASES[limit.base])


def describe(limit, ratio, titles):
    """One line: does it hold, what was measured, what is allowed."""
    threads = "" if limit.threads == 1 else f", {limit.threads} threads"
    measured = "    ?" if ratio is None else f"{ratio:5.2f}"
    allowed = f"{measured} of {WORDS[limit.base]}, at most {limit.at_most:.2f}"
    return f"{limit.verdict(ratio):<14} {allowed:<38} {titles[limit.workload]}{threads}"
