"""The commands of `python -m conformance`: each runs one comparison, prints it and says whether it holds."""

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.known import read_known
from conformance.pool import Pool
from conformance.report import Report, fold_complex

ROOT = Path(__file__).parent.parent
# inputs of a module in each dtype and mode: each is trained for ten steps in both libraries
MODULE_INPUTS = 8
# samples of an op whose strides are compared, each in eight layouts: 3 of them take 2 minutes
LAYOUT_SAMPLES = 3
# samples of an op that are differentiated and mapped, in each dtype
TRANSFORM_SAMPLES = 4
# part of the ops that have to agree whole, in forward derivatives and in batches
TRANSFORM_SHARE = 0.99
# part of the ops that may have no word for a batch
LOOPED_SHARE = 0.1


@dataclass(frozen=True)
class Verdict:
    """Whether a comparison holds, and its counts in a line."""

    holds: bool
    counts: str


def run_ops(options: argparse.Namespace) -> Verdict:
    """Every entry of op_db whose name the library has."""
    pool = Pool(options.library, options.jobs, options.timeout)
    entries = pool.ask({"kind": "list entries"})
    offered = [entry for entry in entries if entry["offered"]]
    chosen = [entry for entry in offered if wanted(entry, options.only)]
    samples = None if options.samples == "all" else int(options.samples)
    tasks = [
        {
            "kind": "entry",
            "index": entry["index"],
            "name": entry["name"],
            "samples": samples,
            "dtypes": options.dtypes,
        }
        for entry in chosen
    ]
    if options.missing:
        print(*(entry["name"] for entry in entries if not entry["offered"]), sep="\n")
        return Verdict(True, f"{len(offered)} of {len(entries)} entries are there")
    report = Report("op_db", len(entries), read_known("op_db"), offered=len(offered))

    def add(task: dict[str, Any], answer: dict[str, Any]) -> None:
        if options.complex and "result" in answer:
            fold_complex(answer["result"])
        report.add(task, answer)

    pool.run(tasks, add)
    finish(report, options)
    if options.only:
        return Verdict(not report.of_status("fail"), report.counts)
    enough = len(report.of_status("pass")) >= options.at_least and report.share >= options.share
    return Verdict(enough and not report.unexpected, report.counts)


def wanted(entry: dict[str, Any], only: list[str] | None) -> bool:
    return not only or entry["name"] in only or entry["op"] in only


def run_samples(options: argparse.Namespace) -> Verdict:
    """Every op that the library declares, on its own samples."""
    pool = Pool(options.library, options.jobs, options.timeout)
    ops = [op for op in pool.ask({"kind": "list registry"}) if not options.only or op["name"] in options.only]
    families = {op["name"]: op["family"] for op in ops}
    report = Report("declared samples", len(ops), read_known("samples"))
    pool.run([{"kind": "op", "name": op["name"]} for op in ops], report.add)
    finish(report, options)
    print_families(report, families)
    return Verdict(bool(report.of_status("pass")) and not report.unexpected, report.counts)


def print_families(report: Report, families: dict[str, str]) -> None:
    """How many ops of each family agree, and how many single comparisons that took."""
    print(f"\n{'family':24}{'agree':>8}{'of':>6}{'comparisons':>14}")
    for family in sorted(set(families.values())):
        answers = [answer for answer in report.answers if families[answer["name"]] == family]
        agree = sum(answer["status"] == "pass" for answer in answers)
        comparisons = sum(sum(answer.get("passed", {}).values()) for answer in answers)
        print(f"{family:24}{agree:>8}{len(answers):>6}{comparisons:>14}")


def run_strides(options: argparse.Namespace) -> Verdict:
    """Strides of results and gradients, for every entry of op_db and every declared op, in many layouts."""
    pool = Pool(options.library, options.jobs, options.timeout)
    entries = [
        entry for entry in pool.ask({"kind": "list entries"}) if entry["offered"] and wanted(entry, options.only)
    ]
    named = {entry["name"] for entry in entries}
    ops = [op["name"] for op in pool.ask({"kind": "list registry"}) if op["name"] not in named]
    samples = None if options.samples == "all" else min(int(options.samples), LAYOUT_SAMPLES)
    tasks = [{"kind": "entry strides", "index": each["index"], "name": each["name"]} for each in entries]
    tasks += [
        {"kind": "op strides", "op": name, "name": name} for name in ops if not options.only or name in options.only
    ]
    report = Report("strides", len(tasks), read_known("strides"))
    pool.run([{**task, "samples": samples} for task in tasks], report.add)
    finish(report, options)
    return Verdict(bool(report.of_status("pass")) and not report.unexpected, report.counts)


def run_transforms(options: argparse.Namespace) -> Verdict:
    """Forward derivatives of every entry of op_db against torch's, and `vmap` of it against a loop."""
    pool = Pool(options.library, options.jobs, options.timeout)
    entries = [
        entry for entry in pool.ask({"kind": "list entries"}) if entry["offered"] and wanted(entry, options.only)
    ]
    samples = None if options.samples == "all" else min(int(options.samples), TRANSFORM_SAMPLES)
    tasks = [{"kind": "entry transforms", "index": each["index"], "name": each["name"]} for each in entries]
    report = Report("transforms", len(tasks), read_known("transforms"))
    pool.run([{**task, "samples": samples} for task in tasks], report.add)
    finish(report, options)
    enough = print_transforms(report)
    listed = pool.ask({"kind": "list looped"})
    looped, total = listed["looped"], listed["ops"]
    share = len(looped) / total
    print(f"ops that vmap runs one sample after the other: {len(looped)} of {total} ({share:.1%})")
    print(f"    {' '.join(looped)}")
    holds = not report.unexpected and (enough or bool(options.only)) and share <= LOOPED_SHARE
    return Verdict(bool(report.of_status("pass")) and holds, report.counts)


def print_transforms(report: Report) -> bool:
    """How many ops agree whole, in forward derivatives and in `vmap`, and whether that is as many as asked for."""
    shares = []
    print()
    for part, judge in (("forward", "torch's forward derivatives"), ("vmap", "a loop under vmap")):
        agree, differ = report.by_part(part)
        shares.append(agree / (agree + differ) if agree + differ else 1.0)
        print(f"ops that agree with {judge}: {agree} of {agree + differ} ({shares[-1]:.1%})")
    refused = [answer["name"] for answer in report.answers if "refused" in answer.get("passed", {})]
    print(f"ops that refuse some batch, as torch's vmap does with the same exception: {len(refused)}")
    print(f"    {' '.join(sorted(refused))}")
    return min(shares) >= TRANSFORM_SHARE


def run_promotion(options: argparse.Namespace) -> Verdict:
    """Type promotion, for every pair of dtypes and kinds of operand."""
    from conformance.promotion import check_promotion

    agree, total = check_promotion(options.library)
    return Verdict(agree == total, f"{agree} of {total} agree")


def run_optim(options: argparse.Namespace) -> Verdict:
    """Every entry of optim_db: its inputs and its error inputs."""
    from conformance.libraries import Library
    from conformance.optimizers import check_optimizer, entries

    chosen = [info for info in entries() if not options.only or info.name in options.only]
    report = Report("optim_db", len(chosen), read_known("optim_db"))
    for info in chosen:
        report.add({"name": info.name}, {"result": check_optimizer(info, Library(options.library))})
    finish(report, options)
    return Verdict(bool(report.of_status("pass")) and not report.unexpected, report.counts)


def run_modules(options: argparse.Namespace) -> Verdict:
    """Every entry of module_db and the modules that it lacks."""
    from conformance.module_table import write_table

    pool = Pool(options.library, options.jobs, options.timeout)
    entries = pool.ask({"kind": "list modules"})
    offered = [entry for entry in entries if entry["offered"]]
    samples = None if options.samples == "all" else min(int(options.samples), MODULE_INPUTS)
    chosen = [entry["name"] for entry in offered if not options.only or entry["name"] in options.only]
    if options.missing:
        print(*(entry["name"] for entry in entries if not entry["offered"]), sep="\n")
        return Verdict(True, f"{len(offered)} of {len(entries)} modules are there")
    report = Report("module_db", len(entries), read_known("module_db"), offered=len(offered))
    pool.run([{"kind": "module", "name": name, "samples": samples} for name in chosen], report.add)
    finish(report, options)
    if options.table and not options.only:
        write_table(Path(options.table), entries, report)
    return Verdict(bool(report.of_status("pass")) and not report.unexpected, report.counts)


def run_programs(options: argparse.Namespace) -> Verdict:
    """Random programs of every family under both libraries."""
    from conformance.programs.command import run_programs

    return run_programs(options)


def run_pytest(options: argparse.Namespace) -> Verdict:
    """The test files that need torch: whole programs in tests/conformance, and the runner's own."""
    command = [sys.executable, "-m", "pytest", "-q", "tests/conformance", "conformance"]
    status = subprocess.run(command, cwd=ROOT).returncode
    return Verdict(status == 0, f"pytest ended with {status}")


def run_all(options: argparse.Namespace) -> Verdict:
    """All of them, and one block with their counts."""
    parts = (
        ("promotion", run_promotion),
        ("declared samples", run_samples),
        ("op_db", run_ops),
        ("strides", run_strides),
        ("optim_db", run_optim),
        ("module_db", run_modules),
        ("transforms", run_transforms),
        ("programs", run_programs),
        ("tests with torch", run_pytest),
    )
    verdicts = []
    for title, run in parts:
        print(f"\n{title}\n{'-' * len(title)}", flush=True)
        began = time.monotonic()
        verdicts.append((title, run(options), time.monotonic() - began))
    print("\nconformance with torch\n----------------------")
    for title, verdict, seconds in verdicts:
        print(f"{title:20}{'holds' if verdict.holds else 'FAILS'}{seconds:6.0f} s   {verdict.counts}")
    return Verdict(all(verdict.holds for _, verdict, _ in verdicts), "")


def finish(report: Report, options: argparse.Namespace) -> None:
    """Prints a finished run and writes it down where asked."""
    print()
    report.print_disagreements()
    print()
    report.print_counts()
    if options.json:
        path = Path(options.json)
        path.write_text(json.dumps(sorted(report.answers, key=lambda answer: answer["name"]), indent=1))
