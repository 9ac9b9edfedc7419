#pragma once

#include "ir/graph.h"

#include <set>
#include <span>
#include <string>

namespace aotscope::session {

/// Names ("aten::add") of a backend's operators, from its schemas.
[[nodiscard]] std::set<std::string, std::less<>> operatorNames(std::span<const std::string> schemas);

/// What in a program the engine cannot trace, although tracing would seem to succeed without it: effect
/// tokens (operators with an ordered effect), inputs of a tensor subclass. Judged by the graph alone. Empty:
/// nothing.
[[nodiscard]] std::string untraceableKind(const ir::Graph& program);

/// What in a program probably caused a failed trace: a higher-order operator, or an operator that no library
/// here registers. `failed` is the node that the error names, if it names one: then nothing else is
/// suspected. Empty: nothing, so the error must explain itself.
[[nodiscard]] std::string suspectedKind(const ir::Graph& program,
                                        const std::set<std::string, std::less<>>& knownOperators,
                                        std::string_view failed = {});

} // namespace aotscope::session
