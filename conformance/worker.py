"""The worker: a process that takes one task at a time from its standard input and answers in JSON."""

import json
import os
import sys
import time
import traceback
from typing import Any

import torch

from conformance import entries, registry
from conformance.libraries import Library


def serve(library_name: str) -> None:
    """Answers tasks, one line each, until the input ends; prints of the ops themselves go to stderr."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    torch.set_num_threads(1)
    library = Library(library_name)
    answers.write(json.dumps({"ready": True}) + "\n")
    for line in sys.stdin:
        start = time.perf_counter()
        answer = answer_task(json.loads(line), library)
        answer["seconds"] = round(time.perf_counter() - start, 3)
        answers.write(json.dumps(answer) + "\n")


def answer_task(task: dict[str, Any], library: Library) -> dict[str, Any]:
    """The answer to one task; a fault of the runner itself is reported like a failing op."""
    try:
        return {"result": TASKS[task["kind"]](task, library)}
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}"
        return {"fault": f"fault of the runner: {type(error).__name__} at {place}: {str(error)[:200]}"}


def list_entries(task: dict[str, Any], library: Library) -> list[dict[str, Any]]:
    return entries.list_entries(library)


def check_entry(task: dict[str, Any], library: Library) -> dict[str, Any]:
    options = entries.Options(task["samples"], tuple(task["dtypes"]))
    return entries.check_entry(task["index"], library, options)


def list_registry(task: dict[str, Any], library: Library) -> list[dict[str, Any]]:
    return registry.list_ops(library)


def check_op(task: dict[str, Any], library: Library) -> dict[str, Any]:
    return registry.check_op(task["name"], library)


def list_modules(task: dict[str, Any], library: Library) -> list[dict[str, Any]]:
    from conformance import modules

    return modules.list_modules(library)


def check_module(task: dict[str, Any], library: Library) -> dict[str, Any]:
    from conformance import modules

    return modules.check_module(task["name"], library, task["samples"])


def check_programs(task: dict[str, Any], library: Library) -> list[dict[str, Any]]:
    from conformance.programs import survey

    return survey.survey(task["family"], task["first"], task["count"])


def run_program_alone(task: dict[str, Any], library: Library) -> int:
    from conformance.programs import execution, program

    drawn = program.generate(task["family"], task["first"], task["leader"])
    return len(execution.trace(task["leader"], drawn))


def check_entry_strides(task: dict[str, Any], library: Library) -> dict[str, Any]:
    from conformance import strides

    return strides.check_entry(task["index"], library, task["samples"])


def check_op_strides(task: dict[str, Any], library: Library) -> dict[str, Any]:
    from conformance import strides

    return strides.check_op(task["op"], library, task["samples"])


def check_entry_transforms(task: dict[str, Any], library: Library) -> dict[str, Any]:
    from conformance import transforms

    return transforms.check_entry(task["index"], library, task["samples"])


def list_looped(task: dict[str, Any], library: Library) -> dict[str, Any]:
    from conformance import transforms

    return transforms.list_looped(library)


TASKS = {
    "programs": check_programs,
    "program alone": run_program_alone,
    "list entries": list_entries,
    "entry": check_entry,
    "list registry": list_registry,
    "op": check_op,
    "list modules": list_modules,
    "module": check_module,
    "entry strides": check_entry_strides,
    "op strides": check_op_strides,
    "entry transforms": check_entry_transforms,
    "list looped": list_looped,
}

if __name__ == "__main__":
    serve(sys.argv[1])
