#pragma once

#include "base/result.h"

#include <filesystem>

namespace aotscope::base {

/// The Place of an error that concerns a whole file.
[[nodiscard]] inline Place filePlace(const std::filesystem::path& path) {
    return {.file = path.string()};
}

} // namespace aotscope::base
