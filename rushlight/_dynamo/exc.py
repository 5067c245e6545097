"""Errors of torch's compiler: programs name them in `except`."""

from rushlight.compiler.entry import InvalidBackend

__all__ = ["BackendCompilerFailed", "InternalTorchDynamoError", "InvalidBackend", "TorchDynamoException", "Unsupported"]


class TorchDynamoException(RuntimeError):
    """Any of them."""


class InternalTorchDynamoError(TorchDynamoException):
    """A fault of the compiler."""


class Unsupported(TorchDynamoException):
    """Something that cannot be compiled."""


class UserError(Unsupported):
    """A fault of the program."""


class TorchRuntimeError(TorchDynamoException):
    """An error of the program while it was compiled."""


class BackendCompilerFailed(TorchDynamoException):
    """A fault of a backend."""


class ResetRequired(TorchDynamoException):
    """`reset()` was not called between two backends."""


class RecompileError(TorchDynamoException):
    """A function would be compiled once more."""


class FailOnRecompileLimitHit(TorchDynamoException):
    """A function was compiled too often."""


class TensorifyScalarRestartAnalysis(TorchDynamoException):
    """The compiler would begin once more."""
