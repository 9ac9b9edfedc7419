#pragma once

#include "fake/shape_environment.h"
#include "trace/program_position.h"

#include "ir/graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

/// Values of data-dependent numbers that the logged program shows.
namespace aotscope::torch {

/// The float value of a node in the logged program: a specialized constant, or a symbol with a hint. Nullopt
/// when neither is known.
[[nodiscard]] std::optional<ShapeEnvironment::KnownFloat>
knownFloat(const ir::Node& node, const std::map<std::string, double>& hints);

/// The result of a data-dependent node (the item, or the number of rows) where the logged program shows it as
/// a plain integer, because its unbacked symbol was specialized. Nullopt otherwise.
[[nodiscard]] std::optional<std::int64_t> knownCount(const ir::Node& node);

/// Fills in the program node and source line of a guard.
void placeGuard(aot::RetraceGuard& guard, const ProgramPosition& position);

} // namespace aotscope::torch
