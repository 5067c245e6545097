"""The names of `torch.distributed` that are left out and that programs import; used, they say why and what to do."""

from rushlight.core.surface.refusals import table

SHARDING = (
    "parameters are not split over processes; torch.nn.parallel.DistributedDataParallel trains the same network in "
    "each, torch.distributed.optim.ZeroRedundancyOptimizer splits the optimizer's memory"
)
RPC = "processes do not call functions of each other; use torch.distributed.send and recv, or actors of the package ray"
PIPELINES = "a network is not cut over processes; train it whole with torch.nn.parallel.DistributedDataParallel"
STORES = (
    "MPI lets processes find each other; start them with python -m rushlight.distributed.run, and share values with "
    "torch.distributed.broadcast_object_list"
)
STARTING = "jobs are started by mpiexec; use python -m rushlight.distributed.run"
CHECKPOINTS = "a checkpoint is a file of each process; use torch.distributed.checkpoint.save and load, or torch.save"
INSIDE = "it belongs to the inside of PyTorch; use the functions of torch.distributed, which MPI carries"
AVERAGING = "models are not averaged now and then; torch.nn.parallel.DistributedDataParallel averages every gradient"

STRATEGIES = "ShardingStrategy=FULL_SHARD,SHARD_GRAD_OP,NO_SHARD,HYBRID_SHARD,_HYBRID_SHARD_ZERO2"
STATE_DICTS = """StateDictType=FULL_STATE_DICT,LOCAL_STATE_DICT,SHARDED_STATE_DICT StateDictConfig FullStateDictConfig
    LocalStateDictConfig ShardedStateDictConfig OptimStateDictConfig FullOptimStateDictConfig LocalOptimStateDictConfig
    ShardedOptimStateDictConfig StateDictSettings"""
SHARDED = f"""{STRATEGIES} {STATE_DICTS} BackwardPrefetch=BACKWARD_PRE,BACKWARD_POST CPUOffload MixedPrecision
    OptimStateKeyType=PARAM_NAME,PARAM_ID FullyShardedDataParallel"""
PLACEMENTS = "Shard Replicate Partial Placement"

# of torch.distributed itself, by reason
OWN = {
    SHARDING: table(": DeviceMesh init_device_mesh")[""],
    STORES: table(": FileStore HashStore PrefixStore Store TCPStore register_rendezvous_handler rendezvous")[""],
    INSIDE: table(
        """: AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BackendConfig BarrierOptions BroadcastOptions
        BuiltinCommHookType=ALLREDUCE,FP16_COMPRESS GatherOptions Logger ProcessGroupGloo ProcessGroupNCCL
        ProcessGroupMPI ReduceOptions ReduceScatterOptions Reducer ScatterOptions breakpoint record_comm shrink_group
        split_group"""
    )[""],
}

# modules that are there by name only, by reason
MODULES = {
    SHARDING: table(
        f"""
    device_mesh: DeviceMesh init_device_mesh _mesh_resources
    fsdp:
    {SHARDED} CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy UnshardHandle fully_shard
    register_fsdp_forward_method
    fsdp.api: {SHARDED}
    fsdp.fully_sharded_data_parallel: {SHARDED} FSDP
    fsdp._common_utils: _FSDPState _get_module_fsdp_state _is_fsdp_flattened clean_tensor_name
    fsdp._flat_param: FlatParamHandle FlatParameter HandleShardingStrategy=FULL_SHARD,SHARD_GRAD_OP,NO_SHARD
    fsdp._fully_shard: FSDPModule FSDPState fully_shard
    fsdp._runtime_utils: _lazy_init _post_backward_final_callback _root_pre_forward _unshard
    fsdp._traversal_utils: _get_fsdp_handles _get_fsdp_states
    fsdp.sharded_grad_scaler: ShardedGradScaler
    _shard: sharded_tensor
    _shard.sharded_tensor: Shard ShardMetadata ShardedTensor ShardedTensorMetadata TensorProperties
    _shard.sharded_tensor.api: ShardedTensor
    _shard.metadata: ShardMetadata
    fsdp.wrap:
    CustomPolicy ModuleWrapPolicy _Policy _or_policy always_wrap_policy enable_wrap lambda_auto_wrap_policy
    size_based_auto_wrap_policy transformer_auto_wrap_policy wrap
    _composable: checkpoint fully_shard replicate
    _composable.fsdp: FSDPModule CPUOffloadPolicy MixedPrecisionPolicy OffloadPolicy fully_shard
    tensor:
    {PLACEMENTS} DTensor distribute_module distribute_tensor empty full ones rand randn zeros
    tensor.parallel:
    ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput RowwiseParallel
    SequenceParallel loss_parallel parallelize_module
    tensor.placement_types: {PLACEMENTS} _StridedShard
    tensor.experimental: context_parallel implicit_replication local_map register_sharding
    tensor._utils: compute_local_shape_and_global_offset
    _tensor: {PLACEMENTS} DTensor DeviceMesh distribute_module distribute_tensor
    _tensor.experimental: implicit_replication
    _tensor.placement_types: {PLACEMENTS}
    _functional_collectives:
    AsyncCollectiveTensor all_gather_tensor all_reduce all_to_all_single all_to_all_single_autograd broadcast
    permute_tensor reduce_scatter_tensor wait_tensor
    """
    ),
    STORES: table("rendezvous: rendezvous register_rendezvous_handler"),
    RPC: table(
        """
    autograd: DistAutogradContext backward context get_gradients is_available
    rpc:
    BackendType=TENSORPIPE PyRRef RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo get_worker_info
    init_rpc is_available remote rpc_async rpc_sync shutdown"""
    ),
    PIPELINES: table("pipelining: PipelineStage Schedule1F1B ScheduleGPipe SplitPoint=BEGINNING,END pipeline"),
    STARTING: table(
        """
    launcher: LaunchConfig elastic_launch launch_agent
    launcher.api: LaunchConfig elastic_launch launch_agent"""
    ),
    INSIDE: table("utils: _sync_module_states _verify_param_shape_across_processes"),
}
