#pragma once

#include "ir/json/json_parts.h"

#include "ir/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Fields of a graph's JSON object. A field that is missing or of another type gives nothing.
namespace aotscope::ir::detail {

[[nodiscard]] std::optional<std::string_view> stringField(simdjson::dom::object from, std::string_view key);
[[nodiscard]] std::optional<std::int64_t> integerField(simdjson::dom::object from, std::string_view key);
[[nodiscard]] bool boolField(simdjson::dom::object from, std::string_view key);
[[nodiscard]] std::vector<std::string> readStrings(simdjson::dom::object from, std::string_view key);
[[nodiscard]] NodeOrigin readOrigin(simdjson::dom::object from);
[[nodiscard]] TextStyle readStyle(simdjson::dom::object from);
/// The symbols' hints in a graph's style.
[[nodiscard]] SymbolBindings readHints(simdjson::dom::object style);
[[nodiscard]] std::optional<PartitionerTag> partitionerTag(std::string_view text);

} // namespace aotscope::ir::detail
