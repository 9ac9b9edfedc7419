#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aotscope::load {

/// File names that stacks refer to by number. A log made of several has several tables one after another, so
/// a number means what the last definition before the record says. An index costs what is defined, however
/// large it is.
class StringTable {
public:
    /// False when the index is none that PyTorch would write at this place: they grow from 0 one by one.
    bool define(std::int64_t index, std::uint32_t record, const std::string& text);
    /// What `index` means in `record`; nothing when it is undefined there.
    [[nodiscard]] std::optional<std::string> tryFind(std::int64_t index, std::uint32_t record) const;

private:
    struct Definition {
        std::uint32_t record = 0;
        std::uint32_t text = 0;
    };
    std::unordered_map<std::uint32_t, std::vector<Definition>> m_definitions;
    std::vector<std::string> m_texts;
    std::unordered_map<std::string, std::uint32_t> m_numbers;
};

} // namespace aotscope::load
