#include "kernels/kernel_cache.h"

#include "kernels/compile_wire.h"
#include "kernels/file_directives.h"
#include "load/md5.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

constexpr std::string_view formatLine = "aotscope compiled kernel 1\n";
constexpr std::size_t digestDigits = 32;

/// Everything that the result depends on, as text.
std::string keyOf(const Nvrtc& nvrtc, const CudaRequest& request) {
    WireRequest key{request.text, request.options};
    key.options.push_back("architecture " + request.architecture);
    key.options.push_back("NVRTC " + nvrtc.version());
    std::string text;
    appendRequest(text, key);
    return text;
}

std::string fileName(const std::string& key) {
    return load::md5Of(key) + ".cubins";
}

/// The form's line; the digest of the rest; the key, to detect two texts with the same digest; the result.
std::string entryText(const std::string& key, const CudaBuild& build) {
    std::string body;
    appendRequest(body, {key, {}});
    appendAnswer(body, {{true, "", build.log, build.ptx, build.cubin},
                        static_cast<std::uint64_t>(build.seconds * 1e6)});
    return std::string(formatLine) + load::md5Of(body) + "\n" + body;
}

std::optional<CudaBuild> readEntry(std::string_view text, std::string_view key) {
    if (!text.starts_with(formatLine) || text.size() < formatLine.size() + digestDigits + 1) {
        return std::nullopt;
    }
    text.remove_prefix(formatLine.size());
    const std::string_view digest = text.substr(0, digestDigits);
    text.remove_prefix(digestDigits + 1);
    if (load::md5Of(text) != digest) {
        return std::nullopt;
    }
    const auto storedKey = takeRequest(text);
    auto answer = storedKey && storedKey->text == key ? takeAnswer(text) : std::nullopt;
    if (!answer || !answer->answer.compiled || answer->answer.cubin.empty()) {
        return std::nullopt;
    }
    return buildOf(*std::move(answer));
}

} // namespace

KernelCache::KernelCache(std::filesystem::path folder, std::uint64_t mostBytes)
    : m_folder({.folder = std::move(folder),
                .suffix = ".cubins",
                .digests = 1,
                .mostBytes = mostBytes,
                .mostEntryBytes = std::min(mostBytes, std::uint64_t(32) << 20U),
                .hint = "Compiled kernels are kept in this folder; it may be removed."}) {}

std::optional<CudaBuild> KernelCache::lookup(const Nvrtc& nvrtc, const CudaRequest& request) const {
    // A text that is refused is refused, whatever lies in the folder.
    if (!m_folder.isUsed() || !fileDirectives(request.source).empty()) {
        return std::nullopt;
    }
    const std::string key = keyOf(nvrtc, request);
    const auto text = m_folder.read(fileName(key));
    auto build = text ? readEntry(*text, key) : std::nullopt;
    if (build) {
        m_folder.touch(fileName(key));
    }
    return build;
}

base::Result<void> KernelCache::store(const Nvrtc& nvrtc, const CudaRequest& request,
                                      const CudaBuild& build) const {
    if (!m_folder.isUsed() || !build.compiled()) {
        return {};
    }
    const std::string key = keyOf(nvrtc, request);
    return m_folder.write(fileName(key), entryText(key, build));
}

std::filesystem::path defaultKernelCacheFolder() {
    return base::userCacheFolder("kernels");
}

} // namespace aotscope::kernels
