"""torch._C._distributed_rpc: names of remote calls, there to be asked whether an object is one of them."""

from rushlight.core.surface.refusals import names_refused

WHY = "remote procedure calls are left out; torch.multiprocessing and torch.distributed send tensors"
NAMES = {name: () for name in ("PyRRef", "RpcAgent", "RpcBackendOptions", "TensorPipeAgent", "WorkerInfo")}
__all__ = [*NAMES]

__getattr__ = names_refused("rushlight._C._distributed_rpc", NAMES, WHY)
