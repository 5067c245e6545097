"""Reading event files back, by TensorBoard's own reader."""

from pathlib import Path

from tensorboard.backend.event_processing.event_file_loader import LegacyEventFileLoader


def events(folder):
    """The events of each subfolder, without the times at which they were written."""
    found = {}
    for path in sorted(Path(folder).rglob("*tfevents*")):
        records = list(LegacyEventFileLoader(str(path)).Load())
        for each in records:
            each.wall_time = 0
            each.ClearField("source_metadata")
        found.setdefault(str(path.parent.relative_to(folder)), []).extend(records)
    return found


def values(folder, place="."):
    """Each logged value by its tag; the last one of a tag counts."""
    return {value.tag: value for event in events(folder)[place] for value in event.summary.value}
