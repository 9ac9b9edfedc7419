#include "aot/compile_configuration.h"

#include <algorithm>
#include <array>

namespace aotscope::aot {
namespace {

constexpr std::array<std::string_view, 3> tableNames = {"none", "core", "inductor"};

} // namespace

std::string_view decompositionTableName(DecompositionTable table) {
    return tableNames[static_cast<std::size_t>(table)];
}

std::optional<DecompositionTable> decompositionTableFromName(std::string_view name) {
    const auto found = std::ranges::find(tableNames, name);
    return found == tableNames.end()
               ? std::nullopt
               : std::optional(static_cast<DecompositionTable>(found - tableNames.begin()));
}

} // namespace aotscope::aot
