"""torch.utils.deterministic: a flag about fresh memory, which may be set and read."""

fill_uninitialized_memory = True
