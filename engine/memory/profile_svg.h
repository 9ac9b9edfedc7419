#pragma once

#include "memory/band_stack.h"
#include "memory/memory_profile.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::memory {

/// The category's colour in pictures on a white ground: the light theme's.
[[nodiscard]] std::string_view categoryColor(Category category);

/// A profile as a picture to pass on.
struct ProfilePicture {
    std::string title;
    const MemoryProfile* profile = nullptr;
    BandStack::Inputs inputs = BandStack::Inputs::Shown;
    /// Another order of the step, as a line: its forward and backward are stretched to the shown one's.
    struct Order {
        std::string label;
        const MemoryProfile* profile = nullptr;
    };
    std::vector<Order> orders;
    /// What a run measured at each position of the profile (empty: nothing), and what each node took on top
    /// and gave back by itself. Without the graph's inputs, so that `inputs` should be hidden.
    std::vector<std::int64_t> measured;
    std::vector<std::int64_t> scratch;
};

/// Stacked bands over program order with axes, phases, the peak and a legend, 1200 pixels wide.
[[nodiscard]] std::string toSvg(const ProfilePicture& picture);

} // namespace aotscope::memory
