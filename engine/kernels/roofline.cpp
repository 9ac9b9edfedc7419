#include "kernels/roofline.h"

#include <algorithm>

namespace aotscope::kernels {

double PredictedTime::seconds() const {
    return std::max({transferSeconds, computeSeconds, launchSeconds});
}

PredictedTime predictTime(const DeviceFigures& device, const KernelWork& work) {
    const auto quotient = [](double amount, double rate) {
        return amount > 0 && rate > 0 ? amount / rate : 0.0;
    };
    PredictedTime time;
    time.launchSeconds = launchSeconds;
    time.transferSeconds = quotient(work.bytesRead + work.bytesWritten, device.bandwidth);
    // Tensor cores and the others work at the same time.
    time.computeSeconds =
        std::max(quotient(work.matrixOperations, device.matrixPeak(work.dtype, work.allowsTf32)),
                 quotient(work.vectorOperations, device.vectorPeak(work.dtype)));
    if (time.transferSeconds >= std::max(time.computeSeconds, time.launchSeconds)) {
        time.limit = TimeLimit::Memory;
    } else if (time.computeSeconds >= time.launchSeconds) {
        time.limit = TimeLimit::Compute;
    }
    return time;
}

} // namespace aotscope::kernels
