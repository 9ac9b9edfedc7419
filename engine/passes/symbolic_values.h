#pragma once

#include "ir/graph.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace aotscope::passes {

struct SymbolicValue;
using SymbolicValuePtr = std::shared_ptr<const SymbolicValue>;

/// The number that a node of symbolic arithmetic gives, in the form that sympy brings it to: sums and
/// products flat, their numbers in front, equal ones counted.
struct SymbolicValue {
    enum class Kind : std::uint8_t {
        Number,
        Symbol,
        Sum,
        Product,
        Power,
        TrueQuotient,
        IntQuotient,
        FloorQuotient,
        ToFloat,
        /// What has no such form here.
        Other,
    };
    Kind kind = Kind::Other;
    /// A Python float.
    bool real = false;
    std::variant<std::int64_t, double> number = std::int64_t{0};
    std::vector<SymbolicValuePtr> parts;
    /// The same for equal ones, and for no others.
    std::string key;
};

/// The symbolic numbers of a graph by node id index; null for what is none.
[[nodiscard]] std::vector<SymbolicValuePtr> symbolicValues(const ir::Graph& graph);

} // namespace aotscope::passes
