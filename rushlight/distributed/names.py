"""The names of `torch.distributed` and its modules that programs import; used, they say why there is nothing behind."""

from rushlight.core.surface.refusals import table

WHY = (
    "it runs in one process; ask torch.distributed.is_available() first, or run several processes with the "
    "multiprocessing module"
)
STRATEGIES = "ShardingStrategy=FULL_SHARD,SHARD_GRAD_OP,NO_SHARD,HYBRID_SHARD,_HYBRID_SHARD_ZERO2"
STATE_DICTS = """StateDictType=FULL_STATE_DICT,LOCAL_STATE_DICT,SHARDED_STATE_DICT StateDictConfig FullStateDictConfig
    LocalStateDictConfig ShardedStateDictConfig OptimStateDictConfig FullOptimStateDictConfig LocalOptimStateDictConfig
    ShardedOptimStateDictConfig StateDictSettings"""
SHARDED = f"""{STRATEGIES} {STATE_DICTS} BackwardPrefetch=BACKWARD_PRE,BACKWARD_POST CPUOffload MixedPrecision
    OptimStateKeyType=PARAM_NAME,PARAM_ID FullyShardedDataParallel"""
PLACEMENTS = "Shard Replicate Partial Placement"

NAMES = table(
    f"""
    :
    AllToAllOptions AllreduceCoalescedOptions AllreduceOptions BackendConfig BarrierOptions BroadcastOptions
    BuiltinCommHookType=ALLREDUCE,FP16_COMPRESS DebugLevel=OFF,INFO,DETAIL DeviceMesh DistBackendError DistError
    DistNetworkError DistStoreError FileStore GatherOptions GradBucket HashStore Logger P2POp PrefixStore ProcessGroup
    ProcessGroupGloo ProcessGroupNCCL ProcessGroupMPI QueueEmptyError ReduceOptions ReduceScatterOptions Reducer
    ScatterOptions Store TCPStore Work all_gather all_gather_coalesced all_gather_into_tensor all_gather_object
    all_gather_single all_reduce all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv breakpoint
    broadcast broadcast_object_list destroy_process_group gather gather_object get_backend get_backend_config
    get_debug_level get_default_backend_for_device get_global_rank get_group_rank get_pg_count get_process_group_ranks
    get_rank get_world_size init_device_mesh init_process_group irecv isend monitored_barrier new_group new_subgroups
    new_subgroups_by_enumeration record_comm recv recv_object_list reduce reduce_scatter reduce_scatter_single
    reduce_scatter_tensor register_rendezvous_handler rendezvous scatter scatter_object_list send send_object_list
    set_debug_level set_debug_level_from_env shrink_group split_group supports_complex _rank_not_in_group
    distributed_c10d:
    PrefixStore ProcessGroup ProcessGroupGloo ProcessGroupNCCL Store TCPStore Work _get_default_group
    _new_process_group_helper _get_default_store _find_pg_by_ranks_and_tag _object_to_tensor _tensor_to_object
    all_gather all_reduce barrier broadcast get_backend get_global_rank get_process_group_ranks get_rank get_world_size
    init_process_group new_group reduce_scatter_tensor rendezvous
    constants:
    device_mesh: DeviceMesh init_device_mesh _mesh_resources
    rendezvous: rendezvous register_rendezvous_handler
    rpc:
    BackendType=TENSORPIPE PyRRef RRef RpcBackendOptions TensorPipeRpcBackendOptions WorkerInfo get_worker_info
    init_rpc is_available remote rpc_async rpc_sync shutdown
    fsdp:
    {SHARDED} CPUOffloadPolicy FSDPModule MixedPrecisionPolicy OffloadPolicy UnshardHandle fully_shard
    register_fsdp_forward_method
    fsdp.api: {SHARDED}
    fsdp.fully_sharded_data_parallel: {SHARDED} FSDP
    fsdp.sharded_grad_scaler: ShardedGradScaler
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
    checkpoint:
    DefaultLoadPlanner DefaultSavePlanner FileSystemReader FileSystemWriter LoadPlanner SavePlanner StorageReader
    StorageWriter async_save load load_state_dict save save_state_dict
    checkpoint.default_planner: DefaultLoadPlanner DefaultSavePlanner
    checkpoint.filesystem: FileSystemReader FileSystemWriter
    checkpoint.format_utils: _EmptyStateDictLoadPlanner dcp_to_torch_save torch_save_to_dcp
    checkpoint.hf_storage: HuggingFaceStorageReader HuggingFaceStorageWriter
    checkpoint.metadata: Metadata
    checkpoint.optimizer: load_sharded_optimizer_state_dict
    checkpoint.state_dict:
    StateDictOptions get_model_state_dict get_optimizer_state_dict get_state_dict set_model_state_dict
    set_optimizer_state_dict set_state_dict
    checkpoint.state_dict_loader: _load_state_dict load
    checkpoint.stateful: Stateful
    algorithms:
    algorithms.join: Join JoinHook Joinable
    algorithms._checkpoint.checkpoint_wrapper:
    CheckpointImpl=REENTRANT,NO_REENTRANT CheckpointWrapper apply_activation_checkpointing checkpoint_wrapper
    offload_wrapper
    algorithms.ddp_comm_hooks:
    algorithms.ddp_comm_hooks.default_hooks:
    allreduce_hook bf16_compress_hook bf16_compress_wrapper fp16_compress_hook fp16_compress_wrapper
    algorithms.ddp_comm_hooks.post_localSGD_hook: PostLocalSGDState post_localSGD_hook
    algorithms.ddp_comm_hooks.powerSGD_hook: PowerSGDState batched_powerSGD_hook powerSGD_hook
    algorithms.model_averaging:
    algorithms.model_averaging.averagers: ModelAverager PeriodicModelAverager
    elastic:
    elastic.multiprocessing: Std start_processes
    elastic.multiprocessing.errors: ChildFailedError ErrorHandler record
    elastic.utils:
    launcher: LaunchConfig elastic_launch launch_agent
    launcher.api: LaunchConfig elastic_launch launch_agent
    launch: launch main
    run: config_from_args get_args_parser main parse_args run
    nn: all_gather all_reduce all_to_all broadcast gather reduce reduce_scatter scatter
    nn.functional: all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce reduce_scatter scatter
    optim:
    DistributedOptimizer PostLocalSGDOptimizer ZeroRedundancyOptimizer _apply_optimizer_in_backward
    pipelining: PipelineStage Schedule1F1B ScheduleGPipe SplitPoint=BEGINNING,END pipeline
    utils: _sync_module_states _verify_param_shape_across_processes
    """
)
