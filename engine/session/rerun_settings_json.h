#pragma once

#include "session/rerun_request.h"

#include <nlohmann/json.hpp>

/// How nodes are run again, inside JSON texts. Private to the sources of engine/session.
namespace aotscope::session {

[[nodiscard]] nlohmann::ordered_json settingsToJson(const RerunSettings& settings);
/// Members that are missing are as by default. Throws the JSON library's exception for those of other types.
[[nodiscard]] RerunSettings settingsFromJson(const nlohmann::ordered_json& json);

} // namespace aotscope::session
