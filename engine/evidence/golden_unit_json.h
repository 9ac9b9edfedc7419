#pragma once

#include "base/result.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>

namespace aotscope::evidence {

/// A golden file and one of its units.
struct GoldenUnitJson {
    nlohmann::json document;
    /// "/units/0"
    nlohmann::json::json_pointer place;

    [[nodiscard]] const nlohmann::json& unit() const { return document[place]; }
};

/// Errors: session.open, session.no_such_artifact.
[[nodiscard]] base::Result<GoldenUnitJson> readGoldenUnitJson(const std::filesystem::path& path,
                                                              std::string_view unit);

} // namespace aotscope::evidence
