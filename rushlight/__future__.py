"""How a module is converted to another dtype: by new data, by new parameters, or by tensors that change places."""

_overwrite_module_params_on_conversion: bool = False
_swap_module_params_on_conversion: bool = False


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether `module.to(...)` puts new parameters in place of the old ones, which then keep their dtype."""
    global _overwrite_module_params_on_conversion
    _overwrite_module_params_on_conversion = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether `module.to(...)` puts new parameters in place of the old ones."""
    return _overwrite_module_params_on_conversion


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether `module.to(...)` and `load_state_dict` swap the parameters with the new tensors: see `swap_tensors`."""
    global _swap_module_params_on_conversion
    _swap_module_params_on_conversion = value


def get_swap_module_params_on_conversion() -> bool:
    """Whether `module.to(...)` and `load_state_dict` swap the parameters with the new tensors."""
    return _swap_module_params_on_conversion
