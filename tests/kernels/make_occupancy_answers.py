#!/usr/bin/env python3
"""Records what NVIDIA's cuda_occupancy.h answers (the header of the wheel nvidia-cuda-runtime, CUDA 13).

usage: make_occupancy_answers.py FOLDER_OF_cuda_occupancy.h > occupancy_answers.txt

The header knows the rules and how registers and shared memory are handed out; what a multiprocessor has (threads,
registers, shared memory) is written below as the CUDA programming guide has it in its table "Technical
specifications per compute capability".
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include "cuda_occupancy.h"
#include <cstdio>
#include <initializer_list>

struct Row { int major, minor, threads, sharedKib, sharedPerBlockKib, reserved; };
static const Row rows[] = {
    // compute capability, threads, KiB of shared memory of a multiprocessor and the most of a block, reserved bytes
    {7, 5, 1024, 64, 64, 0},     {8, 0, 2048, 164, 163, 1024}, {8, 6, 1536, 100, 99, 1024},
    {8, 7, 1536, 164, 163, 1024}, {8, 9, 1536, 100, 99, 1024},  {9, 0, 2048, 228, 227, 1024},
    {10, 0, 2048, 228, 227, 1024}, {10, 3, 2048, 228, 227, 1024}, {11, 0, 1536, 228, 227, 1024},
    {12, 0, 1536, 100, 99, 1024}, {12, 1, 1536, 100, 99, 1024}};

static void ask(const Row& row, int threads, int registers, int staticShared, int dynamicShared, int barriers) {
    cudaOccDeviceProp device;
    device.computeMajor = row.major;
    device.computeMinor = row.minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = row.threads;
    device.regsPerBlock = 65536;
    device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = 48 * 1024;
    device.sharedMemPerMultiprocessor = row.sharedKib * 1024;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = row.sharedPerBlockKib * 1024;
    device.reservedSharedMemPerBlock = row.reserved;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = 1024;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = staticShared;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = dynamicShared;
    kernel.numBlockBarriers = barriers;
    cudaOccDeviceState state;
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamicShared) != 0) {
        return;
    }
    std::printf("sm_%d%d %d %d %d %d %d %d", row.major, row.minor, threads, registers, staticShared, dynamicShared,
                barriers, result.activeBlocksPerMultiprocessor);
    const struct { int bit; const char* name; } limits[] = {
        {OCC_LIMIT_WARPS, "warps"}, {OCC_LIMIT_BLOCKS, "blocks"}, {OCC_LIMIT_REGISTERS, "registers"},
        {OCC_LIMIT_SHARED_MEMORY, "shared"}, {OCC_LIMIT_BARRIERS, "barriers"}};
    for (const auto& limit : limits) {
        if (result.limitingFactors & limit.bit) {
            std::printf(" %s", limit.name);
        }
    }
    std::printf("\n");
}

int main() {
    for (const Row& row : rows) {
        for (const int threads : {1, 32, 33, 64, 96, 128, 160, 192, 256, 320, 512, 768, 1000, 1024}) {
            for (const int registers : {8, 16, 24, 25, 32, 40, 41, 64, 65, 80, 96, 128, 168, 255}) {
                ask(row, threads, registers, 0, 0, 1);
            }
            for (const int shared : {1, 128, 1200, 4096, 16384, 32768, 48 * 1024}) {
                ask(row, threads, 32, shared, 0, 1);
            }
            for (const int dynamic : {50000, 65536, 99 * 1024, 100 * 1024, 163 * 1024, 164 * 1024, 227 * 1024}) {
                ask(row, threads, 32, 0, dynamic, 1);
                ask(row, threads, 32, 1024, dynamic - 1024, 1);
            }
            for (const int barriers : {2, 4, 16}) {
                ask(row, threads, 24, 0, 0, barriers);
            }
        }
    }
}
"""

print("# Made by make_occupancy_answers.py from NVIDIA's cuda_occupancy.h: architecture, threads of a block, registers of a")
print("# thread, bytes of static and dynamic shared memory, barriers; then blocks, and what limits them.")
sys.stdout.flush()
with tempfile.TemporaryDirectory() as folder:
    source = pathlib.Path(folder, "ask.cpp")
    source.write_text(PROGRAM)
    subprocess.run(["c++", "-std=c++17", "-w", "-I", sys.argv[1], "-o", f"{folder}/ask", str(source)], check=True)
    subprocess.run([f"{folder}/ask"], check=True)
