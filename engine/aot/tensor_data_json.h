#pragma once

#include "aot/fields_json.h"
#include "aot/tensor_data.h"

/// Tensors for fields_json.h: their bytes as a binary value ("bytes"), or in base64 ("base64") where the
/// context wants texts.
namespace aotscope::aot::detail {

[[nodiscard]] Json toJson(const TensorData& data, JsonContext& context);
/// Reads both.
void fromJson(const Json& json, TensorData& data, JsonContext& context);

} // namespace aotscope::aot::detail
