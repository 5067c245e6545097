"""Logs for TensorBoard: `SummaryWriter` writes what `tensorboard --logdir runs` shows, by the tensorboard package."""

from __future__ import annotations

try:
    from tensorboard.summary.writer.record_writer import RecordWriter as RecordWriter
except ImportError as error:
    raise ImportError(
        "torch.utils.tensorboard writes its files by the tensorboard package: pip install 'rushlight[tensorboard]'"
    ) from error

from rushlight.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
