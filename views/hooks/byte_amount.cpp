#include "hooks/byte_amount.h"

#include <QRegularExpression>

#include <cmath>
#include <utility>

namespace aotscope::views {

std::optional<std::int64_t> readByteAmount(const QString& words, std::int64_t whole) {
    static const QRegularExpression form(QStringLiteral("^\\s*([0-9]+(?:[.][0-9]+)?)\\s*([a-z%]*)\\s*$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(words);
    if (!match.hasMatch()) {
        return std::nullopt;
    }
    const double number = match.captured(1).toDouble();
    const QString unit = match.captured(2).toLower();
    const std::pair<const char*, double> units[] = {{"", 1},
                                                    {"b", 1},
                                                    {"kb", 1e3},
                                                    {"mb", 1e6},
                                                    {"gb", 1e9},
                                                    {"kib", 1024},
                                                    {"mib", 1024.0 * 1024},
                                                    {"gib", 1024.0 * 1024 * 1024},
                                                    {"%", static_cast<double>(whole) / 100}};
    constexpr double most = 9e18;
    for (const auto& [name, factor] : units) {
        if (unit == QLatin1String(name) && number * factor < most) {
            return std::llround(number * factor);
        }
    }
    return std::nullopt;
}

} // namespace aotscope::views
