"""The tally of one op: parts that agreed, parts that did not, and the first reasons."""

from dataclasses import dataclass, field
from typing import Any

MOST_REASONS = 3


@dataclass
class Tally:
    """Counts by part (`function`, `method`, `gradient`...), kept apart for real and for complex dtypes."""

    passed: dict[str, int] = field(default_factory=dict)
    failed: dict[str, int] = field(default_factory=dict)
    reasons: list[str] = field(default_factory=list)
    skipped: int = 0
    skip_reason: str = ""

    def add(self, part: str, label: str, reason: str | None) -> None:
        """Counts one comparison; a reason given means disagreement."""
        if reason is None:
            self.passed[part] = self.passed.get(part, 0) + 1
            return
        # the first failure of each part says more than three of the same one
        if part not in self.failed and len(self.reasons) < MOST_REASONS:
            self.reasons.append(f"{part}, {label}: {reason}")
        self.failed[part] = self.failed.get(part, 0) + 1

    def skip(self, reason: str) -> None:
        self.skipped += 1
        self.skip_reason = self.skip_reason or reason

    @property
    def status(self) -> str:
        if self.failed:
            return "fail"
        return "pass" if self.passed else "skip"

    def to_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "passed": self.passed,
            "failed": self.failed,
            "reasons": self.reasons,
            "skipped": self.skipped,
            "skip_reason": self.skip_reason,
        }
