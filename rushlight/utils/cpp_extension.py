"""torch.utils.cpp_extension: operations in C++ for PyTorch, which cannot be built here."""

from rushlight.core.surface.refusals import names_refused, table

WHY = "extensions in C++ for PyTorch cannot be loaded; write the operation in Python, as an autograd.Function"
CUDA_HOME = ROCM_HOME = None
NAMES = table(
    """
    : BuildExtension CppExtension CUDAExtension SyclExtension check_compiler_ok_for_platform get_cxx_compiler
    get_default_build_root include_paths library_paths load load_inline verify_ninja_availability
    """
)[""]
__all__ = [*NAMES]
__getattr__ = names_refused("rushlight.utils.cpp_extension", NAMES, WHY)
