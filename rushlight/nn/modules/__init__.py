"""The modules, one file a family, under torch's names."""

from rushlight.core.surface.lazy import names_of
from rushlight.nn.modules import (
    activation,
    batchnorm,
    channelshuffle,
    container,
    conv,
    distance,
    dropout,
    flatten,
    fold,
    instancenorm,
    linear,
    loss,
    multihead_attention,
    normalization,
    padding,
    passing,
    pixelshuffle,
    pooling,
    rnn,
    sparse,
    transformer,
    upsampling,
)
from rushlight.nn.modules.activation import *
from rushlight.nn.modules.batchnorm import *
from rushlight.nn.modules.channelshuffle import *
from rushlight.nn.modules.constants import CONSTANTS, name_constants
from rushlight.nn.modules.container import *
from rushlight.nn.modules.conv import *
from rushlight.nn.modules.distance import *
from rushlight.nn.modules.dropout import *
from rushlight.nn.modules.flatten import *
from rushlight.nn.modules.fold import *
from rushlight.nn.modules.instancenorm import *
from rushlight.nn.modules.linear import *
from rushlight.nn.modules.loss import *
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.multihead_attention import *
from rushlight.nn.modules.normalization import *
from rushlight.nn.modules.own_methods import FORWARD, INIT, give_methods
from rushlight.nn.modules.padding import *
from rushlight.nn.modules.pixelshuffle import *
from rushlight.nn.modules.pooling import *
from rushlight.nn.modules.rnn import *
from rushlight.nn.modules.sparse import *
from rushlight.nn.modules.transformer import *
from rushlight.nn.modules.upsampling import *

__all__ = [
    "Module",
    *activation.__all__,
    *batchnorm.__all__,
    *channelshuffle.__all__,
    *container.__all__,
    *conv.__all__,
    *distance.__all__,
    *dropout.__all__,
    *flatten.__all__,
    *fold.__all__,
    *instancenorm.__all__,
    *linear.__all__,
    *loss.__all__,
    *multihead_attention.__all__,
    *normalization.__all__,
    *padding.__all__,
    *pixelshuffle.__all__,
    *pooling.__all__,
    *rnn.__all__,
    *sparse.__all__,
    *transformer.__all__,
    *upsampling.__all__,
]

name_constants({name: globals()[name] for name in CONSTANTS})
give_methods({name: globals()[name] for name in (*INIT, *FORWARD)})

# modules that are loaded when they are first asked for
LATE = {
    "AdaptiveLogSoftmaxWithLoss": "nn.modules.adaptive",
    "CTCLoss": "nn.modules.ctc",
    "DataParallel": "nn.parallel",
    **{f"LazyBatchNorm{dims}d": "nn.modules.lazy_norm" for dims in (1, 2, 3)},
    **{f"LazyConv{dims}d": "nn.modules.lazy_conv" for dims in (1, 2, 3)},
    **{f"LazyConvTranspose{dims}d": "nn.modules.lazy_conv" for dims in (1, 2, 3)},
    **{f"LazyInstanceNorm{dims}d": "nn.modules.lazy_norm" for dims in (1, 2, 3)},
    "LazyLinear": "nn.modules.lazy",
    "LinearCrossEntropyLoss": "nn.modules.linear_cross_entropy",
    "LinearCrossEntropyOptions": "nn.modules.linear_cross_entropy_options",
    "NLLLoss2d": "nn.modules.ctc",
}
__all__ += [*LATE]
__getattr__ = names_of("rushlight.nn.modules", ("lazy",), LATE)
