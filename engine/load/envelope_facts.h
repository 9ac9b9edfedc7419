#pragma once

#include "load/envelope.h"

#include <simdjson.h>

namespace aotscope::load {

/// Takes from the event's metadata what the index needs; fields of a wrong type are named in `out`.
void readFacts(Envelope& out, const simdjson::dom::element& metadata);

} // namespace aotscope::load
