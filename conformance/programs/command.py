"""The command `python -m conformance programs`: surveys of all families, printed by groups."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from typing import Any

from conformance.commands import Verdict
from conformance.pool import Pool
from conformance.programs.grammars import FAMILIES
from conformance.programs.survey import AGREES, LISTED

# programs a task: enough to make the start of a worker cheap, few enough to lose little in a crash
BATCH = 20
SHOWN_GROUPS = 12


def run_programs(options: argparse.Namespace) -> Verdict:
    """Random programs of every family under both libraries."""
    families = [each for each in FAMILIES if not options.only or each in options.only]
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

    def add(task: dict[str, Any], answer: dict[str, Any]) -> None:
        lost = [
            {
                "seed": task["first"],
                "kind": "fault",
                "soft": False,
                "group": "fault",
                "difference": str(answer.get("fault")),
            }
        ]
        answers[task["family"]] += answer.get("result", lost)

    Pool(options.library, options.jobs, options.timeout * BATCH).run(tasks, add)
    for family in families:
        print_family(family, answers[family])
    everything = [each for family in families for each in answers[family]]
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
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for each in answers:
        if "group" in each:
            groups[each["group"]].append(each)
    ordered = sorted(groups.items(), key=lambda item: (item[1][0]["soft"], -len(item[1])))
    for group, members in ordered[:SHOWN_GROUPS]:
        shortest = min(members, key=lambda each: len(each.get("program", "")))
        print(f"  {len(members):4} {group}\n       {shortest.get('difference', '')}")
        print("\n".join(f"         {line}" for line in shortest.get("program", "").splitlines()))
