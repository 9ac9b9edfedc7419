#pragma once

#include "load/envelope.h"

#include <simdjson.h>

namespace aotscope::load {

/// Whether the index needs the metadata of events with this key.
[[nodiscard]] bool holdsFacts(std::string_view key);

/// Whether events with this key are compilation metrics.
[[nodiscard]] bool holdsMetrics(std::string_view key);

/// Whether the index needs this field of compilation metrics; other fields only have to be valid JSON.
[[nodiscard]] bool isMetricRead(std::string_view key);

/// Adds a field whose type is wrong to the faults.
void addFieldFault(Envelope& out, std::string_view field);

/// Reads what the index needs from the event's metadata into `out`, including faults of type.
void readFacts(Envelope& out, const simdjson::dom::element& metadata);

} // namespace aotscope::load
