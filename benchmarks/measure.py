"""Measuring: libraries take turns within a round, the best of many rounds counts, and their results must agree."""

import contextlib
import itertools
import os
import statistics
from dataclasses import asdict, dataclass, field

from benchmarks.libraries import LIBRARIES
from benchmarks.runner import Runner, RunnerError
from benchmarks.workloads import EVERY


@dataclass
class Result:
    """What was measured of one workload: for each library a number a round."""

    workload: str
    title: str
    family: str
    threads: int = 1
    unit: str = "us"
    values: dict = field(default_factory=dict)
    # Why a library has no numbers.
    failed: dict = field(default_factory=dict)
    # How many processes wanted to run meanwhile, ours among them.
    load: float = field(default_factory=lambda: os.getloadavg()[0])

    def best(self, *libraries):
        """The smallest number of any of these libraries, or None."""
        return min((value for name in libraries for value in self.values.get(name, ())), default=None)

    def ratio(self, library, *bases):
        ours, theirs = self.best(library), self.best(*bases)
        return None if ours is None or theirs is None else ours / theirs

    def spread(self, library):
        """How far the rounds lie apart: their median by their best."""
        return statistics.median(self.values[library]) / min(self.values[library])

    as_dict = asdict


@dataclass(frozen=True)
class Plan:
    """How long to measure."""

    rounds: int = 30
    # Seconds of one library's turn within a round.
    turn: float = 0.05
    # A workload gets fewer rounds, but at least two, if it would take longer than this.
    longest: float = 40.0


def measure(names, pythons, threads, plan):
    """Yield a Result for each of these workloads, with fresh processes for each family of them."""
    for _, family in itertools.groupby(names, lambda name: EVERY[name].family):
        members = list(family)
        takers = [library for library in pythons if any(EVERY[name].takes(library) for name in members)]
        runners = {library: Runner(library, pythons[library], threads) for library in takers}
        try:
            for name in members:
                yield measure_one(name, runners, pythons, threads, plan)
        finally:
            for runner in runners.values():
                runner.close()


def measure_one(name, runners, pythons, threads, plan):
    workload = EVERY[name]
    result = Result(name, workload.title, workload.family, threads)
    checks, steps = {}, {}
    for library in runners:
        if workload.takes(library):
            with starting_anew_on_failure(result, library, runners, pythons):
                checks[library], seconds = warm_up(runners[library], workload, name)
                steps[library] = max(1, round(plan.turn / seconds))
    for library, reason in disagreements(checks, workload).items():
        result.failed[library] = reason
    take_turns(result, runners, pythons, steps, plan)
    result.load = os.getloadavg()[0]
    return result


def warm_up(runner, workload, name):
    """The results to compare, and the seconds of a step."""
    runner.prepare(name)
    # the first step compiles, so its time counts only where there is no other
    seconds, results = runner.run(1)
    if workload.checked > 1:
        seconds, others = runner.run(workload.checked - 1)
        seconds /= len(others)
        results += others
    return results, seconds


def take_turns(result, runners, pythons, steps, plan):
    """Add a value for each library that has not failed, round after round."""
    repeat = EVERY[result.workload].make().repeat
    done, spent = 0, 0.0
    while done < min(plan.rounds, 2) or (done < plan.rounds and spent < plan.longest):
        for library, count in steps.items():
            if library not in result.failed:
                with starting_anew_on_failure(result, library, runners, pythons):
                    seconds, _ = runners[library].run(count)
                    spent += seconds
                    result.values.setdefault(library, []).append(seconds / count / repeat * 1e6)
        done += 1


@contextlib.contextmanager
def starting_anew_on_failure(result, library, runners, pythons):
    """Note why a library's process ended, and start another one for what comes next."""
    try:
        yield
    except RunnerError as error:
        result.failed[library] = str(error)
        runners[library].close()
        runners[library] = Runner(library, pythons[library], result.threads)


def disagreements(checks, workload):
    """For each library whose results are not those of the first one, which result that is."""
    wrong = {}
    reference_name, reference = None, None
    for library, values in checks.items():
        if LIBRARIES[library].way == "floor":
            continue
        if workload.random:
            values = [None if None in values else sum(values) / len(values)]
        if reference is None:
            reference_name, reference = library, values
        for step, (value, expected) in enumerate(zip(values, reference, strict=True)):
            if not close(value, expected, workload.tolerance):
                wrong[library] = f"step {step} gives {value}, {expected} in {LIBRARIES[reference_name].title}"
                break
    return wrong


def close(value, expected, tolerance):
    """Whether two results agree; None, which stands for NaN, agrees with nothing."""
    if value is None or expected is None:
        return False
    return abs(value - expected) <= tolerance * max(abs(expected), 1e-2)
