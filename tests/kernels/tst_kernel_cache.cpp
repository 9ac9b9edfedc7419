#include "kernels/kernel_cache.h"

#include "nvrtc_or_skip.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

using namespace aotscope;
using namespace aotscope::kernels;
using test::cudaRequest;

namespace {

/// A request and what could have become of it: the cache does not look into images.
CudaRequest requestOf(const std::string& source) {
    return cudaRequest(source);
}
CudaBuild buildOf(const std::string& cubin) {
    CudaBuild build;
    build.cubin = cubin;
    build.ptx = "ptx of " + cubin;
    build.log = "tested.cu(2): warning #177-D: unused\n";
    build.seconds = 0.25;
    return build;
}

std::filesystem::path onlyFile(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".cubins") {
            files.push_back(entry.path());
        }
    }
    REQUIRE(files.size() == 1);
    return files.front();
}

std::string contentOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST_CASE("a compiled kernel is found again by its text, options, architecture, and by nothing else") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const test::TempFolder folder;
    const KernelCache cache(folder.path() / "kernels");
    const CudaRequest request = requestOf("int a;\n");
    CHECK_FALSE(cache.lookup(*nvrtc, request).has_value());
    REQUIRE(cache.store(*nvrtc, request, buildOf("image")).ok());
    const auto found = KernelCache(folder.path() / "kernels").lookup(*nvrtc, request);
    REQUIRE(found.has_value());
    CHECK(found->cubin == "image");
    CHECK(found->ptx == "ptx of image");
    CHECK(found->seconds == doctest::Approx(0.25));
    REQUIRE(found->messages.size() == 1);
    CHECK(found->messages[0].line == 2);
    CudaRequest other = request;
    other.architecture = "sm_80";
    CHECK_FALSE(cache.lookup(*nvrtc, other).has_value());
    other = request;
    other.options.emplace_back("--fmad=false");
    CHECK_FALSE(cache.lookup(*nvrtc, other).has_value());
    CHECK_FALSE(cache.lookup(*nvrtc, requestOf("int b;\n")).has_value());
    // A text that reads files is refused, also where an entry says that it compiled.
    const CudaRequest forbidden = requestOf("#include \"/etc/hostname\"\n");
    REQUIRE(cache.store(*nvrtc, forbidden, buildOf("image")).ok());
    CHECK_FALSE(cache.lookup(*nvrtc, forbidden).has_value());
    // What was refused is not kept.
    const CudaRequest refused = requestOf("wrong\n");
    REQUIRE(cache.store(*nvrtc, refused, CudaBuild{}).ok());
    CHECK_FALSE(cache.lookup(*nvrtc, refused).has_value());
}

TEST_CASE("an entry that is damaged anywhere, cut off, or of another text is not there") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const test::TempFolder folder;
    const KernelCache cache(folder.path());
    const CudaRequest request = requestOf("int a;\n");
    REQUIRE(cache.store(*nvrtc, request, buildOf("image")).ok());
    const std::filesystem::path file = onlyFile(folder.path());
    const std::string good = contentOf(file);
    std::size_t found = 0;
    for (std::size_t at = 0; at < good.size(); ++at) {
        std::string bad = good;
        bad[at] = static_cast<char>(bad[at] ^ 1);
        folder.write(file.filename().string(), bad);
        found += cache.lookup(*nvrtc, request) ? 1 : 0;
        folder.write(file.filename().string(), good.substr(0, at));
        found += cache.lookup(*nvrtc, request) ? 1 : 0;
    }
    // The line end behind the digest alone may be anything.
    CHECK(found <= 1);
    folder.write(file.filename().string(), good);
    CHECK(cache.lookup(*nvrtc, request).has_value());
    // Another text's entry under this one's name.
    const test::TempFolder elsewhere;
    REQUIRE(KernelCache(elsewhere.path()).store(*nvrtc, requestOf("int b;\n"), buildOf("other")).ok());
    folder.write(file.filename().string(), contentOf(onlyFile(elsewhere.path())));
    CHECK_FALSE(cache.lookup(*nvrtc, request).has_value());
}

TEST_CASE("the folder is bounded, and several may write at once") {
    const Nvrtc* nvrtc = test::nvrtcOrSkip();
    if (nvrtc == nullptr) {
        return;
    }
    const test::TempFolder folder;
    constexpr std::uint64_t most = 20'000;
    {
        std::vector<std::jthread> threads;
        for (int writer = 0; writer < 4; ++writer) {
            threads.emplace_back([&, writer] {
                const KernelCache cache(folder.path(), most);
                for (int i = 0; i < 10; ++i) {
                    const std::string text = "int a" + std::to_string(10 * writer + i) + ";\n";
                    (void)cache.store(*nvrtc, requestOf(text), buildOf(std::string(1000, 'x')));
                }
            });
        }
    }
    std::uint64_t bytes = 0;
    const KernelCache cache(folder.path(), most);
    for (const base::EntryFile& file : cache.folder().list()) {
        bytes += file.bytes;
    }
    CHECK(bytes > 0);
    CHECK(bytes <= most);
    const KernelCache none{std::filesystem::path()};
    CHECK(none.store(*nvrtc, requestOf("int a;\n"), buildOf("image")).ok());
    CHECK_FALSE(none.lookup(*nvrtc, requestOf("int a;\n")).has_value());
}
