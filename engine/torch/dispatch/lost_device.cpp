#include "dispatch/lost_device.h"

#include <algorithm>
#include <array>
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
    return {.code = "cuda.lost",
            .message = what,
            .notes = {"After this error CUDA refuses everything else that this process asks of the GPU."},
            .hint = "The next command on the GPU starts in a new process. On the CPU nothing has changed."};
}

} // namespace aotscope::torch
