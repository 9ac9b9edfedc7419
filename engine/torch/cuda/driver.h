#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

/// The functions of NVIDIA's driver that this program calls, found in libcuda.so.1 while it runs: nothing
/// links CUDA, and no header of CUDA is needed. Their names and types are those of the driver's API.
namespace aotscope::torch {

struct CudaContext;
struct CudaModule;
struct CudaFunction;
struct CudaEvent;
struct CudaStream;
using CudaAddress = std::uint64_t;

/// X(name, symbol, parameters): a function of the driver returning its error code, 0 for success.
#define AOTSCOPE_CUDA_FUNCTIONS(X)                                                                           \
    X(init, "cuInit", (unsigned flags))                                                                      \
    X(driverVersion, "cuDriverGetVersion", (int* version))                                                   \
    X(errorName, "cuGetErrorName", (int error, const char** text))                                           \
    X(errorText, "cuGetErrorString", (int error, const char** text))                                         \
    X(deviceCount, "cuDeviceGetCount", (int* count))                                                         \
    X(device, "cuDeviceGet", (int* device, int ordinal))                                                     \
    X(deviceName, "cuDeviceGetName", (char* name, int size, int device))                                     \
    X(deviceMemory, "cuDeviceTotalMem_v2", (std::size_t * bytes, int device))                                \
    X(deviceAttribute, "cuDeviceGetAttribute", (int* value, int attribute, int device))                      \
    X(retainContext, "cuDevicePrimaryCtxRetain", (CudaContext * *context, int device))                       \
    X(setContext, "cuCtxSetCurrent", (CudaContext * context))                                                \
    X(loadModule, "cuModuleLoadDataEx",                                                                      \
      (CudaModule * *module, const void* image, unsigned count, int* options, void** values))                \
    X(unloadModule, "cuModuleUnload", (CudaModule * module))                                                 \
    X(moduleFunction, "cuModuleGetFunction",                                                                 \
      (CudaFunction * *function, CudaModule * module, const char* name))                                     \
    X(setFunctionAttribute, "cuFuncSetAttribute", (CudaFunction * function, int attribute, int value))       \
    X(launch, "cuLaunchKernel",                                                                              \
      (CudaFunction * function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,             \
       unsigned blockY, unsigned blockZ, unsigned sharedBytes, CudaStream* stream, void** parameters,        \
       void** extra))                                                                                        \
    X(createEvent, "cuEventCreate", (CudaEvent * *event, unsigned flags))                                    \
    X(recordEvent, "cuEventRecord", (CudaEvent * event, CudaStream * stream))                                \
    X(awaitEvent, "cuEventSynchronize", (CudaEvent * event))                                                 \
    X(elapsed, "cuEventElapsedTime", (float* milliseconds, CudaEvent* start, CudaEvent* end))                \
    X(destroyEvent, "cuEventDestroy_v2", (CudaEvent * event))                                                \
    X(awaitStream, "cuStreamSynchronize", (CudaStream * stream))                                             \
    X(allocate, "cuMemAlloc_v2", (CudaAddress * address, std::size_t bytes))                                 \
    X(free, "cuMemFree_v2", (CudaAddress address))                                                           \
    X(fill, "cuMemsetD8Async",                                                                               \
      (CudaAddress address, unsigned char value, std::size_t bytes, CudaStream* stream))                     \
    X(copy, "cuMemcpyDtoDAsync_v2",                                                                          \
      (CudaAddress to, CudaAddress from, std::size_t bytes, CudaStream * stream))

/// A driver that was opened and initialized. A value: copies are the same driver, which is never closed.
struct CudaDriver {
#define AOTSCOPE_CUDA_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr; // NOLINT
    AOTSCOPE_CUDA_FUNCTIONS(AOTSCOPE_CUDA_MEMBER)
#undef AOTSCOPE_CUDA_MEMBER

    /// Opens another library than the machine's. Errors: cuda.no_driver (there is none), cuda.old_driver (it
    /// lacks a function), cuda.failed (it does not start, for example because there is no GPU).
    [[nodiscard]] static base::Result<CudaDriver> open(const std::string& library);
    /// The machine's (or the one that AOTSCOPE_CUDA_DRIVER names), opened by the first call; later calls give
    /// the same answer. Errors: as for `open`.
    [[nodiscard]] static const base::Result<CudaDriver>& machine();

    /// Success, or the error "cuda.failed" that says which call returned what: `doing` completes "CUDA
    /// failed while …". One after which this process can do nothing more with CUDA is "cuda.lost"
    /// (dispatch/lost_device.h); where the GPU's memory is used up, it is "run.too_large".
    [[nodiscard]] base::Result<void> check(int code, const std::string& doing) const;
};

/// Makes the primary context of a GPU current in this thread; LibTorch works in the same one. Errors:
/// cuda.failed, cuda.lost.
[[nodiscard]] base::Result<void> useDevice(const CudaDriver& driver, int device);

} // namespace aotscope::torch
