"""Transforms: functions with their inverses, from which distributions are made of others."""

from rushlight.distributions.nested_transforms import (
    CatTransform,
    ComposeTransform,
    CumulativeDistributionTransform,
    IndependentTransform,
    ReshapeTransform,
    StackTransform,
    identity_transform,
)
from rushlight.distributions.number_transforms import (
    AbsTransform,
    AffineTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from rushlight.distributions.number_transforms import clipped_sigmoid as _clipped_sigmoid  # noqa: F401
from rushlight.distributions.soft_transforms import (
    SoftclipTransform,
    SoftlowerTransform,
    SoftsignTransform,
    SoftupperTransform,
    SquashTransform,
)
from rushlight.distributions.transform import Transform
from rushlight.distributions.transform import _InverseTransform as _InverseTransform
from rushlight.distributions.vector_transforms import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)

__all__ = [
    "AbsTransform",
    "AffineTransform",
    "CatTransform",
    "ComposeTransform",
    "CorrCholeskyTransform",
    "CumulativeDistributionTransform",
    "ExpTransform",
    "IndependentTransform",
    "LowerCholeskyTransform",
    "PositiveDefiniteTransform",
    "PowerTransform",
    "ReshapeTransform",
    "SigmoidTransform",
    "SoftclipTransform",
    "SoftlowerTransform",
    "SoftmaxTransform",
    "SoftplusTransform",
    "SoftsignTransform",
    "SoftupperTransform",
    "SquashTransform",
    "StackTransform",
    "StickBreakingTransform",
    "TanhTransform",
    "Transform",
    "identity_transform",
]
