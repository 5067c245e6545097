"""The doctor: why a network does not learn."""

from rushlight.doctor.finding import Finding as Finding
from rushlight.doctor.watch import Watch as Watch
from rushlight.doctor.watch import watch as watch
from rushlight.doctor.watch import watched as watched

__all__ = ["Finding", "Watch", "watch", "watched"]
