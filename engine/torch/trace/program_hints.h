#pragma once

#include "fake/shape_environment.h"
#include "trace/program_position.h"

#include "ir/graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

/// What a program's nodes tell of numbers that shapes alone do not.
namespace aotscope::torch {

/// The float that a node gives according to the program: one that the compile took for granted, or a symbol
/// of an input.
[[nodiscard]] std::optional<ShapeEnvironment::KnownFloat>
knownFloat(const ir::Node& node, const std::map<std::string, double>& hints);

/// How many elements, or which item, a node that asks the data found according to the program: where the
/// program bounded its symbol to one number, the symbol is gone from the log.
[[nodiscard]] std::optional<std::int64_t> knownCount(const ir::Node& node);

/// Notes where a guard came from.
void placeGuard(aot::RetraceGuard& guard, const ProgramPosition& position);

} // namespace aotscope::torch
