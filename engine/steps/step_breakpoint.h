#pragma once

#include "steps/call_record.h"

#include "ir/graph.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
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

/// Where a call is to pause. A person writes it as text:
///
///   wrapper:AOTDedupeWrapper   before a wrapper's entry
///   node:mm_1                  before the node of that name, in the forward or backward graph
///   op:mm                      before each call of an operator: `mm`, `aten.mm`, `aten.mm.default`
///   model.py:41                before the first node that comes from this source line
///   nan, inf                   after the first node whose result has a NaN, or an infinity
///   above:1e4                  after the first node whose result has a magnitude above the number
///   shape                      after each node whose result has other sizes than the graph says
///   mutated:arg 2              after each event that writes to that argument of the caller
///   memory:64MB                after the first node at which more bytes are alive
///
/// "First" is the first of each call in a training loop; of a source line also the first after nodes of other
/// lines.
struct StepBreakpoint {
    enum class Kind : std::uint8_t {
        Wrapper,
        Node,
        Operator,
        Line,
        NaN,
        Infinity,
        Above,
        Shape,
        Mutated,
        Memory
    };
    Kind kind = Kind::NaN;
    /// Wrapper, node, operator, file or argument.
    std::string text = {};
    /// A line, or the number of `above` and `memory` (in bytes).
    double number = 0;

    /// Errors: step.breakpoint, which lists the valid forms.
    [[nodiscard]] static base::Result<StepBreakpoint> parse(std::string_view text);
    /// The text form; parses back to the same breakpoint.
    [[nodiscard]] std::string toText() const;
    friend bool operator==(const StepBreakpoint&, const StepBreakpoint&) = default;
};
AOTSCOPE_MEMBERS(StepBreakpoint, kind, text, number)
AOTSCOPE_WORDS(StepBreakpoint::Kind, "wrapper", "node", "operator", "line", "nan", "infinity", "above",
               "shape", "mutated", "memory")

/// The breakpoint at which a call before event `next` pauses: one that is before that event, or after the
/// event before it. `facts` has an entry for each event that has run, and for `next` at least its origin.
/// Null: none.
[[nodiscard]] const StepBreakpoint* breakpointAt(std::span<const StepBreakpoint> breakpoints,
                                                 std::size_t next, std::span<const CallEvent> events,
                                                 std::span<const EventFacts> facts);

} // namespace aotscope::steps
