#pragma once

#include "base/result.h"

#include <filesystem>

namespace aotscope::base {

/// A file as the place of an error.
[[nodiscard]] inline Place filePlace(const std::filesystem::path& path) {
    Place place;
    place.file = path.string();
    return place;
}

} // namespace aotscope::base
