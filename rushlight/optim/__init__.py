"""Optimizers: one method a file."""

from typing import TYPE_CHECKING

from rushlight.core.lazy import names_of
from rushlight.optim.adagrad import Adagrad
from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.rmsprop import RMSprop
from rushlight.optim.sgd import SGD

if TYPE_CHECKING:
    from rushlight.optim.adadelta import Adadelta
    from rushlight.optim.adafactor import Adafactor
    from rushlight.optim.adam_tf import AdamTF
    from rushlight.optim.adamax import Adamax
    from rushlight.optim.asgd import ASGD
    from rushlight.optim.lbfgs import LBFGS
    from rushlight.optim.muon import Muon
    from rushlight.optim.nadam import NAdam
    from rushlight.optim.radam import RAdam
    from rushlight.optim.rprop import Rprop
    from rushlight.optim.sparse_adam import SparseAdam
    from rushlight.optim.swapping import swap_in_optimizer_params_and_state

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adafactor",
    "Adagrad",
    "Adam",
    "AdamTF",
    "AdamW",
    "Adamax",
    "Muon",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSprop",
    "Rprop",
    "SparseAdam",
    "swap_in_optimizer_params_and_state",
]

# methods that few programs use are loaded when they are asked for
__getattr__ = names_of(
    "rushlight.optim",
    lazy=("lr_scheduler", "swa_utils"),
    elsewhere={
        "ASGD": "optim.asgd",
        "Adadelta": "optim.adadelta",
        "Adafactor": "optim.adafactor",
        "AdamTF": "optim.adam_tf",
        "Adamax": "optim.adamax",
        "LBFGS": "optim.lbfgs",
        "Muon": "optim.muon",
        "NAdam": "optim.nadam",
        "RAdam": "optim.radam",
        "Rprop": "optim.rprop",
        "SparseAdam": "optim.sparse_adam",
        "swap_in_optimizer_params_and_state": "optim.swapping",
    },
)
