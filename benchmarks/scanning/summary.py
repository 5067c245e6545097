"""What a scan found: counts, medians and the ten worst, on the terminal, as JSON and in docs/ops_benchmarks.md."""

import json
import re
import statistics
from collections import Counter
from dataclasses import asdict

from benchmarks.scanning.measuring import OURS, THEIRS, Found

BEGIN, END = "<!-- scan: begin -->", "<!-- scan: end -->"
MEMORY = 1.5
HOW = """\
Made by `make scan`; do not edit. Every op of the registry, every module of `nn` and every optimizer that torch has too,
on one thread: each sample that stands beside its declaration, grown to about 10^3, 10^5 and 10^6 elements; the first
sample also transposed, sliced, expanded and permuted, in float64, float16, bfloat16, int64 and bool where torch accepts
these, in place, as a method, and with its backward. The libraries run in processes of their own on the same data and
take turns; the best round counts. An entry is one of these calls; ratios are Rushlight's time over torch's, smaller is
faster. Memory is what a call reads and the most that it adds, at 10^6.
"""


def save(path, found, about):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"about": about, "found": [asdict(each) for each in found]}) + "\n")


def load(path):
    """What was found, and on what it was measured."""
    stored = json.loads(path.read_text())
    return [Found(**fields) for fields in stored["found"]], stored["about"]


def measured(found):
    return [each for each in found if each.ratio is not None]


def label(each):
    entry = each.entry
    return f"{entry['subject']}({entry['words']}) {entry['dtype']} {entry['layout']}, {entry['way']}, {entry['size']:,}"


def line(name, found, detailed=False):
    """A subject on the terminal: its median and its worst entry, or every entry."""
    taken = measured(found)
    if detailed:
        return "\n".join(f"{ratio_words(each)} {label(each)} {each.note}".rstrip() for each in found)
    if not taken:
        return f"{name:<40} {len(found)} entries left out"
    worst = max(taken, key=lambda each: each.ratio)
    median = statistics.median(each.ratio for each in taken)
    return f"{name:<40} {len(taken):>4} entries, median {median:5.2f}, worst {worst.ratio:8.2f} {label(worst)}"


def ratio_words(each):
    ratio = "       -" if each.ratio is None else f"{each.ratio:8.2f}"
    times = " ".join(
        f"{each.seconds[name] * 1e6:>11.1f}" if name in each.seconds else " " * 11 for name in (OURS, THEIRS)
    )
    memory = "" if each.memory_ratio is None else f"{each.memory_ratio:.2f}"
    return f"{ratio} {times} {memory:>5}"


def lines(found, about):
    """The counts, then the ten worst."""
    taken = measured(found)
    if not taken:
        return ["nothing was measured"]
    ratios = [each.ratio for each in taken]
    share = lambda limit: f"{sum(ratio > limit for ratio in ratios)} above {limit}"
    said = [
        f"{len(taken)} entries of {len({each.entry['subject'] for each in taken})} ops, modules and optimizers, "
        f"in {about.get('minutes', '?')} minutes: {share(1.5)}, {share(1.2)} ({above(ratios, 1.2):.1%}), "
        f"median {statistics.median(ratios):.2f}"
    ]
    for size in sorted({each.entry["size"] for each in taken}):
        of_size = [each.ratio for each in taken if each.entry["size"] == size]
        counts = ", ".join(f"{sum(ratio > limit for ratio in of_size)} above {limit}" for limit in (1.5, 1.2))
        said.append(f"At {size:,} elements: {len(of_size)} entries, {counts}, median {statistics.median(of_size):.2f}")
    said += memory_lines(taken)
    said.append("The ten worst: " + "; ".join(worst_lines(taken)))
    said += left_out_lines(found, about)
    return said


def above(ratios, limit):
    return sum(ratio > limit for ratio in ratios) / len(ratios)


def worst_lines(taken):
    """The ten worst subjects, each by its worst entry."""
    by_subject = {}
    for each in taken:
        by_subject.setdefault(each.entry["subject"], []).append(each)
    ranked = sorted(by_subject.values(), key=lambda every: -max(each.ratio for each in every))[:10]
    for every in ranked:
        worst = max(every, key=lambda each: each.ratio)
        yield f"{label(worst)}: {worst.ratio:.2f} ({sum(each.ratio > 1.5 for each in every)} entries above 1.5)"


def memory_lines(taken):
    weighed = [each for each in taken if each.memory_ratio is not None]
    if not weighed:
        return []
    over = sorted((each for each in weighed if each.memory_ratio > MEMORY), key=lambda each: -each.memory_ratio)
    names = Counter(each.entry["subject"] for each in over)
    listed = "; ".join(f"{label(each)}: {each.memory_ratio:.2f}" for each in over[:10])
    return [
        f"Peak memory at 10^6: {len(weighed)} entries, {len(over)} of {len(names)} subjects above {MEMORY}"
        + (f"; the worst: {listed}" if over else "")
    ]


def left_out_lines(found, about):
    """How many entries have no ratio, by the reason."""
    reasons = Counter(reason(each.note) for each in found if each.ratio is None)
    said = ", ".join(f"{count} {words}" for words, count in reasons.most_common())
    kept = [f"Entries left out: {said}"] if said else []
    for words, names in about.get("left_out", {}).items():
        if names:
            kept.append(f"Left out, {words}: {', '.join(names)}")
    return kept


def reason(note):
    found = re.match(r"(refused|too_long|died) by \w+", note)
    return found[0].replace("_", " ") if found else note.split(":")[0]


def section(found, about):
    """The part of docs/ops_benchmarks.md between its marks."""
    versions = [f"- {title}: {text}" for title, text in about["versions"].items()]
    said = [f"- {listed(text)}" for text in lines(found, about)]
    return "\n".join(["## The scan for cliffs", "", HOW, f"- Machine: {about['machine']}", *versions, *said])


def listed(text):
    """What stands between semicolons, such as the ten worst, in lines of its own."""
    head, colon, rest = text.partition(": ")
    if "; " not in rest:
        return text
    return "\n".join([head + colon.rstrip(), *(f"  - {each}" for each in rest.split("; "))])


def kept_section(path):
    """What stands between the marks of a page, with these; nothing where there is none."""
    text = path.read_text() if path.exists() else ""
    _, begin, rest = text.partition(BEGIN)
    inner, end, _ = rest.partition(END)
    return f"{begin}{inner}{end}\n" if end else ""


def write(path, found, about):
    """Put the section at the end of the page, in place of an older one."""
    text = path.read_text().replace(kept_section(path).rstrip("\n") or BEGIN, "").rstrip()
    path.write_text(f"{text}\n\n{BEGIN}\n{section(found, about)}\n{END}\n")
