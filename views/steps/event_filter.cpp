#include "steps/event_filter.h"

#include "common/format.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <optional>

namespace aotscope::views {

struct EventFilter::Term {
    std::function<bool(const steps::CallEvent&)> holds;
    bool negated = false;
};

namespace {

using EventTest = std::function<bool(const steps::CallEvent&)>;
using steps::EventKind;

QString filterWords(const char* words) {
    return QCoreApplication::translate("EventFilter", words);
}

/// The terms of a line: at spaces outside of quotes and slashes.
QStringList termsOf(const QString& line) {
    QStringList terms;
    QString term;
    QChar closing;
    for (const QChar c : line) {
        const bool opens =
            c == QLatin1Char('"') || (c == QLatin1Char('/') && (term.isEmpty() || term == u"-"));
        if (!closing.isNull()) {
            closing = c == closing && !term.endsWith(QLatin1Char('\\')) ? QChar() : closing;
        } else if (opens) {
            closing = c;
        } else if (c.isSpace()) {
            terms.append(term);
            term.clear();
            continue;
        }
        term += c;
    }
    terms.append(term);
    terms.removeAll(QString());
    return terms;
}

bool hasText(const steps::CallEvent& event, const std::function<bool(const QString&)>& found) {
    return found(text(event.title)) || found(text(event.target));
}

EventTest wordTest(const QString& word) {
    return [word](const steps::CallEvent& event) {
        return hasText(event, [&](const QString& each) { return each.contains(word, Qt::CaseInsensitive); });
    };
}

EventTest kindTest(const QString& name, QString* problem) {
    static const std::vector<std::pair<QString, std::vector<EventKind>>> kinds = {
        {QStringLiteral("entry"), {EventKind::WrapperEntry}},
        {QStringLiteral("exit"), {EventKind::WrapperExit}},
        {QStringLiteral("wrapper"), {EventKind::WrapperEntry, EventKind::WrapperExit}},
        {QStringLiteral("forward"), {EventKind::ForwardNode}},
        {QStringLiteral("backward"), {EventKind::BackwardNode}},
        {QStringLiteral("node"), {EventKind::ForwardNode, EventKind::BackwardNode}},
        {QStringLiteral("saving"), {EventKind::Saving}},
        {QStringLiteral("hook"), {EventKind::Packing, EventKind::Unpacking}},
        {QStringLiteral("gradient"), {EventKind::GradientAccumulation}}};
    QStringList names;
    for (const auto& [known, which] : kinds) {
        if (known.compare(name, Qt::CaseInsensitive) == 0) {
            return [wanted = which](const steps::CallEvent& event) {
                return std::ranges::find(wanted, event.kind) != wanted.end();
            };
        }
        names.append(known);
    }
    *problem =
        filterWords("There is no kind “%1”; there are %2.").arg(name, names.join(QStringLiteral(", ")));
    return {};
}

EventTest timeTest(const QString& comparison, QString* problem) {
    static const QRegularExpression form(QStringLiteral("^([<>])\\s*([0-9.]+)\\s*(ns|us|µs|ms|s)$"),
                                         QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = form.match(comparison);
    bool isNumber = false;
    const double number = match.captured(2).toDouble(&isNumber);
    if (!match.hasMatch() || !isNumber) {
        *problem = filterWords("Write a time as time>10us or time<1ms.");
        return {};
    }
    const QString unit = match.captured(3).toLower();
    const double scale = unit == u"ns" ? 1 : unit == u"ms" ? 1e6 : unit == u"s" ? 1e9 : 1e3;
    const bool longer = match.captured(1) == u">";
    return [limit = number * scale, longer](const steps::CallEvent& event) {
        const auto took = double(event.nanoseconds);
        return longer ? took > limit : took < limit;
    };
}

EventTest patternTest(const QString& pattern, QString* problem) {
    const QRegularExpression expression(pattern, QRegularExpression::CaseInsensitiveOption);
    if (!expression.isValid()) {
        *problem = filterWords("/%1/ is no regular expression: %2.").arg(pattern, expression.errorString());
        return {};
    }
    return [expression](const steps::CallEvent& event) {
        return hasText(event, [&](const QString& each) { return expression.match(each).hasMatch(); });
    };
}

EventTest testOf(const QString& term, QString* problem) {
    if (term.size() > 2 && term.startsWith(QLatin1Char('/')) && term.endsWith(QLatin1Char('/'))) {
        return patternTest(term.mid(1, term.size() - 2), problem);
    }
    if (term.startsWith(QLatin1String("kind:"), Qt::CaseInsensitive)) {
        return kindTest(term.mid(5), problem);
    }
    if (term.startsWith(QLatin1String("time<"), Qt::CaseInsensitive) ||
        term.startsWith(QLatin1String("time>"), Qt::CaseInsensitive)) {
        return timeTest(term.mid(4), problem);
    }
    return wordTest(QString(term).remove(QLatin1Char('"')));
}

} // namespace

EventFilter EventFilter::parse(const QString& line, QString* problem) {
    problem->clear();
    EventFilter filter;
    for (const QString& written : termsOf(line)) {
        const bool negated = written.size() > 1 && written.startsWith(QLatin1Char('-'));
        EventTest holds = testOf(negated ? written.mid(1) : written, problem);
        if (!holds) {
            return {};
        }
        filter.m_terms.push_back(std::make_shared<const Term>(Term{std::move(holds), negated}));
    }
    return filter;
}

bool EventFilter::matches(const steps::CallEvent& event) const {
    return std::ranges::all_of(m_terms,
                               [&](const auto& term) { return term->holds(event) != term->negated; });
}

} // namespace aotscope::views
