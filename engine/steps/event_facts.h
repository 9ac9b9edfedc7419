#pragma once

#include "ir/graph.h"

#include "base/describe.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace aotscope::steps {

/// What breakpoints look at, of one event of a call.
struct EventFacts {
    /// Where a node comes from; null: not a node, or its text names no place.
    std::shared_ptr<const ir::NodeOrigin> origin = nullptr;
    /// Over all tensors that the event produces. `largest` is the largest magnitude of a finite element.
    std::int64_t nanCount = 0;
    std::int64_t infCount = 0;
    double largest = 0;
    /// A result has other sizes than the graph says.
    bool shapeChanged = false;
    /// The caller's arguments that it writes to, by ValueState::name.
    std::vector<std::string> mutated = {};
    /// Bytes that the running graph's values hold after it, the caller's arguments left out.
    std::int64_t aliveBytes = 0;
    /// For a node, the fused kernel that it is a part of (kernelsOfNodes); empty: none, or steps are not by
    /// kernel.
    std::string kernel = {};
    friend bool operator==(const EventFacts&, const EventFacts&) = default;
};
AOTSCOPE_MEMBERS(EventFacts, origin, nanCount, infCount, largest, shapeChanged, mutated, aliveBytes, kernel)

} // namespace aotscope::steps
