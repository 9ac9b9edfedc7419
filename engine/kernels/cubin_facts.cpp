#include "kernels/cubin_facts.h"

#include "base/mapped.h"
#include "kernels/scan_text.h"

#include "base/elf_image.h"
#include "base/little_endian.h"
#include "base/numbers.h"

#include <algorithm>
#include <elf.h>
#include <map>

namespace aotscope::kernels {

namespace {

// Attributes of `.nv.info` sections, as NVIDIA's tools name them (cuobjdump -elf).
constexpr std::uint8_t attributeFrameSize = 0x11;  // EIATTR_FRAME_SIZE: symbol, bytes
constexpr std::uint8_t attributeParameters = 0x19; // EIATTR_CBANK_PARAM_SIZE: bytes
constexpr std::uint8_t attributeRegisters = 0x2f;  // EIATTR_REGCOUNT: symbol, number
constexpr std::uint8_t attributeBarriers = 0x4c;   // EIATTR_NUM_BARRIERS: number
constexpr std::uint8_t formatSized = 4;            // EIFMT_SVAL: the value's bytes follow
constexpr std::uint8_t abiWithNewFlags = 0x41;     // of the ELF header: where the flags hold the architecture
/// What the system takes of the shared memory of a block, which newer images count in.
constexpr std::int64_t systemSharedBytes = 1024;
constexpr unsigned firstThatCountsSystemShared = 90;

using Image = base::ElfImage;

unsigned architectureOf(const Elf64_Ehdr& header) {
    return (header.e_ident[EI_OSABI] == abiWithNewFlags ? header.e_flags >> 8U : header.e_flags) & 0xffU;
}

/// The name of each symbol, by its number.
std::vector<std::string_view> symbolNames(const Image& image) {
    std::vector<std::string_view> names;
    for (const Elf64_Shdr& section : image.sections()) {
        if (section.sh_type != SHT_SYMTAB || section.sh_link >= image.sections().size()) {
            continue;
        }
        const std::string_view strings = image.contents(image.sections()[section.sh_link]);
        for (const Elf64_Sym& symbol : base::elfEntries<Elf64_Sym>(image.contents(section))) {
            names.push_back(Image::text(strings, symbol.st_name));
        }
    }
    return names;
}

std::uint32_t wordOf32Bits(std::string_view bytes, std::size_t offset) {
    constexpr std::size_t size = 4;
    return offset + size <= bytes.size()
               ? static_cast<std::uint32_t>(base::fromLittleEndian(bytes.substr(offset, size)))
               : 0;
}

/// Calls `visit(attribute, value of 16 bits, bytes)` for each attribute of a section.
template<typename Visit>
void forEachAttribute(std::string_view section, Visit&& visit) {
    constexpr std::size_t headBytes = 4;
    while (section.size() >= headBytes) {
        const auto format = static_cast<std::uint8_t>(section[0]);
        const auto attribute = static_cast<std::uint8_t>(section[1]);
        const std::uint32_t value = wordOf32Bits(section, 0) >> 16U;
        section.remove_prefix(headBytes);
        const std::size_t length = format == formatSized ? value : 0;
        if (length > section.size()) {
            return;
        }
        visit(attribute, value, section.substr(0, length));
        section.remove_prefix(length);
    }
}

/// What stands behind a prefix in a section's name; empty: another prefix.
std::string behind(std::string_view name, std::string_view prefix) {
    return name.starts_with(prefix) ? std::string(name.substr(prefix.size())) : std::string();
}

using Found = std::map<std::string, CubinFacts, std::less<>>;

void readShared(const Image& image, const Elf64_Shdr& section, CubinFacts& facts) {
    facts.staticSharedBytes = static_cast<std::int64_t>(section.sh_size);
    if (architectureOf(image.header()) >= firstThatCountsSystemShared &&
        facts.staticSharedBytes >= systemSharedBytes) {
        facts.staticSharedBytes -= systemSharedBytes;
    }
}

/// Constants of bank 0 are parameters and the system's; other banks belong to one kernel
/// (".nv.constant2.NAME") or to all (".nv.constant3").
void readConstants(const Image& image, Found& found) {
    for (const Elf64_Shdr& section : image.sections()) {
        const std::string rest = behind(image.name(section), ".nv.constant");
        if (rest.empty() || rest.front() == '0') {
            continue;
        }
        const std::size_t dot = rest.find('.');
        for (auto& [name, facts] : found) {
            if (dot == std::string::npos || rest.substr(dot + 1) == name) {
                facts.constantBytes += static_cast<std::int64_t>(section.sh_size);
            }
        }
    }
}

void readAttributes(const Image& image, Found& found) {
    const std::vector<std::string_view> symbols = symbolNames(image);
    for (const Elf64_Shdr& section : image.sections()) {
        const std::string_view name = image.name(section);
        const auto own = found.find(behind(name, ".nv.info."));
        forEachAttribute(name.starts_with(".nv.info") ? image.contents(section) : std::string_view(),
                         [&](std::uint8_t attribute, std::uint32_t value, std::string_view bytes) {
                             const std::uint32_t symbol = wordOf32Bits(bytes, 0);
                             const auto named =
                                 symbol < symbols.size() ? found.find(symbols[symbol]) : found.end();
                             if (attribute == attributeRegisters && named != found.end()) {
                                 named->second.registers = wordOf32Bits(bytes, 4);
                             } else if (attribute == attributeFrameSize && named != found.end()) {
                                 named->second.localBytes = wordOf32Bits(bytes, 4);
                             } else if (attribute == attributeParameters && own != found.end()) {
                                 own->second.parameterBytes = value;
                             } else if (attribute == attributeBarriers && own != found.end()) {
                                 own->second.barriers = value & 0xffU;
                             }
                         });
    }
}

/// The number before some words: 12 of "Used 12 registers" before " registers".
std::int64_t numberBefore(std::string_view line, std::string_view words) {
    const std::size_t end = line.find(words);
    if (end == std::string_view::npos) {
        return 0;
    }
    std::size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') {
        --begin;
    }
    return base::leadingNumber<std::int64_t>(line.substr(begin, end - begin)).value_or(0);
}

} // namespace

base::Result<std::vector<CubinFacts>> readCubin(std::string_view cubin) {
    const auto image = Image::open(cubin);
    if (!image || image->header().e_machine != EM_CUDA) {
        return base::Error{.code = "kernels.bad_cubin",
                           .message = "The compiled kernel is no image for an NVIDIA GPU, or is cut off."};
    }
    Found found;
    for (const Elf64_Shdr& section : image->sections()) {
        if (std::string name = behind(image->name(section), ".nv.info."); !name.empty()) {
            found[name].kernel = name;
        }
    }
    for (const Elf64_Shdr& section : image->sections()) {
        if (const auto at = found.find(behind(image->name(section), ".nv.shared.")); at != found.end()) {
            readShared(*image, section, at->second);
        }
    }
    readConstants(*image, found);
    readAttributes(*image, found);
    return base::mapped(found, [](auto& each) { return std::move(each.second); });
}

std::vector<AssemblerFacts> readAssemblerLog(std::string_view log) {
    std::vector<AssemblerFacts> kernels;
    while (!log.empty()) {
        const std::string_view line = takeLine(log);
        constexpr std::string_view start = "Compiling entry function '";
        if (const std::size_t at = line.find(start); at != std::string_view::npos) {
            const std::string_view name = line.substr(at + start.size());
            kernels.push_back(
                {.kernel = std::string(name.substr(0, std::min(name.find('\''), name.size())))});
        } else if (!kernels.empty() && line.find("bytes stack frame") != std::string_view::npos) {
            kernels.back().stackBytes = numberBefore(line, " bytes stack frame");
            kernels.back().spillStoreBytes = numberBefore(line, " bytes spill stores");
            kernels.back().spillLoadBytes = numberBefore(line, " bytes spill loads");
        } else if (!kernels.empty() && line.find(" registers") != std::string_view::npos) {
            kernels.back().registers = numberBefore(line, " registers");
            kernels.back().barriers = numberBefore(line, " barriers");
            kernels.back().staticSharedBytes = numberBefore(line, " bytes smem");
        }
    }
    std::ranges::sort(kernels, {}, &AssemblerFacts::kernel);
    return kernels;
}

} // namespace aotscope::kernels
