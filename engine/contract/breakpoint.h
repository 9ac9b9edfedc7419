#pragma once

#include "ir/graph.h"

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace aotscope::session {

/// Where a trace is to pause. A person writes it as text:
///
///   model.py:41      before the first node that comes from this source line, forward and backward
///   op:mm            before each call of an operator: `mm`, `aten.mm` (any overload), `aten.mm.default`
///   node:add_3       before the traced graph's node of that name is recorded
///   program:linear   before the first node that comes from this node of the program (the Dynamo graph)
///   stage:NAME       before a stage of the compile (aot::StageKind): "pre-compile wrappers", "joint trace",
///   … guard            whenever a guard on symbols is added
struct Breakpoint {
    enum class Kind : std::uint8_t { Line, Operator, Node, ProgramNode, Guard, Stage };
    Kind kind = Kind::Guard;
    /// File, operator, stage or node name; empty for a guard. For a file the end of its path is enough.
    std::string text;
    /// Number of a source line, from 1.
    int line = 0;

    /// Errors: retrace.breakpoint, which lists the valid forms.
    [[nodiscard]] static base::Result<Breakpoint> parse(std::string_view text);
    /// The text form; parses back to the same breakpoint.
    [[nodiscard]] std::string toText() const;

    [[nodiscard]] bool isAt(const ir::SourceLocation& source) const;
    /// Whether it is a breakpoint on an operator that this call target names ("aten.mm.default").
    [[nodiscard]] bool isOperator(std::string_view target) const;

    friend bool operator==(const Breakpoint&, const Breakpoint&) = default;
};
AOTSCOPE_MEMBERS(Breakpoint, kind, text, line)
AOTSCOPE_WORDS(Breakpoint::Kind, "line", "operator", "node", "program_node", "guard", "stage")

} // namespace aotscope::session
