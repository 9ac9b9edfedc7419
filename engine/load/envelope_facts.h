#pragma once

#include "load/envelope.h"

#include <simdjson.h>

namespace aotscope::load {

/// Takes from the event's metadata what the index needs; fields of a wrong type are named in `out`.
void readFacts(Envelope& out, const simdjson::dom::element& metadata);

/// The same for a metrics record, most of whose hundreds of fields nobody asks for: those are stepped over,
/// not parsed. False when a field that is asked for is not as expected; `out` has no facts then.
[[nodiscard]] bool readMetricsQuickly(Envelope& out, simdjson::ondemand::object metadata, bool forward);

} // namespace aotscope::load
