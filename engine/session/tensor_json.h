#pragma once

#include "aot/tensor_data.h"

#include <nlohmann/json.hpp>

#include <optional>

/// Tensors inside JSON texts, their bytes in base64. Private to the sources of engine/session.
namespace aotscope::session {

[[nodiscard]] nlohmann::ordered_json tensorToJson(const aot::TensorData& tensor);
/// Nothing for an object without bytes that can be read. Throws the JSON library's exception for members of
/// other types.
[[nodiscard]] std::optional<aot::TensorData> tensorFromJson(const nlohmann::ordered_json& json);

} // namespace aotscope::session
