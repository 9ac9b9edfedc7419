#pragma once

#include "torch_headers.h"

#include "contract/devices.h"
#include "ir/graph.h"
#include "ir/value.h"

#include <c10/core/DeviceGuard.h>

#include <optional>

namespace aotscope::torch {

/// On which devices the tensors of a run lie.
struct RunPlace {
    c10::Device device = c10::kCPU;
    /// The graph was logged on a GPU, so that what it has on the CPU is meant to be there (sizes, states of
    /// generators). All other tensors lie on `device`, whatever GPU they were logged on.
    bool keepsCpu = false;

    [[nodiscard]] bool isGpu() const { return !device.is_cpu(); }
    /// Where a tensor or argument lies that was logged on that device.
    [[nodiscard]] c10::Device of(const std::optional<ir::Device>& logged) const;
};

/// The place for runs of a graph on a device; opens CUDA the first time. Throws RunFailure (run.no_gpu,
/// cuda.missing_library, cuda.opened_too_late, cuda.lost).
[[nodiscard]] RunPlace placeFor(session::DeviceChoice choice, const ir::Graph& graph);

/// Makes the place's GPU LibTorch's current one in this thread while it lives.
class CurrentPlace {
public:
    explicit CurrentPlace(const RunPlace& place) {
        if (place.isGpu()) {
            m_guard.reset_device(place.device);
        }
    }

private:
    c10::OptionalDeviceGuard m_guard;
};

/// The same tensor, with its strides, on another device; itself where it lies there already.
[[nodiscard]] at::Tensor movedTo(const at::Tensor& tensor, c10::Device device);

/// Waits until all work that was queued on a GPU is done; on the CPU there is nothing to wait for.
void awaitDevice(c10::Device device);

} // namespace aotscope::torch
