"""Neural networks: modules with parameters, their functions and their initialisers.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from rushlight.nn import attention as attention
from rushlight.nn import common_types as common_types
from rushlight.nn import functional as functional
from rushlight.nn import grad as grad
from rushlight.nn import init as init
from rushlight.nn import intrinsic as intrinsic
from rushlight.nn import modules as modules
from rushlight.nn import parallel as parallel
from rushlight.nn import parameter as parameter
from rushlight.nn import qat as qat
from rushlight.nn import quantizable as quantizable
from rushlight.nn import quantized as quantized
from rushlight.nn import utils as utils
from rushlight.nn.factory import factory_kwargs as factory_kwargs
from rushlight.nn.modules.activation import CELU as CELU
from rushlight.nn.modules.activation import ELU as ELU
from rushlight.nn.modules.activation import GELU as GELU
from rushlight.nn.modules.activation import GLU as GLU
from rushlight.nn.modules.activation import SELU as SELU
from rushlight.nn.modules.activation import Hardshrink as Hardshrink
from rushlight.nn.modules.activation import Hardsigmoid as Hardsigmoid
from rushlight.nn.modules.activation import Hardswish as Hardswish
from rushlight.nn.modules.activation import Hardtanh as Hardtanh
from rushlight.nn.modules.activation import LeakyReLU as LeakyReLU
from rushlight.nn.modules.activation import LogSigmoid as LogSigmoid
from rushlight.nn.modules.activation import LogSoftmax as LogSoftmax
from rushlight.nn.modules.activation import Mish as Mish
from rushlight.nn.modules.activation import PReLU as PReLU
from rushlight.nn.modules.activation import ReLU as ReLU
from rushlight.nn.modules.activation import ReLU6 as ReLU6
from rushlight.nn.modules.activation import RReLU as RReLU
from rushlight.nn.modules.activation import Sigmoid as Sigmoid
from rushlight.nn.modules.activation import SiLU as SiLU
from rushlight.nn.modules.activation import Softmax as Softmax
from rushlight.nn.modules.activation import Softmax2d as Softmax2d
from rushlight.nn.modules.activation import Softmin as Softmin
from rushlight.nn.modules.activation import Softplus as Softplus
from rushlight.nn.modules.activation import Softshrink as Softshrink
from rushlight.nn.modules.activation import Softsign as Softsign
from rushlight.nn.modules.activation import Tanh as Tanh
from rushlight.nn.modules.activation import Tanhshrink as Tanhshrink
from rushlight.nn.modules.activation import Threshold as Threshold
from rushlight.nn.modules.adaptive import AdaptiveLogSoftmaxWithLoss as AdaptiveLogSoftmaxWithLoss
from rushlight.nn.modules.batchnorm import BatchNorm1d as BatchNorm1d
from rushlight.nn.modules.batchnorm import BatchNorm2d as BatchNorm2d
from rushlight.nn.modules.batchnorm import BatchNorm3d as BatchNorm3d
from rushlight.nn.modules.batchnorm import SyncBatchNorm as SyncBatchNorm
from rushlight.nn.modules.channelshuffle import ChannelShuffle as ChannelShuffle
from rushlight.nn.modules.container import Container as Container
from rushlight.nn.modules.container import ModuleDict as ModuleDict
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.container import Sequential as Sequential
from rushlight.nn.modules.conv import Conv1d as Conv1d
from rushlight.nn.modules.conv import Conv2d as Conv2d
from rushlight.nn.modules.conv import Conv3d as Conv3d
from rushlight.nn.modules.conv import ConvTranspose1d as ConvTranspose1d
from rushlight.nn.modules.conv import ConvTranspose2d as ConvTranspose2d
from rushlight.nn.modules.conv import ConvTranspose3d as ConvTranspose3d
from rushlight.nn.modules.ctc import CTCLoss as CTCLoss
from rushlight.nn.modules.ctc import NLLLoss2d as NLLLoss2d
from rushlight.nn.modules.distance import CosineSimilarity as CosineSimilarity
from rushlight.nn.modules.distance import PairwiseDistance as PairwiseDistance
from rushlight.nn.modules.dropout import AlphaDropout as AlphaDropout
from rushlight.nn.modules.dropout import Dropout as Dropout
from rushlight.nn.modules.dropout import Dropout1d as Dropout1d
from rushlight.nn.modules.dropout import Dropout2d as Dropout2d
from rushlight.nn.modules.dropout import Dropout3d as Dropout3d
from rushlight.nn.modules.dropout import FeatureAlphaDropout as FeatureAlphaDropout
from rushlight.nn.modules.flatten import Flatten as Flatten
from rushlight.nn.modules.flatten import Unflatten as Unflatten
from rushlight.nn.modules.fold import Fold as Fold
from rushlight.nn.modules.fold import Unfold as Unfold
from rushlight.nn.modules.instancenorm import InstanceNorm1d as InstanceNorm1d
from rushlight.nn.modules.instancenorm import InstanceNorm2d as InstanceNorm2d
from rushlight.nn.modules.instancenorm import InstanceNorm3d as InstanceNorm3d
from rushlight.nn.modules.lazy import LazyLinear as LazyLinear
from rushlight.nn.modules.lazy_conv import LazyConv1d as LazyConv1d
from rushlight.nn.modules.lazy_conv import LazyConv2d as LazyConv2d
from rushlight.nn.modules.lazy_conv import LazyConv3d as LazyConv3d
from rushlight.nn.modules.lazy_conv import LazyConvTranspose1d as LazyConvTranspose1d
from rushlight.nn.modules.lazy_conv import LazyConvTranspose2d as LazyConvTranspose2d
from rushlight.nn.modules.lazy_conv import LazyConvTranspose3d as LazyConvTranspose3d
from rushlight.nn.modules.lazy_norm import LazyBatchNorm1d as LazyBatchNorm1d
from rushlight.nn.modules.lazy_norm import LazyBatchNorm2d as LazyBatchNorm2d
from rushlight.nn.modules.lazy_norm import LazyBatchNorm3d as LazyBatchNorm3d
from rushlight.nn.modules.lazy_norm import LazyInstanceNorm1d as LazyInstanceNorm1d
from rushlight.nn.modules.lazy_norm import LazyInstanceNorm2d as LazyInstanceNorm2d
from rushlight.nn.modules.lazy_norm import LazyInstanceNorm3d as LazyInstanceNorm3d
from rushlight.nn.modules.linear import Bilinear as Bilinear
from rushlight.nn.modules.linear import Identity as Identity
from rushlight.nn.modules.linear import Linear as Linear
from rushlight.nn.modules.linear_cross_entropy import LinearCrossEntropyLoss as LinearCrossEntropyLoss
from rushlight.nn.modules.linear_cross_entropy_options import LinearCrossEntropyOptions as LinearCrossEntropyOptions
from rushlight.nn.modules.loss import BCELoss as BCELoss
from rushlight.nn.modules.loss import BCEWithLogitsLoss as BCEWithLogitsLoss
from rushlight.nn.modules.loss import CosineEmbeddingLoss as CosineEmbeddingLoss
from rushlight.nn.modules.loss import CrossEntropyLoss as CrossEntropyLoss
from rushlight.nn.modules.loss import GaussianNLLLoss as GaussianNLLLoss
from rushlight.nn.modules.loss import HingeEmbeddingLoss as HingeEmbeddingLoss
from rushlight.nn.modules.loss import HuberLoss as HuberLoss
from rushlight.nn.modules.loss import KLDivLoss as KLDivLoss
from rushlight.nn.modules.loss import L1Loss as L1Loss
from rushlight.nn.modules.loss import MarginRankingLoss as MarginRankingLoss
from rushlight.nn.modules.loss import MSELoss as MSELoss
from rushlight.nn.modules.loss import MultiLabelMarginLoss as MultiLabelMarginLoss
from rushlight.nn.modules.loss import MultiLabelSoftMarginLoss as MultiLabelSoftMarginLoss
from rushlight.nn.modules.loss import MultiMarginLoss as MultiMarginLoss
from rushlight.nn.modules.loss import NLLLoss as NLLLoss
from rushlight.nn.modules.loss import PoissonNLLLoss as PoissonNLLLoss
from rushlight.nn.modules.loss import SmoothL1Loss as SmoothL1Loss
from rushlight.nn.modules.loss import SoftMarginLoss as SoftMarginLoss
from rushlight.nn.modules.loss import TripletMarginLoss as TripletMarginLoss
from rushlight.nn.modules.loss import TripletMarginWithDistanceLoss as TripletMarginWithDistanceLoss
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.modules.multihead_attention import MultiheadAttention as MultiheadAttention
from rushlight.nn.modules.normalization import CrossMapLRN2d as CrossMapLRN2d
from rushlight.nn.modules.normalization import GroupNorm as GroupNorm
from rushlight.nn.modules.normalization import LayerNorm as LayerNorm
from rushlight.nn.modules.normalization import LocalResponseNorm as LocalResponseNorm
from rushlight.nn.modules.normalization import RMSNorm as RMSNorm
from rushlight.nn.modules.padding import CircularPad1d as CircularPad1d
from rushlight.nn.modules.padding import CircularPad2d as CircularPad2d
from rushlight.nn.modules.padding import CircularPad3d as CircularPad3d
from rushlight.nn.modules.padding import ConstantPad1d as ConstantPad1d
from rushlight.nn.modules.padding import ConstantPad2d as ConstantPad2d
from rushlight.nn.modules.padding import ConstantPad3d as ConstantPad3d
from rushlight.nn.modules.padding import ReflectionPad1d as ReflectionPad1d
from rushlight.nn.modules.padding import ReflectionPad2d as ReflectionPad2d
from rushlight.nn.modules.padding import ReflectionPad3d as ReflectionPad3d
from rushlight.nn.modules.padding import ReplicationPad1d as ReplicationPad1d
from rushlight.nn.modules.padding import ReplicationPad2d as ReplicationPad2d
from rushlight.nn.modules.padding import ReplicationPad3d as ReplicationPad3d
from rushlight.nn.modules.padding import ZeroPad1d as ZeroPad1d
from rushlight.nn.modules.padding import ZeroPad2d as ZeroPad2d
from rushlight.nn.modules.padding import ZeroPad3d as ZeroPad3d
from rushlight.nn.modules.parameter_containers import ParameterDict as ParameterDict
from rushlight.nn.modules.parameter_containers import ParameterList as ParameterList
from rushlight.nn.modules.pixelshuffle import PixelShuffle as PixelShuffle
from rushlight.nn.modules.pixelshuffle import PixelUnshuffle as PixelUnshuffle
from rushlight.nn.modules.pooling import AdaptiveAvgPool1d as AdaptiveAvgPool1d
from rushlight.nn.modules.pooling import AdaptiveAvgPool2d as AdaptiveAvgPool2d
from rushlight.nn.modules.pooling import AdaptiveAvgPool3d as AdaptiveAvgPool3d
from rushlight.nn.modules.pooling import AdaptiveMaxPool1d as AdaptiveMaxPool1d
from rushlight.nn.modules.pooling import AdaptiveMaxPool2d as AdaptiveMaxPool2d
from rushlight.nn.modules.pooling import AdaptiveMaxPool3d as AdaptiveMaxPool3d
from rushlight.nn.modules.pooling import AvgPool1d as AvgPool1d
from rushlight.nn.modules.pooling import AvgPool2d as AvgPool2d
from rushlight.nn.modules.pooling import AvgPool3d as AvgPool3d
from rushlight.nn.modules.pooling import FractionalMaxPool2d as FractionalMaxPool2d
from rushlight.nn.modules.pooling import FractionalMaxPool3d as FractionalMaxPool3d
from rushlight.nn.modules.pooling import LPPool1d as LPPool1d
from rushlight.nn.modules.pooling import LPPool2d as LPPool2d
from rushlight.nn.modules.pooling import LPPool3d as LPPool3d
from rushlight.nn.modules.pooling import MaxPool1d as MaxPool1d
from rushlight.nn.modules.pooling import MaxPool2d as MaxPool2d
from rushlight.nn.modules.pooling import MaxPool3d as MaxPool3d
from rushlight.nn.modules.pooling import MaxUnpool1d as MaxUnpool1d
from rushlight.nn.modules.pooling import MaxUnpool2d as MaxUnpool2d
from rushlight.nn.modules.pooling import MaxUnpool3d as MaxUnpool3d
from rushlight.nn.modules.rnn import GRU as GRU
from rushlight.nn.modules.rnn import LSTM as LSTM
from rushlight.nn.modules.rnn import RNN as RNN
from rushlight.nn.modules.rnn import RNNBase as RNNBase
from rushlight.nn.modules.rnn_cells import GRUCell as GRUCell
from rushlight.nn.modules.rnn_cells import LSTMCell as LSTMCell
from rushlight.nn.modules.rnn_cells import RNNCell as RNNCell
from rushlight.nn.modules.rnn_cells import RNNCellBase as RNNCellBase
from rushlight.nn.modules.sparse import Embedding as Embedding
from rushlight.nn.modules.sparse import EmbeddingBag as EmbeddingBag
from rushlight.nn.modules.transformer import Transformer as Transformer
from rushlight.nn.modules.transformer import TransformerDecoder as TransformerDecoder
from rushlight.nn.modules.transformer import TransformerDecoderLayer as TransformerDecoderLayer
from rushlight.nn.modules.transformer import TransformerEncoder as TransformerEncoder
from rushlight.nn.modules.transformer import TransformerEncoderLayer as TransformerEncoderLayer
from rushlight.nn.modules.upsampling import Upsample as Upsample
from rushlight.nn.modules.upsampling import UpsamplingBilinear2d as UpsamplingBilinear2d
from rushlight.nn.modules.upsampling import UpsamplingNearest2d as UpsamplingNearest2d
from rushlight.nn.parallel.data_parallel import DataParallel as DataParallel
from rushlight.nn.parameter import Buffer as Buffer
from rushlight.nn.parameter import Parameter as Parameter
from rushlight.nn.parameter import UninitializedBuffer as UninitializedBuffer
from rushlight.nn.parameter import UninitializedParameter as UninitializedParameter

__all__ = [
    "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "AdaptiveLogSoftmaxWithLoss",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AlphaDropout",
    "AvgPool1d",
    "AvgPool2d",
    "AvgPool3d",
    "BCELoss",
    "BCEWithLogitsLoss",
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "Bilinear",
    "Buffer",
    "CELU",
    "CTCLoss",
    "ChannelShuffle",
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "Container",
    "Conv1d",
    "Conv2d",
    "Conv3d",
    "ConvTranspose1d",
    "ConvTranspose2d",
    "ConvTranspose3d",
    "CosineEmbeddingLoss",
    "CosineSimilarity",
    "CrossEntropyLoss",
    "CrossMapLRN2d",
    "DataParallel",
    "Dropout",
    "Dropout1d",
    "Dropout2d",
    "Dropout3d",
    "ELU",
    "Embedding",
    "EmbeddingBag",
    "FeatureAlphaDropout",
    "Flatten",
    "Fold",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "GELU",
    "GLU",
    "GRU",
    "GRUCell",
    "GaussianNLLLoss",
    "GroupNorm",
    "Hardshrink",
    "Hardsigmoid",
    "Hardswish",
    "Hardtanh",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "Identity",
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "KLDivLoss",
    "L1Loss",
    "LPPool1d",
    "LPPool2d",
    "LPPool3d",
    "LSTM",
    "LSTMCell",
    "LayerNorm",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "LazyConv1d",
    "LazyConv2d",
    "LazyConv3d",
    "LazyConvTranspose1d",
    "LazyConvTranspose2d",
    "LazyConvTranspose3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "LazyLinear",
    "LeakyReLU",
    "Linear",
    "LinearCrossEntropyLoss",
    "LinearCrossEntropyOptions",
    "LocalResponseNorm",
    "LogSigmoid",
    "LogSoftmax",
    "MSELoss",
    "MarginRankingLoss",
    "MaxPool1d",
    "MaxPool2d",
    "MaxPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "Mish",
    "Module",
    "ModuleDict",
    "ModuleList",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "MultiheadAttention",
    "NLLLoss",
    "NLLLoss2d",
    "PReLU",
    "PairwiseDistance",
    "Parameter",
    "ParameterDict",
    "ParameterList",
    "PixelShuffle",
    "PixelUnshuffle",
    "PoissonNLLLoss",
    "RMSNorm",
    "RNN",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "RReLU",
    "ReLU",
    "ReLU6",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "SELU",
    "Sequential",
    "SiLU",
    "Sigmoid",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "Softmax",
    "Softmax2d",
    "Softmin",
    "Softplus",
    "Softshrink",
    "Softsign",
    "SyncBatchNorm",
    "Tanh",
    "Tanhshrink",
    "Threshold",
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
    "Unflatten",
    "Unfold",
    "UninitializedBuffer",
    "UninitializedParameter",
    "Upsample",
    "UpsamplingBilinear2d",
    "UpsamplingNearest2d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
    "attention",
    "common_types",
    "factory_kwargs",
    "functional",
    "grad",
    "init",
    "intrinsic",
    "modules",
    "parallel",
    "parameter",
    "qat",
    "quantizable",
    "quantized",
    "utils",
]
