"""Schedules of learning rates: one family a file."""

from rushlight.optim.lr_scheduler.base import LRScheduler, _LRScheduler
from rushlight.optim.lr_scheduler.combined import ChainedScheduler, SequentialLR
from rushlight.optim.lr_scheduler.cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from rushlight.optim.lr_scheduler.cyclic import CyclicLR
from rushlight.optim.lr_scheduler.decays import ExponentialLR, MultiStepLR, PolynomialLR, StepLR
from rushlight.optim.lr_scheduler.lambdas import LambdaLR, MultiplicativeLR
from rushlight.optim.lr_scheduler.one_cycle import OneCycleLR
from rushlight.optim.lr_scheduler.order import EPOCH_DEPRECATION_WARNING
from rushlight.optim.lr_scheduler.plateau import ReduceLROnPlateau
from rushlight.optim.lr_scheduler.warmups import ConstantLR, LinearLR

__all__ = [
    "LambdaLR",
    "MultiplicativeLR",
    "StepLR",
    "MultiStepLR",
    "ConstantLR",
    "LinearLR",
    "ExponentialLR",
    "SequentialLR",
    "CosineAnnealingLR",
    "ChainedScheduler",
    "ReduceLROnPlateau",
    "CyclicLR",
    "CosineAnnealingWarmRestarts",
    "OneCycleLR",
    "PolynomialLR",
    "LRScheduler",
]
