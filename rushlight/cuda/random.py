"""torch.cuda.random: random numbers on GPUs, of which there are none."""

from rushlight import cuda

NAMES = """
get_rng_state get_rng_state_all initial_seed manual_seed manual_seed_all seed seed_all set_rng_state
set_rng_state_all
"""
__all__ = [*NAMES.split()]

globals().update({name: getattr(cuda, name) for name in __all__})
