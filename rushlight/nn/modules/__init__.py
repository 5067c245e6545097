"""The modules, one file a family, under torch's names."""

from rushlight.nn.modules.activation import *
from rushlight.nn.modules.container import *
from rushlight.nn.modules.distance import *
from rushlight.nn.modules.dropout import *
from rushlight.nn.modules.flatten import *
from rushlight.nn.modules.linear import *
from rushlight.nn.modules.loss import *
from rushlight.nn.modules.module import Module
from rushlight.nn.modules.normalization import *
from rushlight.nn.modules.sparse import *
