"""What is absent: names of torch that Rushlight leaves out on purpose, with the reason and what to do instead.

The one table: errors for these names are made from it, and docs/coverage.md lists it. Names are written without
`torch.`; a star stands for any letters, dots among them. A name that is implemented after all is never looked up here.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

# (why, what to do instead, names)
LEFT_OUT = (
    (
        "it is for devices other than the CPU",
        "write device='cpu', or ask torch.cuda.is_available() first",
        """cuda.* mps.* xpu.* mtia.* accelerator.* backends.* cudnn_* miopen_* mkldnn_*
        is_distributed Tensor.is_distributed Tensor.record_stream Tensor.xpu
        Tensor.ipu Tensor.mtia nn.Module.ipu nn.Module.mtia nn.Module.xpu Tensor.to_mkldnn batch_norm_backward_*
        batch_norm_elemt batch_norm_gather_stats* batch_norm_stats cudnn_is_acceptable
        profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 nn.attention.* utils.*privateuse1*
        """,
    ),
    (
        "sparse layouts are left out",
        "keep the tensor dense; scatter_add_ and index_add_ add up values at indices",
        """sparse.* sparse_* hsmm hspmm saddmm smm spmm dsmm sspaddmm *_indices_copy indices_copy values_copy
        resize_as_sparse_ Tensor.to_sparse* Tensor.sparse_* Tensor.coalesce Tensor.is_coalesced Tensor.indices
        Tensor.values Tensor.*_indices Tensor.resize_as_sparse_ Tensor.smm Tensor.sspaddmm""",
    ),
    (
        "quantization is left out",
        "compute in float32, or keep memory small with float16 and bfloat16",
        """ao.* quantize_* quantized_* fake_quantize_* dequantize Tensor.dequantize
        choose_qparams_optimized empty_quantized fbgemm_* fused_moving_avg_obs_fake_quant int_repr Tensor.int_repr
        q_* Tensor.q_* Tensor.qscheme qscheme per_channel_* per_tensor_*
        Q*Storage nn.quantized nn.qat nn.intrinsic nn.quantizable""",
    ),
    (
        "TorchScript is left out",
        "call the function or the module directly",
        """jit._* Script* *Type ArgumentSpec Capsule
        CompleteArgumentSpec ConcreteModuleTypeBuilder ExecutionPlan
        GraphExecutorState IODescriptor LockingLogger LoggerBase NoopLogger
        StaticModule fork wait
        import_ir_module* merge_type_from_type_comment parse_* unify_type_list BenchmarkConfig
        BenchmarkExecutionStats *StorageContext AggregationType AVG SUM
        DeepCopyMemoTable
        testing.FileCheck classes ScriptObjectProperty""",
    ),
    (
        "programs are not captured as graphs",
        "run the program as it is: every operation runs at once",
        """export.* onnx.ExportableModule onnx.InputObserver _inductor.* cond while_loop DispatchKey DispatchKeySet
        ExcludeDispatchKeyGuard
        _decomp.* _higher_order_ops.* _subclasses.* _logging.*
        autograd.graph.region_activation_memory_budget autograd.graph.set_*""",
    ),
    (
        "sizes are Python integers",
        "use the integer itself",
        "SymBool SymFloat SymInt sym_constrain_range* sym_fresh_size",
    ),
    (
        "programs are not captured as graphs, so there is nothing to take mutations out of",
        "call the function itself: its transforms take in-place operations as they are",
        "func.functionalize",
    ),
    (
        "einops patterns are left out of it",
        "use reshape, permute and reductions, or the einops package",
        "func.rearrange",
    ),
    (
        "processes do not call functions of each other",
        "use torch.distributed.send and recv, or actors of the package ray",
        "distributed.rpc.*",
    ),
    (
        "MPI lets processes find each other",
        "start them with python -m rushlight.distributed.run, and share values with broadcast_object_list",
        "distributed.*Store distributed.rendezvous* distributed.register_rendezvous_handler",
    ),
    (
        "parameters are not split over processes",
        "use torch.nn.parallel.DistributedDataParallel, and torch.distributed.optim.ZeroRedundancyOptimizer for memory",
        "distributed.fsdp.* distributed.tensor.* distributed.device_mesh.* distributed.DeviceMesh "
        "distributed.init_device_mesh",
    ),
    (
        "it belongs to the inside of PyTorch",
        "use the functions of torch.distributed, which MPI carries",
        "distributed.*",
    ),
    (
        "nested and jagged tensors are left out",
        "pad with nn.utils.rnn.pad_sequence and keep a mask",
        "nested.* Tensor.to_padded_tensor",
    ),
    (
        "dtypes of a few bits are left out",
        "use int8, float16 or bfloat16",
        """_scaled_mm* ops.aten._scaled_mm*
        nn.functional.scaled_mm nn.functional.scaled_grouped_mm nn.functional.ScalingType
        nn.functional.SwizzleType""",
    ),
    (
        "NumPy has no complex numbers of half precision",
        "use complex64",
        "Tensor.chalf",
    ),
    (
        "it counts what PyTorch's own kernels do",
        "measure with torch.profiler.profile()",
        "autograd.profiler.* utils.benchmark.*",
    ),
    (
        "nothing is downloaded and nothing is compiled",
        "fetch the file or the package first, and import it",
        """utils.cpp_extension.* utils.cpp_backtrace utils.get_cpp_backtrace
        utils.cmake_prefix_path cpp""",
    ),
    (
        "PyTorch itself has given it up",
        "use the function that PyTorch names in its stead",
        """Tensor.reinforce utils.backcompat utils.backcompat.* math.*
        autograd.*NestedIOFunction""",
    ),
    (
        "it is a prototype in PyTorch",
        "keep the mask beside the tensor, for example torch.masked.sum(x, mask=mask)",
        "masked.MaskedTensor masked.masked_tensor masked.as_masked_tensor",
    ),
    (
        "it is the inside of a function of torch.nn.functional",
        "call that one, which has the same name",
        """binary_cross_entropy_with_logits cosine_embedding_loss ctc_loss hinge_embedding_loss kl_div
        margin_ranking_loss poisson_nll_loss triplet_margin_loss embedding_renorm_""",
    ),
    (
        "operations are not intercepted one by one",
        "checkpoint the parts of a function that should be computed again, and leave the others out",
        """utils.checkpoint.create_selective_checkpoint_contexts utils.checkpoint.CheckpointPolicy
        utils.checkpoint.SelectiveCheckpointContext utils.checkpoint.SAC_IGNORED_OPS""",
    ),
    (
        "it belongs to the inside of PyTorch",
        "leave it out",
        """ops.aten._flash_attention_* ops.aten._efficient_attention_*
        classproperty get_file_path prepare_multiprocessing_environment init_num_threads
        Tensor.slice_inverse slice_inverse Tensor.index Tensor.name is_vulkan_available
        get_autocast_ipu_dtype get_autocast_xla_dtype is_autocast_ipu_enabled is_autocast_xla_enabled
        set_autocast_ipu_* set_autocast_xla_*
        utils.set_module Tensor.module_load Tensor.grad_dtype autograd.enforce_grad_layout_policy
        native_norm frobenius_norm utils.hooks.*
        utils.checkpoint.* _amp_foreach_* nuclear_norm has_lapack
        has_mkl has_openmp has_spectral windows nn.Module.T_destination
        Generator.*""",
    ),
)
REST = "the rest of nn"
# What is not there yet: (what it belongs to, names). An error says so; docs/coverage.md counts these as absent.
PLANNED = ((REST, "nn.*"),)


def reason(name: str) -> tuple[str, str] | None:
    """Why a name is left out, and what to do instead; None if it is not left out on purpose."""
    for why, instead, names in LEFT_OUT:
        if any(fnmatchcase(name, each) for each in names.split()):
            return why, instead
    return None


def reasons() -> list[tuple[str, str]]:
    """All the reasons."""
    return [(why, instead) for why, instead, _ in LEFT_OUT]


def planned(name: str) -> str | None:
    """What a name belongs to that is not there yet."""
    return next((what for what, names in PLANNED if any(fnmatchcase(name, each) for each in names.split())), None)


def clause(name: str) -> str:
    """What follows "is not in Rushlight" when a program asks for a name, given without `torch.`."""
    told = reason(name)
    if told is not None:
        return f": {told[0]}; {told[1]}"
    what = planned(name)
    return "" if what is None else f" yet: it belongs to {what}"
