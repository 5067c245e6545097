"""torch.distributed.elastic: what programs import of it; jobs are started by `python -m rushlight.distributed.run`."""

from rushlight.core.surface.refusals import make_modules, table
from rushlight.distributed.elastic import multiprocessing, utils
from rushlight.distributed.names import STARTING

__all__ = ["multiprocessing", "utils"]

RENDEZVOUS = """RendezvousClosedError RendezvousConnectionError RendezvousError RendezvousGracefulExitError
    RendezvousHandler RendezvousHandlerCreator RendezvousHandlerRegistry RendezvousInfo RendezvousParameters
    RendezvousStateError RendezvousStoreInfo RendezvousTimeoutError rendezvous_handler_registry"""
WORKERS = """ElasticAgent RunResult SimpleElasticAgent Worker WorkerGroup WorkerSpec
    WorkerState=UNKNOWN,INIT,HEALTHY,UNHEALTHY,STOPPED,SUCCEEDED,FAILED"""

make_modules(
    "rushlight.distributed.elastic",
    table(
        f"""
    agent:
    agent.server: {WORKERS}
    agent.server.api: {WORKERS}
    agent.server.local_elastic_agent: LocalElasticAgent
    events: Event EventSource=AGENT,WORKER NodeState RdzvEvent construct_and_record_rdzv_event record record_rdzv_event
    metrics:
    ConsoleMetricHandler MetricData MetricHandler MetricsConfig NullMetricHandler configure getStream
    get_elapsed_time_ms initialize_metrics prof profile publish_metric put_metric
    rendezvous: {RENDEZVOUS}
    rendezvous.api: {RENDEZVOUS}
    rendezvous.c10d_rendezvous_backend: C10dRendezvousBackend create_backend
    rendezvous.dynamic_rendezvous: DynamicRendezvousHandler RendezvousBackend create_handler
    rendezvous.registry: get_rendezvous_handler
    rendezvous.static_tcp_rendezvous: StaticTCPRendezvous create_rdzv_handler
    rendezvous.utils: _parse_rendezvous_config parse_rendezvous_endpoint
    timer:
    FileTimerClient FileTimerRequest FileTimerServer LocalTimerClient LocalTimerServer TimerClient TimerRequest
    TimerServer configure expires
    """
    ),
    STARTING,
)
