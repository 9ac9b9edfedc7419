#pragma once

#include "base/result.h"

#include <filesystem>

namespace aotscope::base {

/// The Place of an error that concerns a whole file.
[[nodiscard]] inline Place filePlace(const std::filesystem::path& path) {
    Place place;
    place.file = path.string();
    return place;
}

} // namespace aotscope::base
