"""torch.cuda.amp.common: whether mixed precision could be of use on a GPU."""

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """True: there is no GPU."""
    return True
