#pragma once

#include "contract/hooks_snapshot.h"

#include <QString>

#include <map>
#include <string>

namespace aotscope::views {

/// What the gradients of a joint graph are called, by session::GradientError::gradient: "primals_2", and
/// behind it the parameter's name or the program's expression, if it is known. Gradients that are not in it
/// are called as they are.
[[nodiscard]] std::map<std::string, QString> gradientNames(const session::GraphSnapshot& joint);

} // namespace aotscope::views
