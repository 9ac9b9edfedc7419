#pragma once

#include "ir/operators/operator.h"

#include <initializer_list>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace aotscope::ir::detail {

/// The rows of all families.
class OperatorTable {
public:
    OperatorTable();

    /// Operators ("aten.add") of which the same is known. What an operator's name alone decides (MovesValues,
    /// MultipliesMatrices, index operands, …) stands in one namespace's row and holds for all. Throws
    /// std::logic_error for an operator that has a row.
    void add(std::initializer_list<std::string_view> packets, Trait traits, const OperatorFacts& facts = {});
    void add(std::string_view packet, const ElementExpression& expression);

    [[nodiscard]] const OperatorRow& ofPacket(std::string_view packet) const;
    [[nodiscard]] const OperatorRow& ofName(std::string_view name) const;
    [[nodiscard]] bool isSeeded(std::string_view target) const { return m_seeded.contains(target); }

private:
    using Rows = std::unordered_map<std::string_view, OperatorRow>;

    void addTags();

    Rows m_byPacket;
    Rows m_byName;
    std::unordered_set<std::string_view> m_seeded;
};

void addArithmetic(OperatorTable& table);
void addAttention(OperatorTable& table);
void addCreation(OperatorTable& table);
void addElements(OperatorTable& table);
void addIndexing(OperatorTable& table);
void addLayers(OperatorTable& table);
void addLinearAlgebra(OperatorTable& table);
void addPython(OperatorTable& table);
void addReductions(OperatorTable& table);
void addViews(OperatorTable& table);

/// A set of argument positions.
template<typename... Position>
constexpr Positions positions(Position... position) {
    return static_cast<Positions>(((1U << static_cast<unsigned>(position)) | ...));
}

} // namespace aotscope::ir::detail
