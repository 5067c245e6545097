"""Embeddings: vectors, their labels and pictures as the projector of TensorBoard reads them from files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from google.protobuf import text_format
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo, ProjectorConfig

from rushlight.utils.tensorboard._convert_np import make_np
from rushlight.utils.tensorboard.summary import pixels

CONFIG = "projector_config.pbtxt"
# no browser shows a larger picture
LARGEST = 8192


def write_embedding(
    folder: Path, name: str, mat: Any, metadata: Any = None, pictures: Any = None, header: list[str] | None = None
) -> EmbeddingInfo:
    """Write the files of one embedding into `folder / name` and say where they are."""
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    info = EmbeddingInfo(tensor_path=f"{name}/tensors.tsv")
    vectors = make_np(mat)
    if vectors.ndim != 2:
        raise AssertionError(f"mat should be 2D, where mat.size(0) is the number of data points; it is {vectors.shape}")
    if metadata is not None:
        if len(metadata) != len(vectors):
            raise AssertionError("#labels should equal with #data points")
        (place / "metadata.tsv").write_text(labels(metadata, header), encoding="utf-8")
        info.metadata_path = f"{name}/metadata.tsv"
    if pictures is not None:
        images = make_np(pictures)
        if len(images) != len(vectors):
            raise AssertionError("#images should equal with #data points")
        write_sprite(images, place / "sprite.png")
        info.sprite.image_path = f"{name}/sprite.png"
        info.sprite.single_image_dim.extend([images.shape[3], images.shape[2]])
    lines = ["\t".join(str(each) for each in row) for row in vectors.tolist()]
    (place / "tensors.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return info


def labels(metadata: Any, header: list[str] | None) -> str:
    """A line a point; a table with a header where there are several columns."""
    if header is None:
        return "".join(f"{str(each).replace(chr(10), ' ')}\n" for each in metadata)
    if len(header) != len(metadata[0]):
        raise AssertionError("len of header must be equal to the number of columns in metadata")
    return "".join("\t".join(str(cell) for cell in row) + "\n" for row in [header, *metadata])


def write_sprite(images: np.ndarray, path: Path) -> None:
    """All pictures (N, C, H, W) in one square."""
    from PIL import Image

    count, channels, height, width = images.shape
    rows = math.ceil(math.sqrt(count))
    if rows * max(height, width) > LARGEST:
        raise AssertionError(
            f"Expected {count} pictures in a square of at most {LARGEST} pixels; log fewer or smaller ones"
        )
    sprite = np.zeros((rows * height, rows * width, channels), np.uint8)
    for number, image in enumerate(pixels(images, "label_img").transpose(0, 2, 3, 1)):
        row, column = divmod(number, rows)
        sprite[row * height : (row + 1) * height, column * width : (column + 1) * width] = image
    Image.fromarray(sprite.squeeze(2) if channels == 1 else sprite).save(path)


def add_to_config(folder: Path, info: EmbeddingInfo) -> None:
    """Name an embedding in the projector's list, which other steps may have begun."""
    config = ProjectorConfig()
    path = folder / CONFIG
    if path.exists():
        text_format.Parse(path.read_text(), config)
    config.embeddings.append(info)
    path.write_text(text_format.MessageToString(config))
