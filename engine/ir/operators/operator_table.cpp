#include "ir/operators/operator_table.h"

#include "ir/operator_name.h"
#include "ir/operator_texts.h"

#include "base/text_search.h"

#include <stdexcept>
#include <string>

namespace aotscope::ir {
namespace {

const detail::OperatorTable& operatorTable() {
    static const detail::OperatorTable table;
    return table;
}

template<typename Rows>
const OperatorRow& operatorRow(const Rows& rows, std::string_view key) {
    static constexpr OperatorRow unknown;
    const auto found = rows.find(key);
    return found == rows.end() ? unknown : found->second;
}

} // namespace

detail::OperatorTable::OperatorTable() {
    for (const auto addFamily : {addArithmetic, addAttention, addCreation, addElements, addIndexing,
                                 addLayers, addLinearAlgebra, addPython, addReductions, addViews}) {
        addFamily(*this);
    }
    addTags();
}

void detail::OperatorTable::add(std::initializer_list<std::string_view> packets, Trait traits,
                                const OperatorFacts& facts) {
    for (const std::string_view packet : packets) {
        if (!m_byPacket.emplace(packet, OperatorRow{traits, facts}).second) {
            throw std::logic_error(std::string(packet) + " has two rows");
        }
        OperatorRow& row = m_byName[functionName(packet)];
        row.traits = row.traits | traits;
        if (!facts.indexes.empty()) {
            row.facts.indexes = facts.indexes;
        }
        row.facts.nonNegative |= facts.nonNegative;
        row.facts.nonZero |= facts.nonZero;
        row.facts.probabilities |= facts.probabilities;
        if (!facts.draws.empty()) {
            row.facts.draws = facts.draws;
        }
    }
}

void detail::OperatorTable::add(std::string_view packet, const ElementExpression& expression) {
    add({packet}, {}, {.expression = expression});
}

void detail::OperatorTable::addTags() {
    std::string_view rest = operatorTags();
    while (!rest.empty()) {
        std::string_view line = base::takePart(rest, '\n');
        const std::string_view tag = base::takePart(line, ' ');
        if (tag == "nondeterministic_seeded") {
            m_seeded.insert(line);
        } else if (!tag.empty()) {
            OperatorRow& row = m_byPacket[line];
            row.traits = row.traits | (tag == "pointwise" ? Trait::Pointwise : Trait::LaterPointwise);
        }
    }
}

const OperatorRow& detail::OperatorTable::ofPacket(std::string_view packet) const {
    return operatorRow(m_byPacket, packet);
}

const OperatorRow& detail::OperatorTable::ofName(std::string_view name) const {
    return operatorRow(m_byName, name);
}

Operator::Operator(std::string_view target) {
    const OperatorName name = splitTarget(target);
    m_row = &operatorTable().ofPacket(name.packet);
    const std::string_view overloads = m_row->facts.overloads;
    m_isListedOverload = overloads == name.overload || base::hasWord(overloads, name.overload);
}

const OperatorRow& operatorNamed(std::string_view name) {
    return operatorTable().ofName(name);
}

bool isSeeded(std::string_view target) {
    return operatorTable().isSeeded(target);
}

} // namespace aotscope::ir
