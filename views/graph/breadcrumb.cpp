#include "graph/breadcrumb.h"

#include "common/format.h"

#include <QStringList>

namespace aotscope::views {

QString Breadcrumb::html(const Theme& theme) const {
    QStringList parts;
    const auto plainPart = [&](const QString& part) {
        return QStringLiteral("<span style='color:%1'>%2</span>")
            .arg(theme.dimText.name(), part.toHtmlEscaped());
    };
    const auto link = [&](const QString& target, const QString& part) {
        return QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>%3</a>")
            .arg(target.toHtmlEscaped(), theme.accent.name(), part.toHtmlEscaped());
    };
    if (!log.isEmpty()) {
        parts << plainPart(log);
    }
    parts << plainPart(text(idText(graph)));
    parts << link(QStringLiteral("graph:0"), artifactTitle(graph.artifact));
    for (std::size_t i = 0; i < graph.subgraph.size(); ++i) {
        parts << link(QStringLiteral("graph:%1").arg(i + 1), text(graph.subgraph[i]));
    }
    QString path;
    if (!module.isEmpty()) {
        for (const QString& step : module.split(QLatin1Char('.'))) {
            path += path.isEmpty() ? step : QLatin1Char('.') + step;
            parts << link(QStringLiteral("module:") + path, step);
        }
    }
    if (!node.isEmpty()) {
        parts << QStringLiteral("<b>%1</b>").arg(node.toHtmlEscaped());
    }
    return parts.join(QStringLiteral("<span style='color:%1'> › </span>").arg(theme.dimText.name()));
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
