#pragma once

#include "kernels/compile_message.h"
#include "kernels/cubin_facts.h"
#include "kernels/fused_kernel.h"
#include "kernels/occupancy.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

/// A kernel's text compiled for a GPU, without one.
namespace aotscope::session {

/// What is compiled. Equal requests give equal builds.
struct KernelBuildRequest {
    std::string name;
    /// What a person reads and may have changed.
    std::string source;
    /// "sm_90"
    std::string architecture;
    kernels::KernelLaunch launch;
    friend bool operator==(const KernelBuildRequest&, const KernelBuildRequest&) = default;
};

struct KernelBuildSnapshot {
    KernelBuildRequest request;
    /// With errors the text was refused, and there is nothing below but these.
    std::vector<kernels::CompileMessage> messages;
    std::string ptx;
    /// Empty: `noSass` says why.
    std::string sass;
    std::string noSass;
    std::optional<kernels::CubinFacts> facts;
    /// What the assembler said; nothing if it said nothing of this kernel.
    std::optional<kernels::AssemblerFacts> assembler;
    std::optional<kernels::Occupancy> occupancy;
    /// "NVRTC 13.2"
    std::string compiler;
    double seconds = 0;

    [[nodiscard]] bool isRefused() const { return kernels::hasErrors(messages); }
};
using KernelBuildSnapshotPtr = std::shared_ptr<const KernelBuildSnapshot>;

} // namespace aotscope::session
