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

/// The value of a node of symbolic arithmetic in sympy's canonical form: sums and products are flat, their
/// numeric part comes first, and equal terms are collected.
struct SymbolicValue {
    enum class Kind : std::uint8_t {
        Number,
        Symbol,
        Sum,
        Product,
        Power,
        FloatPower,
        TrueQuotient,
        IntQuotient,
        FloorQuotient,
        ToFloat,
        /// A function of Python's math on a float: OpaqueUnaryFn_sqrt.
        Function,
        /// An expression that this program does not canonicalize.
        Other,
    };
    Kind kind = Kind::Other;
    /// A Python float.
    bool real = false;
    std::variant<std::int64_t, double> number = std::int64_t{0};
    /// Name of a Function: "sqrt", which is also the operator's name.
    std::string function;
    std::vector<SymbolicValuePtr> parts;
    /// Two values have the same key if and only if their canonical forms are equal.
    std::string key;
};

/// The symbolic values of a graph's nodes by node id index; null for other nodes.
[[nodiscard]] std::vector<SymbolicValuePtr> symbolicValues(const ir::Graph& graph);

} // namespace aotscope::passes
