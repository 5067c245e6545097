"""Histograms and curves: numbers counted in bins as TensorBoard draws them."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto

TINY = 1e-7


def default_bins() -> list[float]:
    """TensorBoard's own: a tenth wider from one to the next, from 1e-12 to 1e20 on both sides of zero."""
    ups = []
    edge = 1e-12
    while edge < 1e20:
        ups.append(edge)
        edge *= 1.1
    return [-each for each in reversed(ups)] + [0] + ups


def make_histogram(values: np.ndarray, bins: Any, max_bins: int | None = None) -> HistogramProto:
    """The counts of `values` between the edges `bins`, without the empty bins at both ends."""
    if values.size == 0:
        raise ValueError("The input has no element.")
    values = values.reshape(-1)
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = joined(counts, limits, max_bins)
    filled = np.flatnonzero(counts)
    if not len(filled):
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = filled[0], filled[-1]
    # one empty bin is kept before the first: TensorBoard draws from its edge
    counts = counts[first - 1 : last + 1] if first > 0 else np.concatenate([[0], counts[: last + 1]])
    limits = limits[first : last + 2]
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits.tolist(),
        bucket=counts.tolist(),
    )


def joined(counts: np.ndarray, limits: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Neighbouring bins made one, so that at most `most` are left, and a short one at the end."""
    step = len(counts) // most
    over = len(counts) % step
    if over:
        counts = np.pad(counts, (0, step - over))
    edges = limits[::step]
    if edges[-1] != limits[-1]:
        edges = np.append(edges, limits[-1])
    return counts.reshape(-1, step).sum(1), edges


def curve(labels: np.ndarray, predictions: np.ndarray, thresholds: int = 127, weights: Any = None) -> np.ndarray:
    """Rows of true and false positives, true and false negatives, precision and recall at each threshold."""
    weights = np.asarray(1.0 if weights is None else weights)
    # the bin of each prediction among equal ones from 0 to 1
    places = np.int32(np.floor(predictions * (thresholds - 1)))
    bounds = (0, thresholds - 1)
    right, _ = np.histogram(places, bins=thresholds, range=bounds, weights=np.float64(labels) * weights)
    wrong, _ = np.histogram(places, bins=thresholds, range=bounds, weights=(1.0 - np.float64(labels)) * weights)
    tp, fp = right[::-1].cumsum()[::-1], wrong[::-1].cumsum()[::-1]
    tn, fn = fp[0] - fp, tp[0] - tp
    precision = tp / np.maximum(TINY, tp + fp)
    recall = tp / np.maximum(TINY, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall))
