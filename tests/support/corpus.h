#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

/// The corpus: real inputs with PyTorch's own answers. Test cases that read it are marked
/// (support/corpus_case.h).
namespace aotscope::test {

/// The folder in AOTSCOPE_CORPUS; else the shared corpus beside the checkout; else the project's own part of
/// it (tests/corpus), which the build unpacks.
inline std::filesystem::path corpusDir() {
    if (const char* chosen = std::getenv("AOTSCOPE_CORPUS")) {
        return chosen;
    }
    const std::filesystem::path shared = AOTSCOPE_CORPUS_DIR;
    return std::filesystem::exists(shared) ? shared : std::filesystem::path(AOTSCOPE_BINARY_DIR) / "corpus";
}

inline bool corpusMissing() {
    return !std::filesystem::exists(corpusDir());
}

/// The trace log of a corpus program; large logs are packed.
inline std::filesystem::path corpusTrace(const std::string& name) {
    std::filesystem::path log =
        corpusDir() / "traces" / name / ("dedicated_log_torch_trace_" + name + ".log");
    return std::filesystem::exists(log) ? log : log.concat(".xz");
}

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

/// The content of a file, unpacked if its name ends in .xz.
inline std::string readPlainOrXz(const std::filesystem::path& path) {
    if (path.extension() != ".xz") {
        return readFile(path);
    }
    const std::string command = "xz -dc '" + path.string() + "'";
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
    std::string text;
    std::string part(1U << 20U, '\0');
    while (pipe) {
        const std::size_t count = fread(part.data(), 1, part.size(), pipe.get());
        if (count == 0) {
            break;
        }
        text.append(part, 0, count);
    }
    return text;
}

} // namespace aotscope::test
