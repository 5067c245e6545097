"""Pictures on their way into a log: axes in the protocol's order, several images in a grid."""

from __future__ import annotations

import numpy as np


def convert_to_HWC(tensor: np.ndarray, input_format: str) -> np.ndarray:
    """Height, width and channels of an image or of a grid of images, whose axes `input_format` names.

    >>> import numpy as np
    >>> from torch.utils.tensorboard._utils import convert_to_HWC
    >>> convert_to_HWC(np.zeros((3, 4, 5)), "CHW").shape
    (4, 5, 3)
    """
    named = input_format.upper()
    if len(set(named)) != len(named):
        raise AssertionError(f"You can not use the same dimension shordhand twice. input_format: {input_format}")
    if len(tensor.shape) != len(named):
        raise AssertionError(
            f"size of input tensor and input format are different. tensor shape: {tensor.shape}, "
            f"input_format: {input_format}; say dataformats='{suggested(tensor.shape)}' for one of these axes"
        )
    if sorted(named) not in (sorted("HW"), sorted("CHW"), sorted("NCHW")):
        raise AssertionError(
            f"dataformats is made of N, C, H and W, such as 'CHW', 'NHWC' or 'HW', not '{input_format}'"
        )
    if len(named) == 2:
        grey = tensor.transpose([named.index(axis) for axis in "HW"])
        return np.stack([grey] * 3, 2)
    if len(named) == 4:
        tensor, named = make_grid(tensor.transpose([named.index(axis) for axis in "NCHW"])), "CHW"
    image = tensor.transpose([named.index(axis) for axis in "HWC"])
    return np.concatenate([image] * 3, 2) if image.shape[2] == 1 else image


def suggested(shape: tuple[int, ...]) -> str:
    """The names of axes that a picture of this shape most likely has."""
    if len(shape) == 2:
        return "HW"
    last = len(shape) in (3, 4) and shape[-1] in (1, 3, 4)
    order = "HWC" if last else "CHW"
    return order if len(shape) == 3 else f"N{order}"


def make_grid(images: np.ndarray, ncols: int = 8) -> np.ndarray:
    """Images (N, C, H, W) side by side in rows of at most eight; (C, height, width)."""
    if images.ndim != 4 or images.shape[1] not in (1, 3, 4):
        raise AssertionError(f"a grid takes images of 1, 3 or 4 channels, axes (N, C, H, W), not {images.shape}")
    if images.shape[1] == 1:
        images = np.concatenate([images] * 3, 1)
    count, channels, height, width = images.shape
    columns = min(count, ncols)
    rows = -(-count // columns)
    grid = np.zeros((channels, rows * height, columns * width), images.dtype)
    for number, image in enumerate(images):
        row, column = divmod(number, columns)
        grid[:, row * height : (row + 1) * height, column * width : (column + 1) * width] = image
    return grid


def figure_to_image(figures: object, close: bool = True) -> np.ndarray:
    """A figure of Matplotlib, or several of one size, as drawn: (C, H, W), or (N, C, H, W)."""
    if isinstance(figures, list):
        return np.stack([rendered(each, close) for each in figures])
    return rendered(figures, close)


def rendered(figure: object, close: bool) -> np.ndarray:
    import matplotlib.pyplot as plt
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)  # type: ignore[arg-type]
    canvas.draw()
    drawn = np.asarray(canvas.buffer_rgba())[:, :, :3]
    if close:
        plt.close(figure)  # type: ignore[arg-type]
    return np.moveaxis(drawn, 2, 0)
