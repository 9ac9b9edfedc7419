#include "graph/breadcrumb.h"

#include "common/format.h"

#include <QStringList>

#include <vector>

namespace aotscope::views {

QString Breadcrumb::html(const Theme& theme, const QFontMetrics& metrics, int width) const {
    struct Part {
        QString words;
        QString before;
        QString after;
    };
    std::vector<Part> parts;
    const auto addDim = [&](const QString& part) {
        parts.push_back({part, QStringLiteral("<span style='color:%1'>").arg(theme.dimText.name()),
                         QStringLiteral("</span>")});
    };
    const auto addLink = [&](const QString& target, const QString& part) {
        parts.push_back({part,
                         QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>")
                             .arg(target.toHtmlEscaped(), theme.accent.name()),
                         QStringLiteral("</a>")});
    };
    if (!log.isEmpty()) {
        addDim(log);
    }
    addDim(text(idText(graph)));
    addLink(QStringLiteral("graph:0"), artifactTitle(graph.artifact));
    for (std::size_t i = 0; i < graph.subgraph.size(); ++i) {
        addLink(QStringLiteral("graph:%1").arg(i + 1), text(graph.subgraph[i]));
    }
    QString path;
    if (!module.isEmpty()) {
        for (const QString& step : module.split(QLatin1Char('.'))) {
            path += path.isEmpty() ? step : QLatin1Char('.') + step;
            addLink(QStringLiteral("module:") + path, step);
        }
    }
    if (!node.isEmpty()) {
        parts.push_back({node, QStringLiteral("<b>"), QStringLiteral("</b>")});
    }
    const QString between = QStringLiteral(" › ");
    const QString dots = QStringLiteral("…");
    // Factor for the width of the last part, which may be bold.
    constexpr double bolder = 1.15;
    int used = int(metrics.horizontalAdvance(parts.back().words) * bolder);
    std::size_t first = parts.size() - 1;
    while (first > 0) {
        const int needed = used + metrics.horizontalAdvance(parts[first - 1].words + between);
        const int more = first > 1 ? metrics.horizontalAdvance(dots + between) : 0;
        if (needed + more > width) {
            break;
        }
        used = needed;
        --first;
    }
    if (const int dotted = first > 0 ? metrics.horizontalAdvance(dots + between) : 0; used + dotted > width) {
        parts.back().words =
            metrics.elidedText(parts.back().words, Qt::ElideMiddle, int((width - dotted) / bolder));
    }
    const QString dimBetween = QStringLiteral("<span style='color:%1'> › </span>").arg(theme.dimText.name());
    QStringList shown;
    if (first > 0) {
        shown << QStringLiteral("<span style='color:%1'>…</span>").arg(theme.dimText.name());
    }
    for (std::size_t i = first; i < parts.size(); ++i) {
        shown << parts[i].before + parts[i].words.toHtmlEscaped() + parts[i].after;
    }
    return shown.join(dimBetween);
}

QString Breadcrumb::plain() const {
    QStringList parts;
    for (const QString& part : {log, referenceText(graph), module, node}) {
        if (!part.isEmpty()) {
            parts << part;
        }
    }
    return parts.join(QStringLiteral(" › "));
}

std::optional<Breadcrumb::Target> Breadcrumb::follow(const QString& link) {
    const qsizetype colon = link.indexOf(QLatin1Char(':'));
    const QString rest = link.mid(colon + 1);
    if (link.startsWith(QLatin1String("graph:"))) {
        return Target{rest.toInt(), {}};
    }
    if (link.startsWith(QLatin1String("module:"))) {
        return Target{-1, rest};
    }
    return {};
}

} // namespace aotscope::views
