#include "retrace/retrace_text.h"

#include "common/format.h"
#include "contract/retrace_options.h"
#include "retrace/html_parts.h"
#include "retrace/metadata_text.h"

#include <QStringList>

#include <algorithm>

namespace aotscope::views {

using html::escaped;
using html::heading;
using html::tr;

namespace {

QString list(const QStringList& items) {
    return items.isEmpty() ? QString()
                           : QStringLiteral("<ul><li>") + items.join(QStringLiteral("</li><li>")) +
                                 QStringLiteral("</li></ul>");
}

QStringList texts(const std::vector<std::string>& lines) {
    QStringList out;
    for (const std::string& line : lines) {
        out.append(escaped(line));
    }
    return out;
}

QString differenceHtml(const session::RetraceSnapshot& retraced) {
    if (!retraced.difference) {
        return {};
    }
    const QString nothing = tr("(nothing)");
    const auto side = [&](const std::string& line) { return line.empty() ? nothing : escaped(line); };
    return heading(tr("First difference")) +
           QStringLiteral("<p>%1<br><code>%2</code></p><p>%3<br><code>%4</code></p>")
               .arg(tr("made here"), side(retraced.difference->left), tr("PyTorch"),
                    side(retraced.difference->right));
}

QString pathName(aot::TracePath path) {
    switch (path) {
    case aot::TracePath::Inference:
        return tr("Traced for inference");
    case aot::TracePath::Autograd:
        return tr("Traced with its backward");
    case aot::TracePath::Export:
        return tr("Exported");
    }
    return {};
}

/// Links to the logged graphs of a compile that could not be traced.
QString loggedHtml(const session::RetraceSnapshot& retraced) {
    QStringList links;
    const auto add = [&](const char* which, const session::GraphSnapshotPtr& graph) {
        if (graph) {
            links.append(
                QStringLiteral("<a href='graph:%1'>%2</a>")
                    .arg(QLatin1String(which), artifactTitle(graph->reference.artifact).toHtmlEscaped()));
        }
    };
    add("program", retraced.program);
    add("logged", retraced.logged);
    return links.isEmpty()
               ? QString()
               : QStringLiteral("<p>%1 %2</p>").arg(tr("In the log:"), links.join(QStringLiteral(", ")));
}

QString errorHtml(const base::Error& error) {
    QString html = QStringLiteral("<p>%1</p>").arg(escaped(error.message));
    html += list(texts(error.notes));
    return error.hint.empty() ? html : html + QStringLiteral("<p>%1</p>").arg(escaped(error.hint));
}

/// What the cache of compiled functions did; empty: the re-trace did not use it.
QString cacheHtml(const session::RetraceSnapshot& retraced) {
    if (!retraced.cache) {
        return {};
    }
    const aot::CacheOutcome& outcome = *retraced.cache;
    QString said =
        QStringLiteral("<b>%1</b>: %2")
            .arg(tr("Cache %1").arg(text(std::string(outcome.stateName()))), escaped(outcome.reason));
    if (outcome.state == aot::CacheState::Hit) {
        said += QStringLiteral(", ") +
                tr("instead of a trace of %1").arg(formatNanoseconds(outcome.savedNanoseconds));
    }
    if (!outcome.notStored.empty()) {
        said += QStringLiteral("; ") + tr("not stored: %1").arg(escaped(outcome.notStored));
    }
    return QStringLiteral("<p>%1</p>").arg(said);
}

/// Whether the graph and, if logged, the metadata are equal to PyTorch's.
bool isEqual(const session::RetraceSnapshot& retraced) {
    return retraced.verdict.isEqual() && retraced.metadataDifferences.empty();
}

} // namespace

QString retraceResultText(const session::RetraceSnapshot& retraced) {
    const QString verdict = text(std::string(base::wordOf(retraced.verdict.word)));
    if (retraced.error) {
        return verdict + QStringLiteral(": ") +
               text(retraced.error->message).section(QLatin1Char('\n'), 0, 0);
    }
    QString result = verdict;
    if (retraced.verdict.word == base::VerdictWord::Differs && retraced.difference) {
        result = tr("differs in %1 at node %2 of %3")
                     .arg(text(retraced.difference->what))
                     .arg(retraced.difference->position + 1)
                     .arg(retraced.logged->graph->size());
    } else if (session::hasNothingToCompare(retraced)) {
        result = text(base::verdictText(retraced.verdict));
    }
    if (retraced.rules && !retraced.rules->isOwn()) {
        result = tr("%1 by the %2").arg(result, text(retraced.rules->text()));
    }
    return retraced.isGradModeAssumed ? tr("%1 (gradient mode assumed)").arg(result) : result;
}

QString retraceHtml(const session::RetraceSnapshot& retraced) {
    QString html = QStringLiteral("<h3>%1 — %2</h3>")
                       .arg(escaped(retraced.target.name), retraceResultText(retraced).toHtmlEscaped());
    if (retraced.error) {
        return html + errorHtml(*retraced.error) + cacheHtml(retraced) + loggedHtml(retraced);
    }
    html += differenceHtml(retraced);
    if (!retraced.metadataDifferences.empty()) {
        html += heading(tr("Metadata differs")) + list(texts(retraced.metadataDifferences));
    }
    if (!retraced.result) {
        return html;
    }
    html += QStringLiteral("<p><b>%1</b>: %2</p>")
                .arg(pathName(retraced.result->function.path), escaped(retraced.result->function.reason));
    if (retraced.rules) {
        html += QStringLiteral("<p>%1</p>").arg(tr("By the %1").arg(escaped(retraced.rules->text())));
    }
    html += cacheHtml(retraced) + guardsHtml(retraced) + metadataHtml(retraced);
    return html + list(texts(retraced.result->notes)) + list(texts(retraced.notes));
}

QString retraceSummary(const std::vector<session::RetraceSnapshotPtr>& retraces) {
    const auto withAnswer = std::ranges::count_if(
        retraces, [](const session::RetraceSnapshotPtr& run) { return run->target.logged.has_value(); });
    const auto equal =
        std::ranges::count_if(retraces, [](const session::RetraceSnapshotPtr& run) { return isEqual(*run); });
    const auto assumed = std::ranges::count_if(
        retraces, [](const session::RetraceSnapshotPtr& run) { return run->made && run->isGradModeAssumed; });
    QString summary =
        QObject::tr("%1 of %2 equal to PyTorch's, graph and metadata").arg(equal).arg(withAnswer);
    if (assumed > 0) {
        summary += QObject::tr("  ·  gradient mode assumed in %1").arg(assumed);
    }
    return summary;
}

} // namespace aotscope::views
