#pragma once

#include "common/format.h"

#include <QCoreApplication>
#include <QString>

#include <string>

/// What the texts of the Re-trace dock are put together from.
namespace aotscope::views::html {

[[nodiscard]] inline QString tr(const char* words) {
    return QCoreApplication::translate("RetraceText", words);
}

[[nodiscard]] inline QString escaped(const std::string& words) {
    return text(words).toHtmlEscaped();
}

[[nodiscard]] inline QString heading(const QString& title) {
    return QStringLiteral("<h4>%1</h4>").arg(title);
}

} // namespace aotscope::views::html
