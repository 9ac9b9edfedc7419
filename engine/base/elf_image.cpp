#include "base/elf_image.h"

#include <utility>

namespace aotscope::base {

std::optional<ElfImage> ElfImage::open(std::string_view bytes) {
    ElfImage image;
    image.m_bytes = bytes;
    Elf64_Ehdr& header = image.m_header;
    if (bytes.size() < sizeof header) {
        return std::nullopt;
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
        return std::nullopt;
    }
    image.m_sections =
        elfEntries<Elf64_Shdr>(image.part(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)));
    image.m_segments =
        elfEntries<Elf64_Phdr>(image.part(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)));
    const bool isWhole =
        image.m_sections.size() == header.e_shnum && image.m_segments.size() == header.e_phnum;
    return isWhole ? std::optional(std::move(image)) : std::nullopt;
}

std::string_view ElfImage::part(std::uint64_t offset, std::uint64_t size) const {
    const bool isInside = offset <= m_bytes.size() && size <= m_bytes.size() - offset;
    return isInside ? m_bytes.substr(offset, size) : std::string_view();
}

std::string_view ElfImage::contents(const Elf64_Shdr& section) const {
    return section.sh_type == SHT_NOBITS ? std::string_view() : part(section.sh_offset, section.sh_size);
}

std::string_view ElfImage::name(const Elf64_Shdr& section) const {
    const std::size_t names = m_header.e_shstrndx;
    return names < m_sections.size() ? text(contents(m_sections[names]), section.sh_name)
                                     : std::string_view();
}

std::string_view ElfImage::text(std::string_view strings, std::uint64_t offset) {
    return offset < strings.size() ? strings.substr(offset, strings.find('\0', offset) - offset)
                                   : std::string_view();
}

} // namespace aotscope::base
