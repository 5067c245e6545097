"""Optimizers: one method a file."""

from rushlight.core.surface.lazy import names_of as _names_of
from rushlight.optim.adagrad import Adagrad
from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.rmsprop import RMSprop
from rushlight.optim.sgd import SGD

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
    "lr_scheduler",
    "swa_utils",
    "swap_in_optimizer_params_and_state",
]

# methods that few programs use are loaded when they are asked for
__getattr__ = _names_of(
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
