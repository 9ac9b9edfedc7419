#include "cuda/needed_libraries.h"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <optional>

namespace aotscope::torch {

namespace {

/// A value at a place of a file; nothing beyond its end.
template<typename T>
std::optional<T> valueAt(std::ifstream& file, std::uint64_t offset) {
    T value{};
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(reinterpret_cast<char*>(&value), sizeof value);
    return file ? std::optional(value) : std::nullopt;
}

std::vector<Elf64_Phdr> programHeaders(std::ifstream& file) {
    const auto header = valueAt<Elf64_Ehdr>(file, 0);
    std::vector<Elf64_Phdr> headers;
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64) {
        return headers;
    }
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
        if (const auto one = valueAt<Elf64_Phdr>(file, header->e_phoff + i * header->e_phentsize)) {
            headers.push_back(*one);
        }
    }
    return headers;
}

/// Where in the file an address of the loaded library lies.
std::optional<std::uint64_t> offsetOf(const std::vector<Elf64_Phdr>& headers, std::uint64_t address) {
    for (const Elf64_Phdr& header : headers) {
        if (header.p_type == PT_LOAD && address >= header.p_vaddr &&
            address - header.p_vaddr < header.p_filesz) {
            return address - header.p_vaddr + header.p_offset;
        }
    }
    return std::nullopt;
}

std::string textAt(std::ifstream& file, std::uint64_t offset) {
    constexpr std::size_t longest = 256;
    std::string text(longest, '\0');
    file.clear();
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(text.data(), longest);
    return text.substr(0, text.find('\0'));
}

} // namespace

std::vector<std::string> neededLibraries(const std::filesystem::path& library) {
    std::ifstream file(library, std::ios::binary);
    const std::vector<Elf64_Phdr> headers = programHeaders(file);
    std::vector<std::uint64_t> names;
    std::optional<std::uint64_t> strings;
    for (const Elf64_Phdr& header : headers) {
        const std::uint64_t entries = header.p_type == PT_DYNAMIC ? header.p_filesz / sizeof(Elf64_Dyn) : 0;
        for (std::uint64_t i = 0; i < entries; ++i) {
            const auto entry = valueAt<Elf64_Dyn>(file, header.p_offset + i * sizeof(Elf64_Dyn));
            if (!entry || entry->d_tag == DT_NULL) {
                break;
            }
            if (entry->d_tag == DT_NEEDED) {
                names.push_back(entry->d_un.d_val);
            } else if (entry->d_tag == DT_STRTAB) {
                strings = offsetOf(headers, entry->d_un.d_ptr);
            }
        }
    }
    std::vector<std::string> needed;
    for (const std::uint64_t name : names) {
        if (strings) {
            needed.push_back(textAt(file, *strings + name));
        }
    }
    return needed;
}

} // namespace aotscope::torch
