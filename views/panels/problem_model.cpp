#include "panels/problem_model.h"

#include "common/background.h"
#include "common/log_list.h"
#include "common/plain_words.h"
#include "common/theme.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace aotscope::views {

namespace {

/// "rank3:0/0"
QString placeOf(const Problem& problem, const ProblemModel::LogNames& names) {
    const bool tellsRank = problem.selection && problem.selection->artifact.rank;
    const auto name = problem.log && !tellsRank ? names.find(*problem.log) : names.end();
    return name == names.end() ? problem.where : inLog(problem.where, name->second);
}

/// Joins the lines of a message as sentences, with full stops where they are missing.
QString inOneLine(const QString& message) {
    QStringList lines;
    for (const QString& line : message.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        const QString words = line.simplified();
        if (!words.isEmpty()) {
            lines.append(words);
        }
    }
    static const QString ends = QStringLiteral(".,:;!?");
    for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
        if (!ends.contains(lines[i].back()) && lines[i + 1].front().isUpper()) {
            lines[i].append(QLatin1Char('.'));
        }
    }
    return lines.join(QLatin1Char(' '));
}

} // namespace

ProblemModel::ProblemModel(const ThemeSource* theme, QObject* parent)
    : QAbstractTableModel(parent), m_theme(theme) {}

ProblemListPtr ProblemModel::problemsOf(const QString& source) const {
    const auto found = std::ranges::find(m_sources, source, &Source::name);
    return found == m_sources.end() ? nullptr : found->problems;
}

void ProblemModel::setProblems(const QString& source, const ProblemListPtr& problems) {
    const ProblemListPtr before = problemsOf(source);
    if (before == problems || (!before && problems->all.empty())) {
        return;
    }
    std::erase_if(m_sources, [&](const Source& each) { return each.name == source; });
    if (!problems->all.empty()) {
        m_sources.push_back({source, problems});
    }
    arrange();
}

void ProblemModel::removeLog(quint32 log) {
    remove([log](const Problem& problem) { return problem.log == log; });
}

void ProblemModel::clearFailures() {
    remove([](const Problem& problem) { return !problem.log; });
}

/// Done at once, so that removed rows cannot be clicked.
void ProblemModel::remove(const std::function<bool(const Problem&)>& isGone) {
    std::erase_if(m_sources, [&](const Source& source) { return isGone(source.problems->all.front()); });
    RowsPtr kept = std::make_shared<Rows>();
    kept->sources = m_shown->sources;
    std::ranges::copy_if(m_shown->rows, std::back_inserter(kept->rows),
                         [&](const Problem* problem) { return !isGone(*problem); });
    show(std::move(kept));
    if (m_answer.isAwaited()) {
        arrange();
    }
}

void ProblemModel::setLogNames(const LogNames& names) {
    m_logNames = names;
    arrange();
}

void ProblemModel::setFilter(const QString& filter) {
    m_filter = filter;
    arrange();
}

/// Failures first; within a severity in order of arrival.
ProblemModel::RowsPtr ProblemModel::rowsOf(const std::vector<Source>& sources, const LogNames& names,
                                           const QString& filter) {
    auto out = std::make_shared<Rows>();
    out->sources = sources;
    for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
        for (const Source& source : sources) {
            for (const Problem& problem : source.problems->all) {
                const bool isShown =
                    problem.severity == severity &&
                    (filter.isEmpty() || problem.what.contains(filter, Qt::CaseInsensitive) ||
                     placeOf(problem, names).contains(filter, Qt::CaseInsensitive) ||
                     problem.message.contains(filter, Qt::CaseInsensitive));
                if (isShown) {
                    out->rows.push_back(&problem);
                }
            }
        }
    }
    return out;
}

void ProblemModel::arrange() {
    m_answer.ask<RowsPtr>(
        total(),
        [sources = m_sources, names = m_logNames, filter = m_filter] {
            return rowsOf(sources, names, filter);
        },
        [this](const RowsPtr& rows) { show(rows); });
}

void ProblemModel::show(RowsPtr rows) {
    beginResetModel();
    std::swap(m_shown, rows);
    endResetModel();
    // Destroying many rows takes time.
    startInBackground([old = std::move(rows)] {});
}

const Problem* ProblemModel::problemAt(int row) const {
    return row >= 0 && row < rowCount() ? m_shown->rows[static_cast<std::size_t>(row)] : nullptr;
}

std::size_t ProblemModel::total() const {
    std::size_t all = 0;
    for (const Source& source : m_sources) {
        all += source.problems->all.size();
    }
    return all;
}

std::size_t ProblemModel::errors() const {
    std::size_t all = 0;
    for (const Source& source : m_sources) {
        all += source.problems->errors;
    }
    return all;
}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_shown->rows.size());
}

int ProblemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    const Problem* problem = index.isValid() ? problemAt(index.row()) : nullptr;
    if (!problem) {
        return {};
    }
    if (role == Qt::DisplayRole) {
        switch (index.column()) {
        case What: {
            static constexpr const char* glyphs[] = {"✗ ", "▲ ", "• "};
            return QString::fromUtf8(glyphs[static_cast<std::size_t>(problem->severity)]) + problem->what;
        }
        case Where:
            return placeOf(*problem, m_logNames);
        case Message:
            return inOneLine(problem->message);
        default:
            return {};
        }
    }
    if (role == Qt::ToolTipRole) {
        return plainToolTip(problem->message);
    }
    if (role == Qt::ForegroundRole && index.column() == What) {
        const Theme& theme = m_theme->theme();
        return problem->severity == Severity::Error     ? theme.bad
               : problem->severity == Severity::Warning ? theme.warning
                                                        : theme.dimText;
    }
    return role == Qt::FontRole && index.column() == Where ? QVariant(codeFont()) : QVariant();
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    static constexpr const char* names[] = {"what", "where", "message"};
    if (orientation == Qt::Horizontal && role == Qt::DisplayRole) {
        return QString::fromLatin1(names[section]);
    }
    return role == Qt::TextAlignmentRole ? QVariant(static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter))
                                         : QVariant();
}

} // namespace aotscope::views
