// The texts of CompileModel's rows.
#include "panels/compile_model.h"

#include "common/format.h"
#include "common/graph_totals.h"
#include "common/plain_words.h"
#include "common/theme.h"

#include <limits>

namespace aotscope::views {

namespace {

constexpr bool isNumber(int column) {
    return column == CompileModel::Nodes || column == CompileModel::Time || column == CompileModel::Saved ||
           column == CompileModel::Guards;
}

QString placeOf(const load::Compile& compile) {
    if (compile.file.empty()) {
        return {};
    }
    const QString file = fileNameOf(compile.file);
    return compile.line > 0 ? file + QLatin1Char(':') + QString::number(compile.line) : file;
}

/// Short, because eight columns share a narrow panel.
QString secondsText(double seconds) {
    return seconds < 1 ? inUnit(seconds * 1e3, {1, QStringLiteral("ms"), seconds < 0.01 ? 1 : 0})
                       : inUnit(seconds, {1, QStringLiteral("s"), seconds < 100 ? 1 : 0});
}

/// "53.9 K" for 53.9 KiB.
QString shortBytes(std::int64_t bytes) {
    static constexpr const char* units[] = {"B", "K", "M", "G", "T"};
    double value = double(bytes);
    std::size_t unit = 0;
    for (; value >= 1024 && unit + 1 < std::size(units); ++unit) {
        value /= 1024;
    }
    return inUnit(value, {1, QLatin1String(units[unit]), unit > 0 && value < 100 ? 1 : 0});
}

QColor statusColor(load::CompileStatus status, const Theme& theme) {
    switch (status) {
    case load::CompileStatus::Succeeded:
        return theme.good;
    case load::CompileStatus::Failed:
        return theme.bad;
    case load::CompileStatus::Restarted:
        return theme.warning;
    default:
        return theme.dimText;
    }
}

QString wrapped(const std::string& reason) {
    constexpr std::size_t longest = 1'200;
    return text(reason.size() > longest ? reason.substr(0, longest) + " …" : reason)
        .toHtmlEscaped()
        .replace(QLatin1Char('\n'), QStringLiteral("<br>"));
}

QString compileToolTip(const load::Compile& compile) {
    if (compile.id.empty()) {
        return QStringLiteral("Records that belong to no compile");
    }
    QString tip = QStringLiteral("<b>%1</b> %2")
                      .arg(text(session::idText(compile.id, compile.rank)), statusWord(compile.status));
    if (!compile.file.empty()) {
        tip += QStringLiteral("<br>%1, %2:%3")
                   .arg(text(compile.function).toHtmlEscaped(), text(compile.file).toHtmlEscaped())
                   .arg(compile.line);
    }
    if (compile.guardCount) {
        tip += QStringLiteral("<br>") +
               formatCount(static_cast<std::uint64_t>(*compile.guardCount), "guard", "guards");
    }
    if (!compile.reason.empty()) {
        const std::string place =
            compile.status == load::CompileStatus::Failed ? load::failurePlace(compile) : std::string();
        tip += QStringLiteral("<br>") + wrapped((place.empty() ? "" : place + ": ") + compile.reason);
    }
    for (const std::string& reason : compile.recompileReasons) {
        tip += QStringLiteral("<br>recompiled: ") + wrapped(reason);
    }
    return tip;
}

} // namespace

QString whatWasCompiled(const load::Compile& compile) {
    const QString place = placeOf(compile);
    const QString function = text(compile.function);
    return function.isEmpty() || place.isEmpty() ? function + place : function + QStringLiteral("  ") + place;
}

QString compileStatusText(const load::Compile& compile) {
    const bool isAgain =
        compile.status == load::CompileStatus::Succeeded && !compile.recompileReasons.empty();
    return statusGlyph(compile.status) + QLatin1Char(' ') +
           (isAgain ? QStringLiteral("recompiled") : statusWord(compile.status));
}

QString artifactKindText(const load::Artifact& artifact) {
    if (artifact.isGraph) {
        return QStringLiteral("graph");
    }
    switch (artifact.kind) {
    case load::RecordKind::InductorOutputCode:
    case load::RecordKind::DumpFile:
        return QStringLiteral("code");
    case load::RecordKind::DynamoGuards:
    case load::RecordKind::DynamoCppGuards:
        return QStringLiteral("guards");
    case load::RecordKind::ChromiumEvent:
        return QStringLiteral("event");
    case load::RecordKind::CompilationMetrics:
    case load::RecordKind::BackwardCompilationMetrics:
    case load::RecordKind::RuntimeCompilationMetrics:
        return QStringLiteral("metrics");
    default:
        return QStringLiteral("artifact");
    }
}

session::ArtifactReference CompileModel::referenceOf(const Entry& entry, std::uint32_t compile) const {
    return session::referenceTo(*entry.log, entry.log->compiles()[compile]);
}

QString CompileModel::compileText(const Entry& entry, std::uint32_t index, int column) const {
    const load::Compile& compile = entry.log->compiles()[index];
    switch (column) {
    case Id:
        return text(session::idText(compile.id, compile.rank));
    case What: {
        if (compile.id.empty()) {
            return entry.log->traceLog()
                       ? formatCount(compile.records.size(), "record", "records")
                       : formatCount(entry.log->graphs().size(), "graph of this file", "graphs of this file");
        }
        return whatWasCompiled(compile);
    }
    case Status:
        if (compile.id.empty()) {
            return {};
        }
        return compileStatusText(compile);
    case Nodes: {
        const std::optional<std::size_t> nodes = m_totals->known().nodesOf(referenceOf(entry, index));
        if (nodes) {
            return formatCount(*nodes);
        }
        return compile.graphNodeCount ? formatCount(static_cast<std::uint64_t>(*compile.graphNodeCount))
                                      : QString();
    }
    case Time:
        return compile.seconds ? secondsText(*compile.seconds) : QString();
    case Saved: {
        const std::optional<std::int64_t> saved = m_totals->known().savedBytesOf(referenceOf(entry, index));
        return saved ? shortBytes(*saved) : QString();
    }
    case Guards:
        return compile.guardCount ? formatCount(static_cast<std::uint64_t>(*compile.guardCount)) : QString();
    case Cache:
        return cacheWord(compile.cache);
    default:
        return {};
    }
}

QVariant CompileModel::data(const QModelIndex& index, int role) const {
    const Entry* entry = entryOf(index);
    if (!entry) {
        return {};
    }
    if (role == Qt::TextAlignmentRole && isNumber(index.column())) {
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    }
    switch (levelOf(index)) {
    case Level::Log:
        return logData(*entry, index.column(), role);
    case Level::Compile:
        return compileData(*entry, static_cast<std::uint32_t>(index.internalId() & 0xffff'ffffU),
                           index.column(), role);
    case Level::Artifact: {
        const auto compile = static_cast<std::uint32_t>(index.internalId() & 0xffff'ffffU);
        const auto place = static_cast<std::size_t>(index.row());
        const bool isThere = place < entry->log->artifacts(load::CompileIndex(compile)).size();
        return isThere ? artifactData(*entry, compile, place, index.column(), role) : QVariant();
    }
    case Level::None:
        break;
    }
    return {};
}

QVariant CompileModel::logData(const Entry& entry, int column, int role) const {
    if (role == Qt::DisplayRole && column == Id) {
        return titleOf(*entry.log) + (!entry.log->complete    ? QStringLiteral("  (reading…)")
                                      : entry.log->timeline() ? QStringLiteral("  (a profiler's trace)")
                                      : entry.log->compiles().empty() ? QStringLiteral("  (no records yet)")
                                                                      : QString());
    }
    if (role == Qt::ToolTipRole) {
        QString tip = text(entry.log->path.string());
        if (entry.log->traceLog()) {
            const load::LogTotals& totals = entry.log->traceLog()->totals();
            tip += QStringLiteral("\n%1, %2, %3, %4")
                       .arg(formatBytes(static_cast<std::int64_t>(totals.bytes)),
                            formatCount(totals.records, "record", "records"),
                            formatCount(countCompiles(*entry.log), "compile", "compiles"),
                            formatCount(totals.problems, "problem", "problems"));
            if (!totals.torchVersion.empty()) {
                tip += QStringLiteral("\ntorch ") + text(totals.torchVersion);
            }
        }
        return plainToolTip(tip);
    }
    return {};
}

QVariant CompileModel::compileData(const Entry& entry, std::uint32_t index, int column, int role) const {
    const load::Compile& compile = entry.log->compiles()[index];
    switch (role) {
    case Qt::DisplayRole:
        return compileText(entry, index, column);
    case Qt::ToolTipRole:
        return compileToolTip(compile);
    case Qt::ForegroundRole:
        if (column == Status) {
            return statusColor(compile.status, m_theme->theme());
        }
        return column == Cache ? QVariant(m_theme->theme().dimText) : QVariant();
    case Qt::FontRole:
        return column == Id || isNumber(column) ? QVariant(codeFont()) : QVariant();
    case Qt::AccessibleTextRole:
        return compileText(entry, index, column);
    default:
        return {};
    }
}

QVariant CompileModel::artifactData(const Entry& entry, std::uint32_t compile, std::size_t place, int column,
                                    int role) const {
    const load::ArtifactList& all = entry.log->artifacts(load::CompileIndex(compile));
    const load::Artifact& artifact = all[place];
    switch (role) {
    case Qt::DisplayRole:
        if (column == Id) {
            return text(artifact.name);
        }
        if (column == What) {
            return artifactKindText(artifact) + QStringLiteral(" · ") +
                   formatBytes(static_cast<std::int64_t>(artifact.bytes));
        }
        if (column == Nodes || column == Saved) {
            session::ArtifactReference reference = referenceOf(entry, compile);
            reference.artifact = all.exactName(place);
            const std::optional<session::GraphTotals> totals = m_totals->known().tryFind(reference);
            if (totals && column == Nodes) {
                return formatCount(totals->nodes);
            }
            return totals && totals->savedBytes ? shortBytes(*totals->savedBytes) : QVariant();
        }
        return {};
    case Qt::ToolTipRole:
        return plainToolTip(
            artifact.line > 0
                ? tr("%1, payload at line %2").arg(text(artifact.name), formatCount(artifact.line))
                : text(artifact.name));
    case Qt::ForegroundRole:
        return column == What || !artifact.isGraph ? QVariant(m_theme->theme().dimText) : QVariant();
    case Qt::FontRole:
        return column == Id || isNumber(column) ? QVariant(codeFont()) : QVariant();
    default:
        return {};
    }
}

QVariant CompileModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) {
        return {};
    }
    static constexpr const char* names[] = {"id",    "what", "status", "nodes",
                                            "saved", "time", "guards", "cache"};
    static constexpr const char* tips[] = {
        "Compile id as PyTorch prints it: frame/compile, _attempt after a restart",
        "The function that was compiled, and where it is",
        "How the compile ended; hover a row for the reason",
        "Nodes of the joint graph, else of the first graph known",
        "Bytes the forward graph saves for its backward, in KiB (K), MiB (M), GiB (G)",
        "Seconds of the whole frame's compile, from compilation_metrics",
        "Guards, from compilation_metrics",
        "AOTAutograd or FX graph cache",
    };
    if (role == Qt::DisplayRole) {
        return QString::fromLatin1(names[section]);
    }
    if (role == Qt::ToolTipRole) {
        return QString::fromLatin1(tips[section]) + tr(". Click to sort.");
    }
    if (role == Qt::TextAlignmentRole) {
        return cellAlignment(isNumber(section));
    }
    return {};
}

} // namespace aotscope::views
