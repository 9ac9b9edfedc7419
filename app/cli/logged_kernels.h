#pragma once

#include "json_text.h"

#include "files/generated_code.h"

#include <string>

namespace aotscope::cli {

/// Which launches are listed; empty members ask for nothing.
struct LaunchFilter {
    /// A node of the compiled graph or of AOTAutograd's.
    std::string node;
    /// "model.py:41", the end of a path and a line.
    std::string source;

    [[nodiscard]] bool empty() const { return node.empty() && source.empty(); }
    [[nodiscard]] bool takes(const inductor::GeneratedCode& code, std::size_t launch) const;
};
/// How many launches of a snapshot the filter takes.
[[nodiscard]] std::size_t countLaunches(const session::GeneratedCodeSnapshot& snapshot,
                                        const LaunchFilter& filter);

/// The kernels of a compile's generated code: one table per half, then what could not be linked. `id` as a
/// person writes it.
[[nodiscard]] std::string loggedKernelsText(const session::GeneratedCodeSnapshot& snapshot,
                                            const std::string& id, const LaunchFilter& filter);
/// One entry of `compiles` in aotscope.kernels/1.
[[nodiscard]] Json loggedKernelsJson(const session::GeneratedCodeSnapshot& snapshot, const std::string& id,
                                     const LaunchFilter& filter);

} // namespace aotscope::cli
