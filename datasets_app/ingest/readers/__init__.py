"""Readers of the formats of this app, one file each. `register_all` adds them to the registry."""

from datasets_app.ingest.readers.ai_cuda_engineer import AiCudaEngineerReader
from datasets_app.ingest.readers.concur import ConcurReader
from datasets_app.ingest.readers.cuda_l1 import CudaL1Reader
from datasets_app.ingest.readers.cuda_l1_first import CudaL1FirstReader
from datasets_app.ingest.readers.flashinfer_bench import FlashInferBenchReader
from datasets_app.ingest.readers.generic import GenericReader
from datasets_app.ingest.readers.gpu_flop_bench import GpuFlopBenchReader
from datasets_app.ingest.readers.kernelbench import KernelBenchReader
from datasets_app.ingest.readers.kernelbench_folders import KernelBenchFoldersReader
from datasets_app.ingest.readers.kernelbench_runs import KernelBenchRunsReader
from datasets_app.ingest.readers.kernelbook import KernelBookReader
from datasets_app.ingest.readers.messages import MessagesReader
from datasets_app.ingest.readers.robust_kbench import RobustKbenchReader
from datasets_app.ingest.readers.robust_kbench_tasks import RobustKbenchTasksReader
from datasets_app.ingest.readers.tritonbench import TritonBenchKernelsReader, TritonBenchTasksReader
from datasets_app.ingest.readers.workbench import WorkbenchReader
from datasets_app.ingest.registry import Reader, register

READERS: tuple[type[Reader], ...] = (
    ConcurReader,
    WorkbenchReader,
    KernelBookReader,
    KernelBenchReader,
    KernelBenchFoldersReader,
    KernelBenchRunsReader,
    CudaL1Reader,
    CudaL1FirstReader,
    RobustKbenchTasksReader,
    RobustKbenchReader,
    AiCudaEngineerReader,
    MessagesReader,
    FlashInferBenchReader,
    GpuFlopBenchReader,
    TritonBenchKernelsReader,
    TritonBenchTasksReader,
    GenericReader,
)


def register_all() -> None:
    for reader in READERS:
        register(reader())
