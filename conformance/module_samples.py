"""Modules that torch's module_db lacks, or tries too little of: how each is made, and the shapes of its inputs.

A tuple is the shape of a random input, a list holds indices, a function makes a tensor; without inputs the module is
only printed and its weights compared.
"""

from collections.abc import Callable
from typing import Any

Row = tuple[Callable[[Any], Any], *tuple[Any, ...]]

SAMPLES: dict[str, list[Row]] = {
    "AdaptiveLogSoftmaxWithLoss": [
        (lambda nn: nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 6]), (5, 8), [0, 1, 3, 7, 9]),
        (
            lambda nn: nn.AdaptiveLogSoftmaxWithLoss(8, 12, [4, 8], div_value=2.0, head_bias=True),
            (4, 8),
            [0, 1, 2, 11],
        ),
    ],
    "AlphaDropout": [(lambda nn: nn.AlphaDropout(0.3), (6, 5)), (lambda nn: nn.AlphaDropout(inplace=True), (6, 5))],
    "BatchNorm2d": [(lambda nn: nn.BatchNorm2d(3, momentum=None, affine=False), (2, 3, 4, 4))],
    "ChannelShuffle": [(lambda nn: nn.ChannelShuffle(2), (1, 4, 3, 3))],
    "Container": [(lambda nn: nn.Container(first=nn.Linear(2, 3)),)],
    "Conv2d": [
        (lambda nn: nn.Conv2d(4, 6, 3, padding="same", groups=2, padding_mode="circular"), (2, 4, 6, 6)),
        (lambda nn: nn.Conv2d(3, 5, (3, 2), stride=2, padding=1, dilation=2, bias=False), (2, 3, 9, 9)),
        (lambda nn: nn.Conv2d(2, 2, 3, padding=1, padding_mode="reflect"), (1, 2, 5, 5)),
    ],
    "ConvTranspose2d": [
        (lambda nn: nn.ConvTranspose2d(4, 6, 3, 2, 1, output_padding=1, groups=2, bias=False), (2, 4, 5, 5)),
    ],
    "CosineSimilarity": [(lambda nn: nn.CosineSimilarity(), (3, 4), (3, 4))],
    "CrossMapLRN2d": [(lambda nn: nn.CrossMapLRN2d(5, 5e-3, 1e-3, 2), (2, 3, 6, 6))],
    "DataParallel": [(lambda nn: nn.DataParallel(nn.Linear(2, 3)), (4, 2))],
    "Dropout": [(lambda nn: nn.Dropout(0.2), (6, 5)), (lambda nn: nn.Dropout(inplace=True), (6, 5))],
    "Dropout1d": [(lambda nn: nn.Dropout1d(0.2), (6, 5, 3))],
    "Dropout2d": [(lambda nn: nn.Dropout2d(0.2), (6, 5, 3, 2))],
    "Dropout3d": [(lambda nn: nn.Dropout3d(0.2), (4, 5, 3, 2, 2))],
    "Embedding": [(lambda nn: nn.Embedding(6, 3, padding_idx=-1, max_norm=1.0), [[0, 5, 2], [2, 1, 0]])],
    "EmbeddingBag": [
        (lambda nn: nn.EmbeddingBag(6, 3), [[0, 5, 2], [2, 1, 0]]),
        (lambda nn: nn.EmbeddingBag(6, 3, mode="sum", padding_idx=2), [0, 5, 2, 1, 0, 2], [0, 2, 2, 4]),
        (lambda nn: nn.EmbeddingBag(6, 3, mode="max", include_last_offset=True), [0, 5, 2, 1], [0, 2, 4]),
    ],
    "FeatureAlphaDropout": [(lambda nn: nn.FeatureAlphaDropout(0.3), (6, 5, 2))],
    "Flatten": [(lambda nn: nn.Flatten(), (2, 3, 4)), (lambda nn: nn.Flatten(0, 1), (2, 3, 4))],
    "Fold": [(lambda nn: nn.Fold((4, 5), (2, 2), padding=1, stride=2), (2, 12, 9))],
    "GRU": [(lambda nn: nn.GRU(3, 4, 2, batch_first=True, bidirectional=True, dropout=0.3), (2, 5, 3))],
    "Hardsigmoid": [(lambda nn: nn.Hardsigmoid(), (3, 4)), (lambda nn: nn.Hardsigmoid(inplace=True), (3, 4))],
    "Identity": [(lambda nn: nn.Identity(3, any=True), (3, 4))],
    "LSTM": [
        (lambda nn: nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2), (5, 2, 3)),
        (lambda nn: nn.LSTM(3, 4, 3, dropout=0.5, bias=False), (5, 2, 3)),
    ],
    "LazyBatchNorm1d": [(lambda nn: nn.LazyBatchNorm1d(), (4, 3))],
    "LazyBatchNorm2d": [(lambda nn: nn.LazyBatchNorm2d(momentum=0.2), (4, 3, 2, 2))],
    "LazyBatchNorm3d": [(lambda nn: nn.LazyBatchNorm3d(affine=False), (4, 3, 2, 2, 2))],
    "LazyInstanceNorm1d": [(lambda nn: nn.LazyInstanceNorm1d(affine=True), (4, 3, 5))],
    "LazyInstanceNorm2d": [(lambda nn: nn.LazyInstanceNorm2d(track_running_stats=True), (4, 3, 5, 2))],
    "LazyInstanceNorm3d": [(lambda nn: nn.LazyInstanceNorm3d(affine=True), (4, 3, 5, 2, 2))],
    "LazyLinear": [(lambda nn: nn.LazyLinear(3), (4, 5)), (lambda nn: nn.LazyLinear(3, bias=False), (2, 4, 5))],
    "MaxUnpool1d": [(lambda nn: nn.MaxUnpool1d(2), (1, 2, 2), [[[0, 3], [1, 2]]])],
    "MaxUnpool2d": [(lambda nn: nn.MaxUnpool2d(2, stride=2), (1, 1, 2, 2), [[[[0, 2], [9, 15]]]])],
    "MaxUnpool3d": [(lambda nn: nn.MaxUnpool3d(2), (1, 1, 1, 1, 2), [[[[[3, 12]]]]])],
    "ModuleDict": [(lambda nn: nn.ModuleDict({"b": nn.Linear(2, 1), "a": nn.ReLU()}),)],
    "ModuleList": [(lambda nn: nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU()]),)],
    "NLLLoss2d": [(lambda nn: nn.NLLLoss2d(), (1, 3, 2, 2), [[[0, 2], [1, 1]]])],
    "PairwiseDistance": [(lambda nn: nn.PairwiseDistance(keepdim=True), (3, 4), (3, 4))],
    "ParameterDict": [(lambda nn: nn.ParameterDict({"b": weights(nn)[0], "a": weights(nn)[0]}),)],
    "ParameterList": [(lambda nn: nn.ParameterList(weights(nn)),)],
    "PixelShuffle": [(lambda nn: nn.PixelShuffle(2), (2, 8, 3, 3))],
    "PixelUnshuffle": [(lambda nn: nn.PixelUnshuffle(2), (2, 2, 4, 6))],
    "RReLU": [(lambda nn: nn.RReLU(), (6, 5)), (lambda nn: nn.RReLU(0.2, 0.3, inplace=True), (6, 5))],
    "Sequential": [
        (lambda nn: nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Tanh(), nn.Dropout()), nn.Linear(4, 2)), (5, 3)),
    ],
    "SyncBatchNorm": [(lambda nn: nn.SyncBatchNorm(3),)],
    "TransformerDecoder": [
        (
            lambda nn: nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 16), 2, nn.LayerNorm(8)),
            (3, 2, 8),
            (4, 2, 8),
        ),
    ],
    "TripletMarginLoss": [(lambda nn: nn.TripletMarginLoss(swap=True), (3, 4), (3, 4), (3, 4))],
    "TripletMarginWithDistanceLoss": [
        (lambda nn: nn.TripletMarginWithDistanceLoss(margin=0.5), (3, 4), (3, 4), (3, 4)),
        (
            lambda nn: nn.TripletMarginWithDistanceLoss(distance_function=nn.CosineSimilarity()),
            (3, 4),
            (3, 4),
            (3, 4),
        ),
    ],
    "Unflatten": [(lambda nn: nn.Unflatten(1, (2, 3)), (4, 6))],
    "Unfold": [(lambda nn: nn.Unfold((2, 3), padding=1, stride=2), (2, 3, 6, 6))],
    "Upsample": [
        (lambda nn: nn.Upsample(scale_factor=2), (1, 2, 3, 3)),
        (lambda nn: nn.Upsample(size=5, mode="linear"), (1, 2, 3)),
        (lambda nn: nn.Upsample(scale_factor=(1.5, 2.0), mode="bicubic", align_corners=True), (1, 2, 4, 4)),
        (lambda nn: nn.Upsample(size=(2, 3, 4), mode="trilinear"), (1, 2, 3, 3, 3)),
        (lambda nn: nn.Upsample(size=(7, 2), mode="nearest-exact"), (1, 2, 3, 3)),
    ],
    "UpsamplingBilinear2d": [(lambda nn: nn.UpsamplingBilinear2d(scale_factor=2), (1, 2, 3, 3))],
    "UpsamplingNearest2d": [(lambda nn: nn.UpsamplingNearest2d(size=(4, 5)), (1, 2, 3, 3))],
}


def weights(nn: Any) -> list[Any]:
    """Two parameters, drawn in the library's own stream."""
    return [nn.Linear(2, 3).weight, nn.Linear(1, 2).weight]
