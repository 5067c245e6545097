"""Optimizers: one method a file.

Written by tools/stubs from the registry of ops: `make stubs` writes it anew.
"""

from rushlight.optim import lr_scheduler as lr_scheduler
from rushlight.optim import swa_utils as swa_utils
from rushlight.optim.adadelta import Adadelta as Adadelta
from rushlight.optim.adafactor import Adafactor as Adafactor
from rushlight.optim.adagrad import Adagrad as Adagrad
from rushlight.optim.adam import Adam as Adam
from rushlight.optim.adam_tf import AdamTF as AdamTF
from rushlight.optim.adamax import Adamax as Adamax
from rushlight.optim.adamw import AdamW as AdamW
from rushlight.optim.asgd import ASGD as ASGD
from rushlight.optim.lbfgs import LBFGS as LBFGS
from rushlight.optim.muon import Muon as Muon
from rushlight.optim.nadam import NAdam as NAdam
from rushlight.optim.optimizer import Optimizer as Optimizer
from rushlight.optim.radam import RAdam as RAdam
from rushlight.optim.rmsprop import RMSprop as RMSprop
from rushlight.optim.rprop import Rprop as Rprop
from rushlight.optim.sgd import SGD as SGD
from rushlight.optim.sparse_adam import SparseAdam as SparseAdam
from rushlight.optim.swapping import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state

__all__ = [
    "ASGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamTF",
    "AdamW",
    "Adamax",
    "LBFGS",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SGD",
    "SparseAdam",
    "lr_scheduler",
    "swa_utils",
    "swap_in_optimizer_params_and_state",
]
