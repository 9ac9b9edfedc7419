#pragma once

#include "ir/argument.h"
#include "ir/symbolic.h"

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// What the readers of graph text look up; for them only. Views point into the text being read.
namespace aotscope::ir {

/// Node names to ids: open addressing, because one lookup is made per argument.
class NameTable {
public:
    void insert(std::string_view name, NodeId id) {
        if ((m_count + 1) * 2 > m_slots.size()) {
            grow();
        }
        place(Slot{name, std::hash<std::string_view>{}(name), id});
    }

    /// Invalid when unknown.
    [[nodiscard]] NodeId find(std::string_view name) const {
        if (m_slots.empty()) {
            return {};
        }
        const std::size_t hash = std::hash<std::string_view>{}(name);
        for (std::size_t i = hash & (m_slots.size() - 1);; i = (i + 1) & (m_slots.size() - 1)) {
            if (m_slots[i].name.data() == nullptr) {
                return {};
            }
            if (m_slots[i].hash == hash && m_slots[i].name == name) {
                return m_slots[i].id;
            }
        }
    }

    /// The name means nothing from now on (a parameter that got another name in the body).
    void forget(std::string_view name) {
        if (find(name).valid()) {
            insert(name, NodeId());
        }
    }

private:
    struct Slot {
        std::string_view name;
        std::size_t hash = 0;
        NodeId id;
    };

    void place(const Slot& entry) {
        std::size_t i = entry.hash & (m_slots.size() - 1);
        while (m_slots[i].name.data() != nullptr &&
               (m_slots[i].hash != entry.hash || m_slots[i].name != entry.name)) {
            i = (i + 1) & (m_slots.size() - 1);
        }
        m_count += m_slots[i].name.data() == nullptr ? 1 : 0;
        m_slots[i] = entry;
    }

    void grow() {
        std::vector<Slot> old(m_slots.empty() ? 64 : m_slots.size() * 2);
        old.swap(m_slots);
        m_count = 0;
        for (const Slot& entry : old) {
            if (entry.name.data() != nullptr) {
                place(entry);
            }
        }
    }

    std::vector<Slot> m_slots;
    std::size_t m_count = 0;
};

/// The name FX gives to the output node: "output", or with a number when a node has that name.
[[nodiscard]] inline std::string unusedOutputName(const NameTable& names) {
    std::string name = "output";
    for (int number = 1; names.find(name).valid(); ++number) {
        name = "output_" + std::to_string(number);
    }
    return name;
}

/// Expressions by text: a dynamic graph repeats few of them in every shape.
class SymbolCache {
public:
    const SymExpr& get(std::string_view text) {
        const auto found = m_expressions.find(text);
        return found != m_expressions.end() ? found->second
                                            : m_expressions.emplace(text, SymExpr(text)).first->second;
    }

private:
    std::unordered_map<std::string_view, SymExpr> m_expressions;
};

} // namespace aotscope::ir
