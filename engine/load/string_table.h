#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aotscope::load {

/// The file names that stacks refer to by number. A log may be a concatenation of logs with a table each, so
/// a number means its last definition before the record. Memory depends on the number of definitions, not on
/// the largest number. Follows torch 2.11, torch/_logging/structured.py: intern_string.
class StringTable {
public:
    /// False: PyTorch would not write this index here, because indices count up from 0.
    bool define(std::int64_t index, std::uint32_t record, const std::string& text);
    /// The text of `index` in `record`; nothing: not defined there.
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
