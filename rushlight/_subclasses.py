"""torch._subclasses: tensors that stand for others while a program is captured, of which there are none."""

import sys
from typing import Any

from rushlight.core.surface.refusals import make_modules, names_refused, table

WHY = "programs are not captured with tensors that only pretend; use the tensor itself"
NAMES = table(
    """
    : CrossRefFakeMode DynamicOutputShapeException FakeTensor FakeTensorMode UnsupportedFakeTensorException
    fake_tensor: FakeTensor FakeTensorConverter FakeTensorMode unset_fake_temporarily
    functional_tensor: FunctionalTensor FunctionalTensorMode mb_unwrap_functional_tensor
    meta_utils: MetaConverter
    """
)
__all__ = [*NAMES[""]]


def is_fake(x: Any) -> bool:
    """Whether a tensor only pretends to have elements: no."""
    return False


def maybe_get_fake_mode(t: Any) -> None:
    """The mode that a pretended tensor belongs to: none."""


__getattr__ = names_refused("rushlight._subclasses", NAMES[""], WHY)
make_modules("rushlight._subclasses", {place: names for place, names in NAMES.items() if place}, WHY)
vars(sys.modules["rushlight._subclasses.fake_tensor"]).update(is_fake=is_fake, maybe_get_fake_mode=maybe_get_fake_mode)
