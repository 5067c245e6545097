"""Reports: what disagrees, by name, and the counts."""

import sys
import time
from dataclasses import dataclass, field
from typing import Any

WIDTH = 200


@dataclass
class Report:
    """The answers of one run, by status: pass, fail, skip."""

    title: str
    total: int
    known: dict[str, str] = field(default_factory=dict)
    answers: list[dict[str, Any]] = field(default_factory=list)
    offered: int | None = None
    started: float = field(default_factory=time.monotonic)

    def add(self, task: dict[str, Any], answer: dict[str, Any]) -> None:
        """Files one answer; a crash, a hang or a fault of the runner fails its op."""
        if "fault" in answer:
            answer["result"] = {"status": "fail", "reasons": [answer["fault"]]}
        self.answers.append({"name": task["name"], **answer["result"], "seconds": answer.get("seconds", 0)})
        if sys.stderr.isatty():
            print(f"\r{len(self.answers)} done, {task['name'][:60]:60}", end="", file=sys.stderr)
        elif len(self.answers) % 100 == 0:
            print(f"{len(self.answers)} done", file=sys.stderr)

    def of_status(self, status: str) -> list[dict[str, Any]]:
        return sorted((a for a in self.answers if a["status"] == status), key=lambda answer: answer["name"])

    @property
    def share(self) -> float:
        """The part of what was compared that agrees whole; skipped ops count neither way."""
        passed, failed = len(self.of_status("pass")), len(self.of_status("fail"))
        return passed / (passed + failed) if passed + failed else 0.0

    def by_part(self, part: str) -> tuple[int, int]:
        """How many ops agree in every comparison of one part, and how many do not."""
        differ = sum(part in answer.get("failed", {}) for answer in self.answers)
        agree = sum(part in answer.get("passed", {}) for answer in self.answers if part not in answer.get("failed", {}))
        return agree, differ

    @property
    def counts(self) -> str:
        """The counts that decide, in a line."""
        passed, failed = len(self.of_status("pass")), len(self.of_status("fail"))
        whole = f"{passed} of {passed + failed} agree whole ({self.share:.1%})"
        return f"{whole}, {len(self.unexpected)} disagree that are not listed as known"

    @property
    def unexpected(self) -> list[str]:
        return [answer["name"] for answer in self.of_status("fail") if answer["name"] not in self.known]

    def print_disagreements(self) -> None:
        for answer in self.of_status("fail"):
            note = f"  (known: {self.known[answer['name']]})" if answer["name"] in self.known else ""
            print(f"{answer['name']}  {failed_parts(answer)}{note}")
            for reason in answer["reasons"][:3]:
                print("    " + (reason if len(reason) <= WIDTH else reason[: WIDTH - 3] + "..."))
        stale = [answer["name"] for answer in self.of_status("pass") if answer["name"] in self.known]
        if stale:
            print(f"listed as known, but agree: {', '.join(stale)}")

    def print_counts(self) -> None:
        passed, failed, skipped = (len(self.of_status(status)) for status in ("pass", "fail", "skip"))
        if self.offered is not None:
            print(f"{'entries in ' + self.title:36}{self.total}")
            print(f"{'names the library has':36}{self.offered}")
        print(f"{'compared':36}{passed + failed}")
        print(f"{'agree whole':36}{passed}  ({self.share:.1%})")
        print(f"{'disagree':36}{failed}  ({len(self.unexpected)} not listed as known)")
        print(f"{'skipped (nothing to compare)':36}{skipped}")
        self.print_extras()
        print(f"{'seconds':36}{time.monotonic() - self.started:.0f}")

    def print_extras(self) -> None:
        """Counts that inform but do not decide: samples, complex dtypes, error messages."""
        comparisons = sum(sum(answer.get("passed", {}).values()) for answer in self.answers)
        wrong = sum(sum(answer.get("failed", {}).values()) for answer in self.answers)
        print(f"{'single comparisons that agree':36}{comparisons} of {comparisons + wrong}")
        complex_status = [answer["complex"]["status"] for answer in self.answers if "complex" in answer]
        if complex_status:
            agree, differ = complex_status.count("pass"), complex_status.count("fail")
            print(f"{'complex dtypes: agree whole':36}{agree} of {agree + differ}")
        nodes = [answer["nodes"] for answer in self.answers if answer.get("nodes")]
        if nodes:
            alike, graphs = (sum(column) for column in zip(*nodes, strict=True))
            print(f"{'graph nodes named as in torch':36}{alike} of {graphs}")
        messages = [answer["messages"] for answer in self.answers if answer.get("messages")]
        if messages:
            matched, raised = (sum(column) for column in zip(*messages, strict=True))
            print(f"{'error messages that match':36}{matched} of {raised}")


def failed_parts(answer: dict[str, Any]) -> str:
    """The failing parts with their counts: `method 3 of 12`."""
    passed, failed = answer.get("passed", {}), answer.get("failed", {})
    return "; ".join(f"{part} {wrong} of {wrong + passed.get(part, 0)}" for part, wrong in failed.items())


def fold_complex(result: dict[str, Any]) -> None:
    """Makes the complex dtypes part of what decides."""
    extra = result.get("complex")
    if not extra or extra["status"] == "skip":
        return
    for column in ("passed", "failed"):
        for part, count in extra[column].items():
            result[column][part] = result[column].get(part, 0) + count
    result["reasons"] += extra["reasons"]
    result["status"] = "fail" if "fail" in (result["status"], extra["status"]) else "pass"
