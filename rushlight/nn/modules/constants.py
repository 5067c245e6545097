"""Constants: the options of each class that torch lists for its compiler; other people's classes add theirs."""

from __future__ import annotations

from types import ModuleType

# by file and class; those derived from one have its list
CONSTANTS = {
    "activation": {
        "Threshold": "threshold value inplace",
        "ReLU": "inplace",
        "RReLU": "lower upper inplace",
        "Hardtanh": "min_val max_val inplace",
        "Hardsigmoid": "inplace",
        "SiLU": "inplace",
        "Mish": "inplace",
        "Hardswish": "inplace",
        "ELU": "alpha inplace",
        "CELU": "alpha inplace",
        "SELU": "inplace",
        "GLU": "dim",
        "GELU": "approximate",
        "Hardshrink": "lambd",
        "LeakyReLU": "inplace negative_slope",
        "Softplus": "beta threshold",
        "Softshrink": "lambd",
        "MultiheadAttention": "batch_first",
        "PReLU": "num_parameters",
        "Softmin": "dim",
        "Softmax": "dim",
        "LogSoftmax": "dim",
    },
    "batchnorm": {
        "_NormBase": "track_running_stats momentum eps num_features affine",
    },
    "channelshuffle": {
        "ChannelShuffle": "groups",
    },
    "conv": {
        "_ConvNd": "stride padding dilation groups padding_mode output_padding in_channels out_channels kernel_size",
    },
    "distance": {
        "PairwiseDistance": "norm eps keepdim",
        "CosineSimilarity": "dim eps",
    },
    "dropout": {
        "_DropoutNd": "p inplace",
    },
    "flatten": {
        "Flatten": "start_dim end_dim",
        "Unflatten": "dim unflattened_size",
    },
    "fold": {
        "Fold": "output_size kernel_size dilation padding stride",
        "Unfold": "kernel_size dilation padding stride",
    },
    "linear": {
        "Linear": "in_features out_features",
        "Bilinear": "in1_features in2_features out_features",
    },
    "loss": {
        "L1Loss": "reduction",
        "NLLLoss": "ignore_index reduction",
        "PoissonNLLLoss": "log_input full eps reduction",
        "GaussianNLLLoss": "full eps reduction",
        "KLDivLoss": "reduction",
        "MSELoss": "reduction",
        "BCELoss": "reduction",
        "HingeEmbeddingLoss": "margin reduction",
        "MultiLabelMarginLoss": "reduction",
        "SmoothL1Loss": "reduction",
        "HuberLoss": "reduction delta",
        "SoftMarginLoss": "reduction",
        "CrossEntropyLoss": "ignore_index reduction label_smoothing",
        "MultiLabelSoftMarginLoss": "reduction",
        "CosineEmbeddingLoss": "margin reduction",
        "MarginRankingLoss": "margin reduction",
        "MultiMarginLoss": "p margin reduction",
        "TripletMarginLoss": "margin p eps swap reduction",
        "TripletMarginWithDistanceLoss": "margin swap reduction",
    },
    "normalization": {
        "LocalResponseNorm": "size alpha beta k",
        "LayerNorm": "normalized_shape eps elementwise_affine",
        "GroupNorm": "num_groups num_channels eps affine",
        "RMSNorm": "normalized_shape eps elementwise_affine",
    },
    "padding": {
        "_CircularPadNd": "padding",
        "_ConstantPadNd": "padding value",
        "ConstantPad2d": "padding value",
        "_ReflectionPadNd": "padding",
        "_ReplicationPadNd": "padding",
    },
    "pixelshuffle": {
        "PixelShuffle": "upscale_factor",
        "PixelUnshuffle": "downscale_factor",
    },
    "pooling": {
        "_MaxPoolNd": "kernel_size stride padding dilation return_indices ceil_mode",
        "_AvgPoolNd": "kernel_size stride padding ceil_mode count_include_pad",
        "AvgPool2d": "kernel_size stride padding ceil_mode count_include_pad divisor_override",
        "AvgPool3d": "kernel_size stride padding ceil_mode count_include_pad divisor_override",
        "FractionalMaxPool2d": "kernel_size return_indices output_size output_ratio",
        "FractionalMaxPool3d": "kernel_size return_indices output_size output_ratio",
        "_LPPoolNd": "norm_type kernel_size stride ceil_mode",
        "_AdaptiveMaxPoolNd": "output_size return_indices",
        "_AdaptiveAvgPoolNd": "output_size",
    },
    "rnn": {
        "RNNBase": "mode input_size hidden_size num_layers bias batch_first dropout bidirectional proj_size",
        "RNNCellBase": "input_size hidden_size bias",
        "RNNCell": "input_size hidden_size bias nonlinearity",
    },
    "sparse": {
        "Embedding": "num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq sparse",
        "EmbeddingBag": "num_embeddings embedding_dim max_norm norm_type scale_grad_by_freq mode "
        "sparse include_last_offset padding_idx",
    },
    "transformer": {
        "TransformerEncoder": "norm",
        "TransformerDecoder": "norm",
        "TransformerEncoderLayer": "norm_first",
        "TransformerDecoderLayer": "norm_first",
    },
    "upsampling": {
        "Upsample": "size scale_factor mode align_corners name recompute_scale_factor",
    },
}


def name_constants(files: dict[str, ModuleType]) -> None:
    """Give the classes of these files their `__constants__`."""
    for name, classes in CONSTANTS.items():
        for kind, words in classes.items():
            getattr(files[name], kind).__constants__ = words.split()
