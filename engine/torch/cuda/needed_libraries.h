#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace aotscope::torch {

/// The libraries that a shared library names as needed ("libcublas.so.13"), in its order; empty if it is no
/// 64-bit ELF file. Reads the file and loads nothing.
[[nodiscard]] std::vector<std::string> neededLibraries(const std::filesystem::path& library);

} // namespace aotscope::torch
