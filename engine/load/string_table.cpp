#include "load/string_table.h"

#include <algorithm>

namespace aotscope::load {

namespace {

// A log without its start begins with a higher index, but no log has a million files.
constexpr std::int64_t indexLimit = 1'000'000;

} // namespace

bool StringTable::define(std::int64_t index, std::uint32_t record, const std::string& text) {
    if (index < 0 || index > indexLimit) {
        return false;
    }
    const auto [at, isNew] = m_numbers.try_emplace(text, static_cast<std::uint32_t>(m_texts.size()));
    if (isNew) {
        m_texts.push_back(text);
    }
    auto& definitions = m_definitions[static_cast<std::uint32_t>(index)];
    if (definitions.empty() || definitions.back().text != at->second) {
        definitions.push_back({record, at->second});
    }
    return true;
}

std::optional<std::string> StringTable::tryFind(std::int64_t index, std::uint32_t record) const {
    if (index < 0 || index > indexLimit) {
        return std::nullopt;
    }
    const auto found = m_definitions.find(static_cast<std::uint32_t>(index));
    if (found == m_definitions.end()) {
        return std::nullopt;
    }
    const auto& definitions = found->second;
    auto at = std::upper_bound(definitions.begin(), definitions.end(), record,
                               [](std::uint32_t r, const Definition& d) { return r < d.record; });
    if (at == definitions.begin()) {
        // The definition comes later, because records were reordered: the first one is the best guess.
        return m_texts[definitions.front().text];
    }
    return m_texts[(at - 1)->text];
}

} // namespace aotscope::load
