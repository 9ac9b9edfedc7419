#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

/// What a machine that only runs the engine may lack. A case that needs it says that it is skipped.
namespace aotscope::found {

/// Whether .npz files are read and written.
inline bool hasZip() {
#ifdef AOTSCOPE_HAVE_ZIP
    return true;
#else
    MESSAGE("skipped: this build is without libzip");
    return false;
#endif
}

/// Whether Graphviz's dot can be started.
inline bool hasDot() {
    const char* path = std::getenv("PATH"); // NOLINT(concurrency-mt-unsafe)
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code failed;
        if (std::filesystem::exists(std::filesystem::path(folder) / "dot", failed)) {
            return true;
        }
    }
    MESSAGE("skipped: dot is not there");
    return false;
}

} // namespace aotscope::found
