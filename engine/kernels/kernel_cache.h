#pragma once

#include "kernels/nvrtc.h"

#include "base/entry_folder.h"

#include <filesystem>
#include <optional>

namespace aotscope::kernels {

/// Compiled kernels on disk, found by what they were compiled from: text, options, architecture, and the
/// compiler's version. Several processes may use the folder at once, its size is bounded, and no entry is
/// trusted: one that is damaged, foreign, or of another text is not there. Thread-safe.
class KernelCache {
public:
    /// `folder` empty: nothing is kept.
    explicit KernelCache(std::filesystem::path folder, std::uint64_t mostBytes = std::uint64_t(256) << 20U);

    /// The stored build of a text. Only texts that compiled are stored: errors are reported by compiling
    /// again.
    [[nodiscard]] std::optional<CudaBuild> lookup(const Nvrtc& nvrtc, const CudaRequest& request) const;
    /// Errors: those of base::EntryFolder::write.
    [[nodiscard]] base::Result<void> store(const Nvrtc& nvrtc, const CudaRequest& request,
                                           const CudaBuild& build) const;
    [[nodiscard]] const base::EntryFolder& folder() const { return m_folder; }

private:
    base::EntryFolder m_folder;
};

/// $XDG_CACHE_HOME/aotscope/kernels, else ~/.cache/aotscope/kernels.
[[nodiscard]] std::filesystem::path defaultKernelCacheFolder();

} // namespace aotscope::kernels
