"""Optimizers: one method a file."""

from rushlight.core.lazy import names_of
from rushlight.native import core
from rushlight.optim.adagrad import Adagrad
from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer, _global_optimizer_post_hooks, _global_optimizer_pre_hooks
from rushlight.optim.rmsprop import RMSprop
from rushlight.optim.sgd import SGD

if core is not None:
    core.connect_optimizers(
        (SGD.step_for, Adam.step_for, RMSprop.step_for, Adagrad.step_for),
        (_global_optimizer_pre_hooks, _global_optimizer_post_hooks),
    )

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop"]

__getattr__ = names_of("rushlight.optim", lazy=("lr_scheduler", "swa_utils"))
