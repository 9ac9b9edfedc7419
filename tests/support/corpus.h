#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

/// The shared corpus of real inputs. Tests that need it call `corpusMissing` first and return when it is so.
namespace aotscope::test {

inline std::filesystem::path corpusDir() {
    return AOTSCOPE_CORPUS_DIR;
}

/// Says "skipped" with the reason and returns true when the corpus is not on this machine.
inline bool corpusMissing() {
    if (std::filesystem::exists(corpusDir())) {
        return false;
    }
    std::cout << "skipped: the shared corpus is not at " << corpusDir() << '\n';
    return true;
}

/// The trace log of a program of the corpus, by the program's name.
inline std::filesystem::path corpusTrace(const std::string& name) {
    return corpusDir() / "traces" / name / ("dedicated_log_torch_trace_" + name + ".log");
}

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

/// The contents of a file, unpacked when its name ends in .xz.
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
