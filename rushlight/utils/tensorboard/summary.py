"""Summaries: what is logged as the records of TensorBoard's protocol, a function for each kind."""

from __future__ import annotations

import io
import json
import wave
from typing import Any

import numpy as np
from google.protobuf import struct_pb2
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from rushlight.utils.tensorboard._convert_np import make_np, number
from rushlight.utils.tensorboard._utils import convert_to_HWC
from rushlight.utils.tensorboard.histograms import curve, make_histogram

Value = Summary.Value
# dtype of the array, its name in the protocol, and the field that holds its numbers
TYPES = {
    "float16": ("DT_HALF", "half_val"),
    "float32": ("DT_FLOAT", "float_val"),
    "float64": ("DT_DOUBLE", "double_val"),
    "uint8": ("DT_UINT8", "int_val"),  # where TensorBoard looks; torch writes uint32_val, which it does not read
    "int8": ("DT_INT8", "int_val"),
    "int16": ("DT_INT16", "int_val"),
    "int32": ("DT_INT32", "int_val"),
    "int64": ("DT_INT64", "int64_val"),
    "bool": ("DT_BOOL", "bool_val"),
    "complex64": ("DT_COMPLEX64", "scomplex_val"),
    "complex128": ("DT_COMPLEX128", "dcomplex_val"),
}


def plugin(name: str, content: bytes = b"") -> SummaryMetadata.PluginData:
    """Which part of TensorBoard shows a value, and what it has to know."""
    return SummaryMetadata.PluginData(plugin_name=name, content=content)


def shaped(array: np.ndarray) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=each) for each in array.shape])


def scalar(
    name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False
) -> Summary:
    """A number; `new_style` keeps it as a tensor, in which `double_precision` keeps all its digits."""
    value = number(tensor)
    if not new_style:
        return Summary(value=[Value(tag=name, simple_value=value)])
    if double_precision:
        kept = TensorProto(double_val=[value], dtype="DT_DOUBLE")
    else:
        kept = TensorProto(float_val=[value], dtype="DT_FLOAT")
    return Summary(value=[Value(tag=name, tensor=kept, metadata=SummaryMetadata(plugin_data=plugin("scalars")))])


def tensor_proto(tag: str, tensor: Any) -> Summary:
    """A whole tensor with its shape and dtype."""
    array = make_np(tensor)
    if array.dtype.name not in TYPES:
        raise ValueError(
            f"{tag} has data type {array.dtype}, which TensorBoard has no record of: convert it with .float()"
        )
    kind, field = TYPES[array.dtype.name]
    numbers = array.reshape(-1)
    if array.dtype.kind == "c":  # real parts and imaginary parts in turn
        numbers = numbers.view(f"f{array.itemsize // 2}")
    elif array.dtype == np.float16:
        numbers = numbers.view(np.uint16)
    record = TensorProto(dtype=kind, tensor_shape=shaped(array), **{field: numbers.tolist()})
    metadata = SummaryMetadata(plugin_data=plugin("tensor"))
    return Summary(value=[Value(tag=tag, metadata=metadata, tensor=record)])


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """How often numbers occur between the edges `bins`."""
    return Summary(value=[Value(tag=name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))])


def histogram_raw(
    name: str, min: Any, max: Any, num: Any, sum: Any, sum_squares: Any, bucket_limits: Any, bucket_counts: Any
) -> Summary:
    """A histogram that was counted elsewhere."""
    record = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts
    )
    return Summary(value=[Value(tag=name, histo=record)])


def pixels(array: np.ndarray, tag: str) -> np.ndarray:
    """A picture in bytes: uint8 is taken as it is, floats from 0 to 1; anything else is refused."""
    if array.dtype == np.uint8:
        return array
    if array.dtype.kind not in "fb":
        raise ValueError(
            f"image '{tag}' has dtype {array.dtype}: an image is uint8 from 0 to 255 or float from 0 to 1; "
            "convert it with .to(torch.uint8) or divide it by its largest value"
        )
    return (array.astype(np.float32) * 255).clip(0, 255).astype(np.uint8)


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """A picture, or a grid of pictures."""
    bytes_ = pixels(convert_to_HWC(make_np(tensor), dataformats), tag)
    return Summary(value=[Value(tag=tag, image=make_image(bytes_, rescale))])


def image_boxes(
    tag: str,
    tensor_image: Any,
    tensor_boxes: Any,
    rescale: float = 1,
    dataformats: str = "CHW",
    labels: list[str] | None = None,
) -> Summary:
    """A picture with boxes (left, top, right, bottom) drawn on it."""
    bytes_ = pixels(convert_to_HWC(make_np(tensor_image), dataformats), tag)
    return Summary(value=[Value(tag=tag, image=make_image(bytes_, rescale, make_np(tensor_boxes), labels))])


def make_image(array: np.ndarray, rescale: float = 1, rois: Any = None, labels: Any = None) -> Summary.Image:
    """The PNG of an array of bytes (H, W, C)."""
    from PIL import Image

    height, width, channels = array.shape
    picture = Image.fromarray(array)
    if rois is not None:
        draw_boxes(picture, rois, labels)
    wide, high = int(width * rescale), int(height * rescale)
    file = io.BytesIO()
    picture.resize((wide, high), Image.Resampling.LANCZOS).save(file, format="PNG")
    return Summary.Image(height=high, width=wide, colorspace=channels, encoded_image_string=file.getvalue())


def draw_boxes(picture: Any, boxes: np.ndarray, labels: list[str] | None = None) -> None:
    """Draw boxes in red, each with its label in the corner."""
    from PIL import ImageDraw

    pen = ImageDraw.Draw(picture)
    for number_, (left, top, right, bottom) in enumerate(np.asarray(boxes).reshape(-1, 4)):
        pen.rectangle((left, top, right, bottom), outline="Red", width=2)
        if labels is not None:
            pen.text((left + 3, top + 2), str(labels[number_]), fill="Red")


def video(tag: str, tensor: Any, fps: int = 4) -> Summary:
    """Videos (N, T, C, H, W) side by side, as a moving GIF."""
    array = make_np(tensor)
    if array.ndim != 5:
        raise ValueError(f"a video has the axes (N, T, C, H, W), not {array.ndim} of them: shape {array.shape}")
    frames = [convert_to_HWC(pixels(each, tag), "NCHW") for each in array.swapaxes(0, 1)]
    return Summary(value=[Value(tag=tag, image=make_video(frames, fps))])


def make_video(frames: list[np.ndarray], fps: int) -> Summary.Image:
    """The GIF of pictures (H, W, C), `fps` of them a second."""
    from PIL import Image

    pictures = [Image.fromarray(each) for each in frames]
    file = io.BytesIO()
    pause = round(1000 / fps)
    pictures[0].save(file, format="GIF", save_all=True, append_images=pictures[1:], duration=pause, loop=0)
    height, width, channels = frames[0].shape
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue())


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """A sound of one channel, numbers from -1 to 1."""
    from rushlight.errors.warning import warn

    array = make_np(tensor).squeeze()
    if array.ndim != 1:
        raise AssertionError(f"input tensor should be 1 dimensional, not of shape {array.shape}")
    if array.size and abs(array).max() > 1:
        warn("warning: audio amplitude out of range, auto clipped.", UserWarning)
        array = array.clip(-1, 1)
    samples = (array * np.iinfo(np.int16).max).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(sample_rate)
        sound.writeframes(samples.tobytes())
    record = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=array.size,
        encoded_audio_string=file.getvalue(),
        content_type="audio/wav",
    )
    return Summary(value=[Value(tag=tag, audio=record)])


def text(tag: str, text: str) -> Summary:
    """A text in Markdown."""
    metadata = SummaryMetadata(plugin_data=plugin("text", TextPluginData(version=0).SerializeToString()))
    record = TensorProto(
        dtype="DT_STRING",
        string_val=[text.encode("utf_8")],
        tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]),
    )
    return Summary(value=[Value(tag=f"{tag}/text_summary", metadata=metadata, tensor=record)])


def custom_scalars(layout: dict) -> Summary:
    """Which curves stand in which chart: `{category: {title: ["Multiline" or "Margin", [tags]]}}`."""
    categories = []
    for category, charts in layout.items():
        shown = [chart(title, *described) for title, described in charts.items()]
        categories.append(layout_pb2.Category(title=category, chart=shown))
    content = layout_pb2.Layout(category=categories)
    record = TensorProto(dtype="DT_STRING", string_val=[content.SerializeToString()], tensor_shape=TensorShapeProto())
    metadata = SummaryMetadata(plugin_data=plugin("custom_scalars"))
    return Summary(value=[Value(tag="custom_scalars__config__", tensor=record, metadata=metadata)])


def chart(title: str, kind: str, tags: list[str]) -> layout_pb2.Chart:
    if kind == "Margin":
        if len(tags) != 3:
            raise AssertionError(f"a margin chart has three tags, value, lower and upper, not {len(tags)}")
        series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
        return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))
    return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Summary:
    """Precision and recall of predictions from 0 to 1 at each threshold."""
    # the protocol has at most 127
    count = min(num_thresholds, 127)
    return curve_record(tag, curve(make_np(labels), make_np(predictions), count, weights), count)


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Summary:
    """A curve that was computed elsewhere."""
    rows = np.stack([make_np(each) for each in (tp, fp, tn, fn, precision, recall)])
    return curve_record(tag, rows, min(num_thresholds, 127))


def curve_record(tag: str, rows: np.ndarray, count: int) -> Summary:
    content = PrCurvePluginData(version=0, num_thresholds=count).SerializeToString()
    record = TensorProto(dtype="DT_FLOAT", float_val=rows.reshape(-1).tolist(), tensor_shape=shaped(rows))
    metadata = SummaryMetadata(plugin_data=plugin("pr_curves", content))
    return Summary(value=[Value(tag=tag, metadata=metadata, tensor=record)])


def hparams(
    hparam_dict: dict | None = None, metric_dict: dict | None = None, hparam_domain_discrete: dict | None = None
) -> tuple[Summary, Summary, Summary]:
    """A session of the hyperparameter view: which there are, with which values it began, that it ended."""
    from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2

    for name, given in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
        if not isinstance(given, dict):
            raise TypeError(f"{name} should be a dictionary, nothing logged.")
    assert hparam_dict is not None and metric_dict is not None
    domains = checked_domains(hparam_dict, hparam_domain_discrete or {})
    infos = []
    session = plugin_data_pb2.SessionStartInfo()
    for name, value in hparam_dict.items():
        if value is None:
            continue
        kind, known = hyperparameter(name, value)
        session.hparams[name].CopyFrom(known)
        info = api_pb2.HParamInfo(name=name, type=kind)
        if name in domains:
            info.domain_discrete.CopyFrom(list_of(domains[name]))
        infos.append(info)
    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=each)) for each in metric_dict]
    experiment = api_pb2.Experiment(hparam_infos=infos, metric_infos=metrics)
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return (
        hparams_record(metadata.EXPERIMENT_TAG, plugin_data_pb2.HParamsPluginData(experiment=experiment)),
        hparams_record(metadata.SESSION_START_INFO_TAG, plugin_data_pb2.HParamsPluginData(session_start_info=session)),
        hparams_record(metadata.SESSION_END_INFO_TAG, plugin_data_pb2.HParamsPluginData(session_end_info=ended)),
    )


def hyperparameter(name: str, value: Any) -> tuple[int, struct_pb2.Value]:
    """The kind of a hyperparameter and its record."""
    from tensorboard.plugins.hparams import api_pb2

    from rushlight.core.object.tensor import Tensor

    if isinstance(value, str):
        return api_pb2.DATA_TYPE_STRING, struct_pb2.Value(string_value=value)
    if isinstance(value, Tensor):
        value = number(value)
    # a bool counts as a number, as in torch's files
    if isinstance(value, (int, float, np.number, np.bool_)):
        return api_pb2.DATA_TYPE_FLOAT64, struct_pb2.Value(number_value=float(value))
    raise ValueError(
        f"value should be one of int, float, str, bool, or torch.Tensor, but {name!r} is {type(value).__name__}"
    )


def checked_domains(values: dict, domains: dict) -> dict:
    """The values that each hyperparameter may have, of its own kind."""
    if not isinstance(domains, dict):
        raise TypeError("hparam_domain_discrete should be a dictionary, nothing logged.")
    for name, allowed in domains.items():
        if (
            name not in values
            or not isinstance(allowed, list)
            or not all(isinstance(each, type(values[name])) for each in allowed)
        ):
            raise TypeError(
                f"parameter: hparam_domain_discrete[{name}] should be a list of same type as hparam_dict[{name}]."
            )
    return domains


def list_of(values: list) -> struct_pb2.ListValue:
    made = struct_pb2.ListValue()
    made.extend(values)
    return made


def hparams_record(tag: str, content: Any) -> Summary:
    from tensorboard.plugins.hparams import metadata

    shown = metadata.create_summary_metadata(content)
    return Summary(value=[Value(tag=tag, metadata=shown)])


def mesh(
    tag: str,
    vertices: Any,
    colors: Any,
    faces: Any,
    config_dict: dict | None,
    display_name: str | None = None,
    description: str | None = None,
) -> Summary:
    """Points, or triangles between them, in space: (B, N, 3) each."""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    parts = ((vertices, MeshPluginData.VERTEX), (faces, MeshPluginData.FACE), (colors, MeshPluginData.COLOR))
    given = [(make_np(part), kind) for part, kind in parts if part is not None]
    components = metadata.get_components_bitmask([kind for _, kind in given])
    settings = json.dumps(config_dict or {}, sort_keys=True)
    values = []
    for array, kind in given:
        shown = metadata.create_summary_metadata(
            tag, display_name, kind, components, array.shape, description, json_config=settings
        )
        record = TensorProto(dtype="DT_FLOAT", float_val=array.reshape(-1).tolist(), tensor_shape=shaped(array))
        values.append(Value(tag=metadata.get_instance_name(tag, kind), tensor=record, metadata=shown))
    return Summary(value=values)
