#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace aotscope::ir::detail {

/// A value from jsonFromRepr, as Python would print it on one line: "PlainTensorMeta(unwrapped_idx=0)".
/// Nesting and length are bounded; what is left out shows as "…".
[[nodiscard]] std::string pythonText(const nlohmann::ordered_json& value);

} // namespace aotscope::ir::detail
