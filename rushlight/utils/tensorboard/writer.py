"""Writers: event files that TensorBoard reads, and the methods by which a program logs."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from pathlib import Path
from typing import Any

from tensorboard.compat.proto import event_pb2
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from rushlight.utils.tensorboard import summary as records
from rushlight.utils.tensorboard._convert_np import make_np, number
from rushlight.utils.tensorboard._embedding import add_to_config, write_embedding
from rushlight.utils.tensorboard._utils import figure_to_image
from rushlight.utils.tensorboard.histograms import default_bins


class FileWriter:
    """Writes records to one event file in `log_dir`; a thread of its own brings them to the disk."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = ""):
        # a folder is a text there
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder of the file."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Event, step: int | None = None, walltime: float | None = None) -> None:
        """Write one event, stamped with a step and a time."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Write values."""
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: tuple, walltime: float | None = None) -> None:
        """Write a graph, and what is known of its run."""
        graph, statistics = graph_profile
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)
        tagged = event_pb2.TaggedRunMetadata(tag="step1", run_metadata=statistics.SerializeToString())
        self.add_event(event_pb2.Event(tagged_run_metadata=tagged), None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """Write a graph that came from an ONNX file."""
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)

    def flush(self) -> None:
        """Bring everything to the disk."""
        self.event_writer.flush()

    def close(self) -> None:
        """Bring everything to the disk and close the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Go on in another file."""
        self.event_writer.reopen()


class SummaryWriter:
    """Logs numbers, pictures, texts and graphs for TensorBoard.

    Without `log_dir` the folder is `runs/<time>_<host><comment>`. With `purge_step` TensorBoard forgets what a run that
    is continued had logged from that step on.
    """

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ):
        if not log_dir:
            stamp = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{stamp}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[Any, FileWriter] | None = None
        self._get_file_writer()
        self.default_bins = default_bins()

    def _get_file_writer(self) -> FileWriter:
        """The file, opened again after `close`."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                step = self.purge_step
                self.file_writer.add_event(Event(step=step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=step, session_log=SessionLog(status=SessionLog.START)))
                self.purge_step = None
        return self.file_writer

    def _write(self, record: Any, step: int | None, walltime: float | None) -> None:
        self._get_file_writer().add_summary(record, step, walltime)

    def get_logdir(self) -> str:
        """The folder of the log."""
        return self.log_dir

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Log a number, a point of the curve `tag`."""
        record = records.scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._write(record, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Log several numbers for one chart, each in a folder of its own."""
        walltime = time.time() if walltime is None else walltime
        base = self._get_file_writer().get_logdir()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            place = f"{base}/{main_tag.replace('/', '_')}_{tag}"
            if place not in self.all_writers:
                self.all_writers[place] = FileWriter(place, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers[place].add_summary(records.scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Log a whole tensor."""
        self._write(records.tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: int | None = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Log how the numbers in `values` are distributed; `bins` as in `numpy.histogram`."""
        edges = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._write(records.histogram(tag, values, edges, max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: Any,
        max: Any,
        num: Any,
        sum: Any,
        sum_squares: Any,
        bucket_limits: Any,
        bucket_counts: Any,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Log a histogram that was counted elsewhere: the right edge of each bin and how many are in it."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        record = records.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._write(record, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Log a picture: uint8, or floats from 0 to 1, its axes named by `dataformats`."""
        self._write(records.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Log a batch of pictures, side by side."""
        self._write(records.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: int | None = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Any = None,
    ) -> None:
        """Log a picture with boxes (left, top, right, bottom) on it, each with its label."""
        if isinstance(labels, str):
            labels = [labels]
        if labels is not None and len(labels) != make_np(box_tensor).shape[0]:
            labels = None
        record = records.image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._write(record, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Log a figure of Matplotlib, or several of one size."""
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, formats)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: int | None = None, fps: int = 4, walltime: float | None = None
    ) -> None:
        """Log videos (N, T, C, H, W) as one moving picture."""
        self._write(records.video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: int | None = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Log a sound (1, L), numbers from -1 to 1."""
        self._write(records.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Log a text, shown as Markdown."""
        self._write(records.text(tag, text_string), global_step, walltime)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Log the graph of one run of `model` on `input_to_model` (a tuple for several inputs)."""
        from rushlight.utils.tensorboard._pytorch_graph import graph

        if not hasattr(model, "forward"):
            raise ValueError(f"add_graph takes a torch.nn.Module, not {type(model).__name__}")
        self._get_file_writer().add_graph(graph(model, input_to_model, verbose, use_strict_trace))

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Log the graph of an ONNX file."""
        from rushlight.utils.tensorboard._onnx_graph import load_onnx_graph

        self._get_file_writer().add_onnx_graph(load_onnx_graph(prototxt))

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: int | None = None,
        tag: str = "default",
        metadata_header: list[str] | None = None,
    ) -> None:
        """Log vectors (N, D) for the projector, with a label and a picture (N, C, H, W) for each."""
        step = 0 if global_step is None else global_step
        name = f"{str(step).zfill(5)}/{encoded(tag)}"
        folder = Path(self._get_file_writer().get_logdir())
        info = write_embedding(folder, name, mat, metadata, label_img, metadata_header)
        info.tensor_name = f"{tag}:{str(step).zfill(5)}"
        add_to_config(folder, info)

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log precision against recall of predictions from 0 to 1 for labels 0 and 1."""
        record = records.pr_curve(tag, labels, predictions, num_thresholds, weights)
        self._write(record, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: int | None = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Log a precision-recall curve that was computed elsewhere."""
        counts = (true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts)
        record = records.pr_curve_raw(tag, *counts, precision, recall, num_thresholds, weights)
        self._write(record, global_step, walltime)

    def add_custom_scalars_multilinechart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Show several curves in one chart."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Show a curve between two others, its bounds."""
        if len(tags) != 3:
            raise AssertionError(f"a margin chart has three tags, value, lower and upper, not {len(tags)}")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout: dict) -> None:
        """Say which curves stand in which chart."""
        self._write(records.custom_scalars(layout), None, None)

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: dict | None = None,
        global_step: int | None = None,
        walltime: float | None = None,
    ) -> None:
        """Log points or triangles in space: vertices (B, N, 3), colours (B, N, 3), faces (B, F, 3)."""
        self._write(records.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_hparams(
        self,
        hparam_dict: dict,
        metric_dict: dict,
        hparam_domain_discrete: dict | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Log the hyperparameters of a run with what it reached, as a run of its own."""
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = records.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), str(time.time()) if run_name is None else run_name)
        with SummaryWriter(log_dir=folder) as own:
            for record in made:
                own._write(record, global_step, None)
            for tag, value in metric_dict.items():
                own.add_scalar(tag, number(value), global_step)

    def flush(self) -> None:
        """Bring everything logged so far to the disk."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Bring everything to the disk and close the files; the next call opens new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def encoded(tag: str) -> str:
    """A tag as the name of a folder: what may not stand there is written as its number."""
    return "".join(each if each.isalnum() or each in "-_." else f"%{ord(each):02x}" for each in tag)
