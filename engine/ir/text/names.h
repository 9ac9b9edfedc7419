#pragma once

#include "ir/argument.h"
#include "ir/symbolic/expression.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// What the readers of graph text look up; for them only. Views point into the text being read.
namespace aotscope::ir {

/// Node names to ids: open addressing, because there is one lookup per argument. The slots are apart from the
/// names, so that those of a large graph stay in the processor's cache.
class NameTable {
public:
    /// `id` from now on, also where the name meant something else.
    void insert(std::string_view name, NodeId id) {
        if ((m_entries.size() + 1) * 2 > m_slots.size()) {
            grow();
        }
        const std::uint32_t hash = hashOf(name);
        Slot& slot = m_slots[slotOf(name, hash)];
        if (slot.entry == 0) {
            m_entries.push_back({name, id});
            slot = {hash, static_cast<std::uint32_t>(m_entries.size())};
        } else {
            m_entries[slot.entry - 1].id = id;
        }
    }

    /// Invalid when unknown.
    [[nodiscard]] NodeId find(std::string_view name) const {
        if (m_slots.empty()) {
            return {};
        }
        const std::uint32_t entry = m_slots[slotOf(name, hashOf(name))].entry;
        return entry == 0 ? NodeId() : m_entries[entry - 1].id;
    }

    /// The name means nothing from now on (a parameter that got another name in the body).
    void forget(std::string_view name) {
        if (find(name).valid()) {
            insert(name, NodeId());
        }
    }

private:
    struct Entry {
        std::string_view name;
        NodeId id;
    };
    struct Slot {
        std::uint32_t hash = 0;
        /// One more than its place among the entries; 0: free.
        std::uint32_t entry = 0;
    };

    /// Eight characters at a time: names are short, and hashing them is much of a lookup.
    [[nodiscard]] static std::uint32_t hashOf(std::string_view name) {
        constexpr std::uint64_t factor = 0x9E3779B97F4A7C15U;
        std::uint64_t hash = name.size() * factor;
        while (!name.empty()) {
            std::uint64_t word = 0;
            const std::size_t taken = std::min(name.size(), sizeof(word));
            std::memcpy(&word, name.data(), taken);
            hash = (hash ^ word) * factor;
            hash ^= hash >> 32U;
            name.remove_prefix(taken);
        }
        return static_cast<std::uint32_t>(hash);
    }

    /// The slot of that name, or the free one where it belongs.
    [[nodiscard]] std::size_t slotOf(std::string_view name, std::uint32_t hash) const {
        const std::size_t mask = m_slots.size() - 1;
        std::size_t i = hash & mask;
        while (m_slots[i].entry != 0 &&
               (m_slots[i].hash != hash || m_entries[m_slots[i].entry - 1].name != name)) {
            i = (i + 1) & mask;
        }
        return i;
    }

    void grow() {
        std::vector<Slot> old(std::max<std::size_t>(m_slots.size() * 4, 64));
        old.swap(m_slots);
        const std::size_t mask = m_slots.size() - 1;
        for (const Slot& slot : old) {
            if (slot.entry != 0) {
                std::size_t i = slot.hash & mask;
                while (m_slots[i].entry != 0) {
                    i = (i + 1) & mask;
                }
                m_slots[i] = slot;
            }
        }
    }

    std::vector<Slot> m_slots;
    std::vector<Entry> m_entries;
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
