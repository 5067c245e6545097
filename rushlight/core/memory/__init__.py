"""The memory under tensors: storages, strides, layouts, and whether there is enough of it."""
