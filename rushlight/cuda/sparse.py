"""torch.cuda.sparse: types of sparse tensors on GPUs, of which there are none."""

__all__: list[str] = []
