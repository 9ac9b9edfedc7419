#pragma once

#include "ir/value.h"

#include "base/result.h"

#include <string>
#include <string_view>

namespace aotscope::ir {

/// The metadata of a value alone, as a graph's JSON has it under `val`. Example values of symbols are left
/// out.
[[nodiscard]] std::string valueToJson(const ValueMeta& value);

/// Reads the same. Errors: ir.json_syntax, ir.json_value.
[[nodiscard]] base::Result<ValueMeta> valueFromJson(std::string_view json);

} // namespace aotscope::ir
