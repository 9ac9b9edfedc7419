#pragma once

#include "memory/band_stack.h"
#include "memory/memory_profile.h"

#include <cstdint>
#include <string>
#include <vector>

namespace aotscope::memory {

/// The category's colour on a white background, as in the light theme.
[[nodiscard]] std::string categoryColor(Category category);

/// A profile to draw as a stand-alone picture. The profiles must outlive it.
struct ProfilePicture {
    std::string title;
    const MemoryProfile* profile = nullptr;
    BandStack::Inputs inputs = BandStack::Inputs::Shown;
    /// Another order of the step, drawn as a line, with forward and backward stretched to those of `profile`.
    struct Order {
        std::string label;
        const MemoryProfile* profile = nullptr;
    };
    std::vector<Order> orders;
    /// Bytes that a run measured at each position of the profile (empty: no run), and scratch bytes of each
    /// node. Without the graph's inputs, so `inputs` should be hidden.
    std::vector<std::int64_t> measured;
    std::vector<std::int64_t> scratch;
};

/// Stacked bands over program order with axes, phases, the peak and a legend, 1200 pixels wide.
[[nodiscard]] std::string toSvg(const ProfilePicture& picture);

} // namespace aotscope::memory
