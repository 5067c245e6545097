"""Lost batches: run again program by program, and what kills torch alone is set apart from what kills Rushlight."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.pool import Pool

TORCH_CRASHED = "torch crashed"
FAULT = "fault"

Task = dict[str, Any]
Answer = dict[str, Any]


def run_surely(pool: Pool, tasks: list[Task], report: Callable[[str, list[Answer]], None]) -> None:
    """Runs batches of programs; `report(family, records)` hears of each program, whatever became of its batch."""
    lost = run_batches(pool, tasks, report)
    if not lost:
        return
    singles = [{**task, "first": seed, "count": 1} for task, _ in lost for seed in numbers(task)]
    for task, fault in run_batches(pool, singles, report):
        report(task["family"], [record(task, fault, torch_is_guilty(pool, task))])


def run_batches(pool: Pool, tasks: list[Task], report: Callable[[str, list[Answer]], None]) -> list[tuple[Task, str]]:
    """Reports what came back; the tasks that did not, each with the fault."""
    lost: list[tuple[Task, str]] = []

    def add(task: Task, answer: Answer) -> None:
        if "result" in answer:
            report(task["family"], answer["result"])
        else:
            lost.append((task, str(answer.get("fault"))))

    pool.run(tasks, add)
    return lost


def numbers(task: Task) -> range:
    return range(task["first"], task["first"] + task["count"])


def torch_is_guilty(pool: Pool, task: Task) -> bool:
    """Whether the program kills a process in which torch runs alone, and not one in which Rushlight does."""
    died = {}

    def add(alone: Task, answer: Answer) -> None:
        died[alone["leader"]] = "result" not in answer

    pool.run([{**task, "kind": "program alone", "leader": each} for each in ("torch", "rushlight")], add)
    return died["torch"] and not died["rushlight"]


def record(task: Task, fault: str, torch_guilty: bool) -> Answer:
    if torch_guilty:
        return {"seed": task["first"], "kind": TORCH_CRASHED, "listed": 0}
    text = f"# {task['family']} {task['first']}"
    return {"seed": task["first"], "kind": FAULT, "soft": False, "group": FAULT, "difference": fault, "program": text}
