#pragma once

#include "ir/dtype.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::aot {

/// The arguments of a `torch.amp.autocast` that is entered around the traced backward.
struct BackwardAutocast {
    std::string device;
    /// Nothing: the device's default.
    std::optional<ir::DType> dtype = {};
    bool enabled = true;
    std::optional<bool> cacheEnabled = {};
    friend bool operator==(const BackwardAutocast&, const BackwardAutocast&) = default;
};

/// `backward_pass_autocast`: how autocast is set while the backward is traced. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/graph_capture_wrappers.py: create_joint.
struct BackwardAutocasts {
    /// "same_as_forward"; otherwise autocast is switched off first.
    bool isSameAsForward = true;
    std::vector<BackwardAutocast> entered = {};
};
/// From the option's text: "same_as_forward", "off", or a list of dictionaries as JSON or Python writes them.
/// Nothing: it is none of these.
[[nodiscard]] std::optional<BackwardAutocasts> backwardAutocastsFrom(std::string_view text);

} // namespace aotscope::aot
