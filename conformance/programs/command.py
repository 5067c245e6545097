"""The command `python -m conformance programs`: surveys of all families, printed by groups."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from typing import Any

from conformance.commands import Verdict
from conformance.pool import Pool
from conformance.programs.grammars import BY_NAME, FAMILIES
from conformance.programs.lost import TORCH_CRASHED, run_surely
from conformance.programs.survey import AGREES, LISTED

# programs a task: enough to make the start of a worker cheap, few enough to repeat after a crash
BATCH = 20
SHOWN_GROUPS = 12


def run_programs(options: argparse.Namespace) -> Verdict:
    """Random programs of every family under both libraries."""
    families = options.only or [each for each in FAMILIES if each not in BY_NAME]
    tasks = [
        {
            "kind": "programs",
            "family": family,
            "first": first,
            "count": min(BATCH, options.count + options.seed - first),
        }
        for first in range(options.seed, options.seed + options.count, BATCH)
        for family in families
    ]
    answers: dict[str, list[dict[str, Any]]] = defaultdict(list)

    def add(family: str, records: list[dict[str, Any]]) -> None:
        answers[family] += records

    run_surely(Pool(options.library, options.jobs, options.timeout * BATCH), tasks, add)
    for family in families:
        print_family(family, answers[family])
    # a program that kills torch has no answer to compare with: it is named above and counts for nothing
    everything = [each for family in families for each in answers[family] if each["kind"] != TORCH_CRASHED]
    wrong = sum(not each.get("soft", True) for each in everything)
    whole = sum(each["kind"] in (AGREES, LISTED) for each in everything)
    close = sum(each.get("soft", True) and each["kind"] not in ("node", "version") for each in everything)
    counts = (
        f"{whole} of {len(everything)} programs agree wholly, {close} but for words and strides, "
        f"{wrong} have a wrong result or error that is not listed"
    )
    print(counts)
    total = max(len(everything), 1)
    enough = whole / total >= options.whole and close / total >= options.close
    return Verdict(enough and wrong / total <= options.wrong, counts)


def print_family(family: str, answers: list[dict[str, Any]]) -> None:
    """The counts of one family, and its most frequent groups with an example each."""
    kinds = Counter(each["kind"] for each in answers)
    print(
        f"\n{family}: {len(answers)} programs, " + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    )
    crashed = sorted(each["seed"] for each in answers if each["kind"] == TORCH_CRASHED)
    if crashed:
        print(f"  torch crashed, and Rushlight does not: {', '.join(map(str, crashed))}")
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in answers:
        if "group" in each:
            groups[each["group"]].append(each)
    ordered = sorted(groups.items(), key=lambda item: (item[1][0]["soft"], -len(item[1])))
    for group, members in ordered[:SHOWN_GROUPS]:
        shortest = min(members, key=lambda each: len(each.get("program", "")))
        print(f"  {len(members):4} {group}\n       {shortest.get('difference', '')}")
        print("\n".join(f"         {line}" for line in shortest.get("program", "").splitlines()))
