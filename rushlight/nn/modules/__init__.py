"""The modules, one file a family, under torch's names."""

from rushlight.nn.modules.activation import *
from rushlight.nn.modules.container import *
from rushlight.nn.modules.linear import *
from rushlight.nn.modules.module import Module
