"""Optimizers: one method a file."""

from rushlight.core.lazy import names_of
from rushlight.optim.adagrad import Adagrad
from rushlight.optim.adam import Adam
from rushlight.optim.adamw import AdamW
from rushlight.optim.optimizer import Optimizer
from rushlight.optim.rmsprop import RMSprop
from rushlight.optim.sgd import SGD

__all__ = ["SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop"]

__getattr__ = names_of("rushlight.optim")
