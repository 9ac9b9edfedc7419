#pragma once

#include "ir/graph.h"

#include <set>
#include <span>
#include <string>

namespace aotscope::session {

/// Names ("aten::add") of the operators that a backend knows, from its schemas.
[[nodiscard]] std::set<std::string, std::less<>> operatorNames(std::span<const std::string> schemas);

/// What about a program the engine cannot trace because it does not have it, although a trace of the rest
/// would seem to go well: effect tokens (an operator with an ordered effect), inputs of a tensor subclass.
/// Recognized by what the graph holds. Empty: nothing.
[[nodiscard]] std::string untraceableKind(const ir::Graph& program);

/// What about a program probably made a trace fail: a higher-order operator, or an operator that no library
/// here has, whose Python code the log lacks. Empty: nothing of the kind; then the error alone tells.
[[nodiscard]] std::string suspectedKind(const ir::Graph& program,
                                        const std::set<std::string, std::less<>>& knownOperators);

} // namespace aotscope::session
