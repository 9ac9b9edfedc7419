#pragma once

#include "ir/symbolic/expression.h"

#include "base/result.h"

#include <string>

namespace aotscope::torch {

/// Checks a fact that the user states for a trace whose symbols have these hints. It must be a relation of
/// known symbols that holds for the hints, because the trace takes the branches of the hints. Errors:
/// trace.fact.
[[nodiscard]] base::Result<void> checkFact(const std::string& fact, const ir::SymbolBindings& hints);

} // namespace aotscope::torch
