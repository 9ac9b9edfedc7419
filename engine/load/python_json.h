#pragma once

#include <string>
#include <string_view>

namespace aotscope::load {

/// Rewrites the output of Python's json module for a strict parser: NaN and infinities become null, integers
/// that do not fit a machine word become fractions, lone surrogates and invalid UTF-8 become the replacement
/// character. Leaves anything else unchanged, valid or not. Returns whether a string held invalid UTF-8.
bool strictJson(std::string_view json, std::string& out);

} // namespace aotscope::load
