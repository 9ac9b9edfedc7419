#pragma once

#include "base/result.h"

#include <filesystem>

namespace aotscope::session {

/// A file as the place of an error.
[[nodiscard]] inline base::Place filePlace(const std::filesystem::path& path) {
    base::Place place;
    place.file = path.string();
    return place;
}

} // namespace aotscope::session
