#include "fake_kernels.h"

#include "kernels/compile_wire.h"
#include "kernels/cubin_facts.h"
#include "kernels/kernel_cache.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

namespace fake_cuda {

namespace {

namespace kernels = aotscope::kernels;

/// A cubin and the text that it was compiled from.
struct Origin {
    std::string text;
    std::string cubin;
};

std::optional<Origin> originIn(const std::filesystem::path& entry, const void* image) {
    std::ifstream in(entry, std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
    std::string_view rest = all;
    // Two lines come before: the form and the digest.
    for (int line = 0; line < 2; ++line) {
        const std::size_t end = rest.find('\n');
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        rest.remove_prefix(end + 1);
    }
    const auto key = kernels::takeRequest(rest);
    std::string_view keyText = key ? std::string_view(key->text) : std::string_view();
    const auto request = kernels::takeRequest(keyText);
    auto answer = kernels::takeAnswer(rest);
    // The file's header tells where it ends, so that images of equal headers are equally long.
    constexpr std::size_t headerBytes = 64;
    if (!request || !answer || answer->answer.cubin.size() < headerBytes ||
        std::memcmp(image, answer->answer.cubin.data(), headerBytes) != 0 ||
        std::memcmp(image, answer->answer.cubin.data(), answer->answer.cubin.size()) != 0) {
        return std::nullopt;
    }
    return Origin{request->text, std::move(answer->answer.cubin)};
}

std::optional<Origin> originOf(const void* image) {
    std::error_code failed;
    for (const auto& entry :
         std::filesystem::directory_iterator(kernels::defaultKernelCacheFolder(), failed)) {
        if (entry.path().extension() == ".cubins") {
            if (auto origin = originIn(entry.path(), image)) {
                return origin;
            }
        }
    }
    return std::nullopt;
}

} // namespace

bool isCubin(const void* image) {
    return std::memcmp(image,
                       "\x7f"
                       "ELF",
                       4) == 0;
}

ImageKernel kernelOf(const void* image) {
    const auto origin = originOf(image);
    const auto facts =
        origin ? kernels::readCubin(origin->cubin)
               : aotscope::base::Result<std::vector<kernels::CubinFacts>>(std::vector<kernels::CubinFacts>());
    if (!facts || facts->size() != 1) {
        return {};
    }
    ImageKernel kernel;
    kernel.name = facts->front().kernel;
    kernel.parameters = static_cast<std::size_t>(facts->front().parameterBytes) / sizeof(void*);
    const std::string line = "#line 1 \"" + kernel.name + ".cu\"\n";
    const std::size_t begin = origin->text.rfind(line);
    if (begin == std::string::npos) {
        return {};
    }
    const std::string source = origin->text.substr(begin + line.size());
    const auto compiler = kernels::findHostCompiler();
    kernels::HostCompileOptions options;
    options.flags = kernels::hostCompileOptions();
    options.flags.emplace_back("-O1");
    const kernels::HostSource text{kernels::hostPreludeText(),
                                   {{kernel.name, source, kernels::hostEntryText(kernel.name, source)}}};
    auto built = compiler ? kernels::compileForHost(*compiler, text, options) : compiler.error();
    if (!built || !built->library) {
        std::cerr << "the pretended GPU could not compile " << kernel.name << "\n";
        return {};
    }
    kernel.library = built->library;
    kernel.entry = kernel.library->function<void(void**, unsigned, unsigned, unsigned)>(
        kernels::hostEntryName(kernel.name));
    return kernel.entry != nullptr ? kernel : ImageKernel{};
}

} // namespace fake_cuda
