#pragma once

#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string_view>
#include <vector>

namespace aotscope::base {

/// The entries of a table; a cut-off last one is left out.
template<typename Entry>
[[nodiscard]] std::vector<Entry> elfEntries(std::string_view table) {
    std::vector<Entry> entries(table.size() / sizeof(Entry));
    if (!entries.empty()) {
        std::memcpy(entries.data(), table.data(), entries.size() * sizeof(Entry));
    }
    return entries;
}

/// A 64-bit ELF file in memory, which must outlive it. Whatever lies outside of it is empty.
class ElfImage {
public:
    /// Nothing: no such file, or a table of its parts is cut off.
    [[nodiscard]] static std::optional<ElfImage> open(std::string_view bytes);

    [[nodiscard]] const Elf64_Ehdr& header() const { return m_header; }
    [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return m_sections; }
    [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return m_segments; }
    [[nodiscard]] std::string_view part(std::uint64_t offset, std::uint64_t size) const;
    [[nodiscard]] std::string_view contents(const Elf64_Shdr& section) const;
    [[nodiscard]] std::string_view name(const Elf64_Shdr& section) const;
    /// From `offset` of a table of strings up to its zero.
    [[nodiscard]] static std::string_view text(std::string_view strings, std::uint64_t offset);

private:
    std::string_view m_bytes;
    Elf64_Ehdr m_header = {};
    std::vector<Elf64_Shdr> m_sections;
    std::vector<Elf64_Phdr> m_segments;
};

} // namespace aotscope::base
