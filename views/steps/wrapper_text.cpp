#include "steps/wrapper_text.h"

#include "aot/compiled_function_json.h"
#include "common/format.h"
#include "common/html.h"

#include <QCoreApplication>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace aotscope::views {

namespace {

QString wrapperWords(const char* words) {
    return QCoreApplication::translate("WrapperText", words);
}

bool isNothing(const nlohmann::json& value) {
    return value.is_null() || value == false || (value.is_array() && value.empty());
}

/// The wrapper's fields that say anything, with PyTorch's names.
QString stateHtml(const aot::WrapperStep& step, const Theme& theme) {
    constexpr std::size_t mostLetters = 400;
    html::Facts facts(theme);
    const auto json = nlohmann::json::parse(aot::wrappersToJson({step}), nullptr, false);
    if (json.is_array() && !json.empty() && json[0].contains("state") && json[0]["state"].is_object()) {
        for (const auto& [name, value] : json[0]["state"].items()) {
            if (!isNothing(value)) {
                std::string words = value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
                const bool isLong = words.size() > mostLetters;
                words.resize(std::min(words.size(), mostLetters));
                facts.addCode(html::escaped(name),
                              html::escaped(words) + (isLong ? QStringLiteral(" …") : QString()));
            }
        }
    }
    return facts.html();
}

QString listHtml(const std::vector<std::string>& lines) {
    QString list;
    for (const std::string& line : lines) {
        list += QStringLiteral("<li>%1</li>").arg(html::escaped(line));
    }
    return list.isEmpty()
               ? QString()
               : QStringLiteral("<ul style='margin:0 0 4px 0; -qt-list-indent:1'>%1</ul>").arg(list);
}

QString passageHtml(const steps::CallRecord& record, std::size_t passage, const Theme& theme) {
    const steps::WrapperCall& call = record.wrappers[passage];
    html::Facts facts(theme);
    if (call.exit) {
        facts.addCode(wrapperWords("own time"), formatNanoseconds(call.ownNanoseconds).toHtmlEscaped());
    }
    if (const std::int64_t worked = workNanoseconds(record); call.exit && worked > 0) {
        facts.addCode(
            wrapperWords("share"),
            QStringLiteral("%1 %").arg(100 * double(call.ownNanoseconds) / double(worked), 0, 'f', 1));
    }
    const QString actions = listHtml(call.actions);
    return facts.html() +
           (actions.isEmpty() ? QString() : html::heading(wrapperWords("What it did")) + actions);
}

QString titleHtml(const QString& title) {
    return QStringLiteral("<p style='margin:0 0 4px 0'><b>%1</b></p>").arg(title.toHtmlEscaped());
}

QString largestWords(const steps::EagerCallComparison& eager) {
    double largest = 0;
    for (const steps::ComparedValue& value : eager.values) {
        largest = std::max(largest, value.relativeError.value_or(0));
    }
    return errorText(largest);
}

} // namespace

QString errorText(double error) {
    return error == 0 ? QStringLiteral("0") : QString::number(error, 'e', 1);
}

QString wrapperHtml(const CalledFunction& function, std::size_t step, std::optional<std::size_t> passage,
                    const Theme& theme) {
    const aot::WrapperStep& wrapper = (*function.wrappers())[step];
    const std::string_view name = aot::wrapperName(wrapper.wrapper);
    const QString state = wrapper.applies ? html::colored(theme.good, wrapperWords("applies"))
                                          : html::colored(theme.dimText, wrapperWords("does nothing"));
    QString page = titleHtml(QString::fromUtf8(name.data(), qsizetype(name.size())));
    page +=
        QStringLiteral("<p style='margin:0 0 8px 0'>%1: %2</p>").arg(state, html::escaped(wrapper.reason));
    if (const steps::CallRecordPtr record = function.record(); record && passage) {
        page += passageHtml(*record, *passage, theme);
    }
    if (const QString fields = wrapper.applies ? stateHtml(wrapper, theme) : QString(); !fields.isEmpty()) {
        page += html::heading(wrapperWords("Its state")) + fields;
    }
    return page;
}

QString compiledGraphWords(const CalledFunction& function) {
    const auto nodes = [](const ir::GraphPtr& graph) { return formatCount(graph->size(), "node", "nodes"); };
    if (function.call && function.call->function) {
        const ir::GraphPtr forward = function.call->function->forward();
        const ir::GraphPtr backward = function.call->function->backward();
        if (forward && backward) {
            return wrapperWords("forward %1, backward %2").arg(nodes(forward), nodes(backward));
        }
        return forward ? nodes(forward) : QString();
    }
    const session::GraphSnapshotPtr& made = function.retraced ? function.retraced->made : nullptr;
    const bool isJoint =
        function.retraced && function.retraced->result && function.retraced->result->function.joint;
    const QString size = made && made->graph ? nodes(made->graph) : QString();
    return isJoint ? wrapperWords("joint graph, %1").arg(size) : size;
}

QString compiledGraphHtml(const CalledFunction& function, const Theme& theme) {
    QString page = titleHtml(wrapperWords("Compiled graph"));
    page += QStringLiteral("<p style='margin:0 0 8px 0'>%1</p>")
                .arg(compiledGraphWords(function).toHtmlEscaped());
    const steps::CallRecordPtr record = function.record();
    if (!record) {
        return page;
    }
    std::int64_t forward = 0;
    std::int64_t backward = 0;
    for (const steps::CallEvent& event : record->events) {
        forward += event.kind == steps::EventKind::ForwardNode ? event.nanoseconds : 0;
        backward += event.kind == steps::EventKind::BackwardNode ? event.nanoseconds : 0;
    }
    html::Facts facts(theme);
    facts.addCode(wrapperWords("forward nodes"), formatNanoseconds(forward).toHtmlEscaped());
    facts.addCode(wrapperWords("backward nodes"),
                  backward > 0 ? formatNanoseconds(backward).toHtmlEscaped() : QString());
    facts.add(wrapperWords("ran on"), function.call ? html::escaped(function.call->backend) : QString());
    const QString notes = listHtml(record->notes);
    return page + facts.html() + (notes.isEmpty() ? QString() : html::heading(wrapperWords("Notes")) + notes);
}

QString wrapperSource(const CalledFunction& function, std::size_t step) {
    if (!function.retraced) {
        return {};
    }
    const std::span<const std::string_view> names = aot::sourceSections((*function.wrappers())[step].wrapper);
    QStringList parts;
    for (const load::WrapperSource& source : function.retraced->wrapperSources) {
        if (std::ranges::find(names, source.section) != names.end()) {
            parts.append(QStringLiteral("# ") + text(source.section) + QLatin1Char('\n') +
                         text(source.text).trimmed());
        }
    }
    return parts.join(QStringLiteral("\n\n"));
}

std::int64_t workNanoseconds(const steps::CallRecord& record) {
    std::int64_t sum = 0;
    for (const steps::CallEvent& event : record.events) {
        sum += event.kind == steps::EventKind::WrapperExit ? 0 : event.nanoseconds;
    }
    for (const steps::WrapperCall& passage : record.wrappers) {
        sum += passage.exit ? passage.ownNanoseconds : 0;
    }
    return sum;
}

std::optional<std::int64_t> ownNanoseconds(const steps::CallRecord& record, std::size_t step,
                                           std::size_t call) {
    std::optional<std::int64_t> sum;
    for (const steps::WrapperCall& passage : record.wrappers) {
        if (passage.step == step && passage.call == call && passage.exit) {
            sum = sum.value_or(0) + passage.ownNanoseconds;
        }
    }
    return sum;
}

namespace {

/// By how much saved-tensors hooks themselves change values; empty: there are none.
QString hookLossWords(const steps::EagerCallComparison& eager) {
    double worst = 0;
    bool hasHooks = false;
    for (const steps::ComparedValue& value : eager.values) {
        hasHooks = hasHooks || value.hookLoss;
        worst = std::max(worst, value.hookLoss.value_or(0));
    }
    return hasHooks
               ? wrapperWords("; the saved-tensors hooks change values by up to %1").arg(errorText(worst))
               : QString();
}

/// "2 values as in Dynamo's graph in eager mode, largest relative error 2.0e-07"
QString equalWords(const steps::EagerCallComparison& eager) {
    return wrapperWords("%1 as in Dynamo's graph in eager mode, largest relative error %2")
               .arg(formatCount(eager.values.size(), "value", "values"), largestWords(eager)) +
           hookLossWords(eager);
}

/// "3 of 4 values: output 0: 0.5 of the largest magnitude apart; gradient of arg 1, gradient of arg 2"
QString differingWords(const steps::EagerCallComparison& eager) {
    constexpr qsizetype mostNamed = 4;
    QString first;
    QStringList others;
    std::uint64_t differing = 0;
    for (const steps::ComparedValue& value : eager.values) {
        if (value.word() != base::VerdictWord::Differs) {
            continue;
        }
        if (++differing == 1) {
            first = text(steps::comparedValueText(value));
        } else if (others.size() < mostNamed) {
            others.append(differing > std::uint64_t(mostNamed) ? QStringLiteral("…") : text(value.name));
        }
    }
    return wrapperWords("%1 of %2: %3; %4")
        .arg(formatCount(differing), formatCount(eager.values.size(), "value", "values"), first,
             others.join(QStringLiteral(", ")));
}

bool severalDiffer(const steps::EagerCallComparison& eager) {
    return std::ranges::count_if(eager.values, [](const steps::ComparedValue& value) {
               return value.word() == base::VerdictWord::Differs;
           }) > 1;
}

} // namespace

std::optional<base::Verdict> callVerdict(const CalledFunction& function) {
    if (!function.call) {
        return std::nullopt;
    }
    const steps::CallRecordPtr& record = function.call->record;
    if (!record) {
        return base::Verdict{.word = base::VerdictWord::NotSupported,
                             .reason = wrapperWords("The function was not called.").toStdString()};
    }
    base::Verdict verdict = steps::verdictOf(*record);
    if (verdict.isEqual() && record->eager) {
        verdict.reason = equalWords(*record->eager).toStdString();
    } else if (!record->error && record->eager && severalDiffer(*record->eager)) {
        const QString departures = record->departures.empty()
                                       ? QString()
                                       : wrapperWords("PyTorch's compile differs from eager here: %1; ")
                                             .arg(text(steps::departuresText(*record)));
        verdict.reason = (departures + differingWords(*record->eager)).toStdString();
    }
    return verdict;
}

} // namespace aotscope::views
