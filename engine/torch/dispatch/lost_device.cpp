#include "dispatch/lost_device.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

namespace aotscope::torch {

namespace {

struct LosingError {
    int number;
    std::string_view constant;
};

/// Those whose documentation says that the process must be terminated and relaunched.
constexpr std::array losingErrors{
    LosingError{226, "cudaErrorContained"},          LosingError{700, "cudaErrorIllegalAddress"},
    LosingError{702, "cudaErrorLaunchTimeout"},      LosingError{710, "cudaErrorAssert"},
    LosingError{714, "cudaErrorHardwareStackError"}, LosingError{715, "cudaErrorIllegalInstruction"},
    LosingError{716, "cudaErrorMisalignedAddress"},  LosingError{717, "cudaErrorInvalidAddressSpace"},
    LosingError{718, "cudaErrorInvalidPc"},          LosingError{719, "cudaErrorLaunchFailure"},
    LosingError{721, "cudaErrorTensorMemoryLeak"},   LosingError{810, "cudaErrorMpsClientTerminated"},
    LosingError{911, "cudaErrorExternalDevice"},
};

/// State of the process, as CUDA's is.
struct Loss {
    std::mutex mutex;
    std::string message;
};

Loss& loss() {
    static Loss instance;
    return instance;
}

} // namespace

bool losesDevice(int cudaError) {
    return std::ranges::any_of(losingErrors,
                               [=](const LosingError& error) { return error.number == cudaError; });
}

bool namesLostDevice(const std::string& message) {
    return std::ranges::any_of(losingErrors, [&](const LosingError& error) {
        return message.find(error.constant) != std::string::npos;
    });
}

base::Error lostDeviceError(const std::string& what) {
    {
        const std::lock_guard lock(loss().mutex);
        loss().message = loss().message.empty() ? what : loss().message;
    }
    return {.code = "cuda.lost",
            .message = what,
            .notes = {"After this error CUDA refuses everything else that this process asks of the GPU."},
            .hint = "The next command on the GPU starts in a new process. On the CPU nothing has changed."};
}

std::optional<base::Error> lostDevice() {
    const std::lock_guard lock(loss().mutex);
    if (loss().message.empty()) {
        return std::nullopt;
    }
    return base::Error{.code = "cuda.lost",
                       .message = "CUDA was lost to an error before, so nothing can run on the GPU in this "
                                  "process.",
                       .notes = {loss().message},
                       .hint = "Start the program again, or run it on the CPU."};
}

} // namespace aotscope::torch
