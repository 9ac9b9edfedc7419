#pragma once

#include <string>
#include <string_view>

namespace aotscope::load {

/// Rewrites what Python's json module writes into what a strict parser takes: NaN and the infinities become
/// null, whole numbers that fit no machine word become fractions, lone surrogates and bytes that aren't UTF-8
/// become the replacement character. Returns whether there were such bytes. Anything else is left as it is,
/// right or wrong.
bool strictJson(std::string_view json, std::string& out);

} // namespace aotscope::load
