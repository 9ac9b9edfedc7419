#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::session {

/// Which device a graph or function runs on. Written as in PyTorch: "cpu", "cuda", "cuda:1".
struct DeviceChoice {
    enum class Kind { Cpu, Cuda };
    Kind kind = Kind::Cpu;
    /// Which of the GPUs, from 0; 0 for the CPU.
    int index = 0;

    [[nodiscard]] bool isCuda() const { return kind == Kind::Cuda; }
    /// "cpu" or "cuda:1"
    [[nodiscard]] std::string text() const;
    friend bool operator==(const DeviceChoice&, const DeviceChoice&) = default;
};

/// Error: run.device_name (what can be written).
[[nodiscard]] base::Result<DeviceChoice> deviceChoiceFromText(std::string_view text);

} // namespace aotscope::session
