"""Names of torch._C that stand elsewhere in Rushlight, and those that can be imported only."""

WHY = "it belongs to the inside of PyTorch; leave it out"

# the module of each name
ELSEWHERE = {
    **dict.fromkeys(
        "clear_autocast_cache get_autocast_cpu_dtype get_autocast_dtype get_autocast_gpu_dtype "
        "is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled set_autocast_cache_enabled "
        "set_autocast_dtype set_autocast_enabled".split(),
        "amp",
    ),
    "default_generator": "random",
    "DisableTorchFunction": "core.surface.overriding",
    "DisableTorchFunctionSubclass": "core.surface.overriding",
    "OutOfMemoryError": "errors.kinds",
    "get_default_dtype": "core.numbers.defaults",
    "get_num_threads": "core.settings.threads",
    "set_num_threads": "core.settings.threads",
    "get_num_interop_threads": "core.settings.threads",
    "set_num_interop_threads": "core.settings.threads",
    "is_grad_enabled": "autograd.modes",
    "is_inference_mode_enabled": "autograd.modes",
    "is_anomaly_enabled": "autograd.anomaly",
    "is_anomaly_check_nan_enabled": "autograd.anomaly",
    "Tag": "core.surface.tags",
    "set_flush_denormal": "core.settings.switches",
}

CLASSES = frozenset(
    """
    AcceleratorError AliasDb AnyType Argument Block BoolType BufferDict CallStack ClassType Code CompilationUnit
    ComplexType DeviceObjType DictType EnumType ErrorReport Event FatalError FileCheck FloatType FunctionSchema Future
    FutureType Gradient Graph InferredType IntType InterfaceType JITException ListType LiteScriptModule ModuleDict Node
    NoneType NumberType OperatorInfo OptionalType ParameterDict PyObjectType PyTorchFileReader PyTorchFileWriter
    ScriptClass ScriptDict ScriptFunction ScriptList ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject
    Stream StreamObjType StringType SymBoolType SymIntType TensorType ThroughputBenchmark TracingState TupleType
    Type UnionType Use Value _AutoDispatchBelowADInplaceOrView _AutoDispatchBelowAutograd _CudaEventBase
    _CudaStreamBase _DisableAutocast _DisableFuncTorch _DisablePythonDispatcher _DisableTorchDispatch _DispatchModule
    _DispatchOperatorHandle _EnablePreDispatch _EnablePythonDispatcher _EnableTorchFunction _ExcludeDispatchKeyGuard
    _ForceDispatchKeyGuard _FunctionBase _ImperativeEngine _IncludeDispatchKeyGuard _InferenceMode _LegacyVariableBase
    _NodeBase _SDPAParams _SDPBackend _SchemaInfo _SymNode _TorchDispatchModeKey _TorchFunctionState _WeakTensorRef
    """.split()
)

REFUSED = frozenset(
    """
    _create_function_from_trace _create_graph_by_tracing _create_module_with_type _dispatch_call_boxed _dispatch_dump
    _dispatch_dump_table _dispatch_find_schema_or_throw _dispatch_has_kernel _dispatch_has_kernel_for_dispatch_key
    _dispatch_library _freeze_module _get_custom_class_python_wrapper _get_operation_overload _get_schema
    _import_ir_module_from_package _jit_get_all_schemas _jit_get_operation _jit_get_schemas_for_operator
    _jit_pass_canonicalize _jit_pass_constant_propagation _jit_pass_cse _jit_pass_dce _jit_pass_inline _jit_pass_lint
    _jit_pass_onnx _jit_pass_peephole _jit_script_compile _jit_tree_views _load_for_lite_interpreter _make_dual
    _propagate_shapes import_ir_module import_ir_module_from_buffer merge_type_from_type_comment parse_ir parse_schema
    parse_type_comment unify_type_list wait fork
    """.split()
)
