#pragma once

#include <filesystem>
#include <fstream>
#include <iostream>
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

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return std::move(out).str();
}

} // namespace aotscope::test
