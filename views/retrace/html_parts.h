#pragma once

#include "common/html.h"

#include <QCoreApplication>

namespace aotscope::views::html {

/// Translates texts of the Re-trace dock.
[[nodiscard]] inline QString tr(const char* words) {
    return QCoreApplication::translate("RetraceText", words);
}

} // namespace aotscope::views::html
