#pragma once

#include "load/envelope.h"

#include <simdjson.h>

namespace aotscope::load {

/// Whether the index needs something of an event of this key, so that its metadata must be read.
[[nodiscard]] bool holdsFacts(std::string_view key);

/// Whether the event is a compile's metrics.
[[nodiscard]] bool holdsMetrics(std::string_view key);

/// Whether the index needs this field of a compile's metrics; of the others it is enough that they are valid.
[[nodiscard]] bool isMetricRead(std::string_view key);

/// Takes from the event's metadata what the index needs; fields of a wrong type are named in `out`.
void readFacts(Envelope& out, const simdjson::dom::element& metadata);

} // namespace aotscope::load
