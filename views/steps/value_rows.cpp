#include "steps/value_rows.h"

#include "common/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>
#include <map>
#include <span>

namespace aotscope::views {

namespace {

using steps::ValueChangeKind;
using steps::ValueState;

QString valueText(const char* words) {
    return QCoreApplication::translate("ValueRows", words);
}

QString sizesText(const ir::SymInts& sizes) {
    QStringList parts;
    for (const ir::SymInt& size : sizes) {
        parts.append(text(size.text()));
    }
    return QLatin1Char('[') + parts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// An added tensor takes the place of a removed one of the same position: it replaces it.
void joinReplaced(std::vector<ValueRow>& rows, const std::vector<steps::ValueChange>& changes) {
    std::vector<bool> gone(rows.size(), false);
    for (std::size_t added = 0; added < changes.size(); ++added) {
        if (changes[added].kind != ValueChangeKind::Added) {
            continue;
        }
        const auto removed = std::ranges::find_if(changes, [&](const steps::ValueChange& change) {
            return change.kind == ValueChangeKind::Removed && change.before == changes[added].after;
        });
        if (removed != changes.end()) {
            const auto at = static_cast<std::size_t>(removed - changes.begin());
            rows[added].before = rows[at].before;
            rows[added].words = valueText("another tensor in its place");
            gone[at] = true;
        }
    }
    std::size_t place = 0;
    std::erase_if(rows, [&](const ValueRow&) { return gone[place++]; });
}

QString summaryOf(const ValueSection& section, std::size_t before, std::size_t after) {
    std::map<QString, std::uint64_t> counts;
    for (const ValueRow& row : section.rows) {
        const bool replaced = row.kind == ValueChangeKind::Added && row.before;
        if (row.kind != ValueChangeKind::Unchanged) {
            ++counts[replaced ? valueText("replaced") : changeWord(row.kind)];
        }
    }
    QStringList parts;
    for (const auto& [word, count] : counts) {
        parts.append(formatCount(count) + QLatin1Char(' ') + word);
    }
    return valueText("%1 → %2").arg(before).arg(after) + QStringLiteral("   ") +
           (parts.isEmpty() ? valueText("nothing changed") : parts.join(QStringLiteral(", ")));
}

ValueSection sectionOf(const QString& title, std::span<const ValueState> before,
                       std::span<const ValueState> after) {
    ValueSection section{title, {}, {}};
    const std::vector<steps::ValueChange> changes = steps::compareValues(before, after);
    for (const steps::ValueChange& change : changes) {
        ValueRow row;
        row.kind = change.kind;
        row.words = text(change.text);
        if (change.before) {
            row.before = before[*change.before];
        }
        if (change.after) {
            row.after = after[*change.after];
        }
        section.rows.push_back(std::move(row));
    }
    joinReplaced(section.rows, changes);
    section.summary = summaryOf(section, before.size(), after.size());
    return section;
}

/// The values as they are, where no change is known yet.
ValueSection unchanged(const QString& title, std::span<const ValueState> values, const QString& remark) {
    ValueSection section = sectionOf(title, values, values);
    section.summary = formatCount(values.size(), "value", "values") + QStringLiteral(", ") + remark;
    return section;
}

} // namespace

std::optional<StorageSpan> spanOf(const ValueState& value) {
    const std::size_t itemBytes = value.meta ? ir::dtypeBytes(value.meta->dtype) : 0;
    if (itemBytes == 0 || !value.meta->stride || value.storage == 0 ||
        value.meta->stride->size() != value.meta->shape.size()) {
        return std::nullopt;
    }
    std::int64_t last = 0;
    for (std::size_t i = 0; i < value.meta->shape.size(); ++i) {
        const ir::SymInt& size = value.meta->shape[i];
        const ir::SymInt& stride = (*value.meta->stride)[i];
        if (size.isSymbolic() || stride.isSymbolic() || size.integer() <= 0) {
            return std::nullopt;
        }
        last += (size.integer() - 1) * stride.integer();
    }
    const ir::SymInt offset = value.meta->storageOffset.value_or(ir::SymInt(0));
    if (offset.isSymbolic()) {
        return std::nullopt;
    }
    const auto each = static_cast<std::int64_t>(itemBytes);
    return StorageSpan{value.storage, offset.integer() * each, (offset.integer() + last + 1) * each,
                       value.storageBytes};
}

QString valueWords(const ValueState& value) {
    if (!value.meta) {
        return text(value.number);
    }
    const std::string_view dtype = ir::dtypeShortName(value.meta->dtype);
    return QString::fromUtf8(dtype.data(), qsizetype(dtype.size())) + sizesText(value.meta->shape);
}

QString valueTip(const ValueState& value) {
    QStringList lines = {text(value.name) + QStringLiteral("   ") + valueWords(value)};
    if (!value.meta) {
        return lines.front();
    }
    if (value.meta->stride) {
        lines.append(valueText("strides %1").arg(sizesText(*value.meta->stride)));
    }
    if (const std::optional<StorageSpan> span = spanOf(value)) {
        lines.append(valueText("storage %1: bytes %2 to %3 of %4")
                         .arg(span->storage)
                         .arg(formatCount(static_cast<std::uint64_t>(span->from)),
                              formatCount(static_cast<std::uint64_t>(span->to)),
                              formatCount(static_cast<std::uint64_t>(span->storageBytes))));
    }
    lines.append(valueText("tensor %1, version %2").arg(value.tensor).arg(value.version));
    if (value.base != 0) {
        lines.append(valueText("a view of tensor %1").arg(value.base));
    }
    if (value.meta->requiresGrad.value_or(false)) {
        lines.append(value.isLeaf ? valueText("requires grad, a leaf") : valueText("requires grad"));
    }
    if (!value.gradFn.empty()) {
        lines.append(valueText("made by %1").arg(text(value.gradFn)));
    }
    if (value.meta->device) {
        lines.append(text(value.meta->device->text()));
    }
    return lines.join(QLatin1Char('\n'));
}

QString changeGlyph(ValueChangeKind kind) {
    static constexpr std::array<char16_t, 8> glyphs = {u'=', u'+', u'−', u'&', u'~', u'~', u'~', u'↕'};
    return QChar(glyphs.at(static_cast<std::size_t>(kind)));
}

QString changeWord(ValueChangeKind kind) {
    const std::string_view word = base::wordOf(kind);
    return QString::fromUtf8(word.data(), qsizetype(word.size()));
}

std::vector<ValueSection> valueSections(const steps::WrapperCall& call) {
    std::vector<ValueSection> sections;
    // What has not happened yet is no change.
    const bool isInside = !call.exit && call.passedOn.empty();
    if (isInside && !call.arguments.empty()) {
        sections.push_back(unchanged(valueText("Arguments"), call.arguments, valueText("not passed on yet")));
    } else if (!call.arguments.empty() || !call.passedOn.empty()) {
        sections.push_back(sectionOf(valueText("Arguments → passed on"), call.arguments, call.passedOn));
    }
    if (!call.exit && !call.received.empty()) {
        sections.push_back(unchanged(valueText("Received"), call.received, valueText("no results yet")));
    } else if (!call.received.empty() || !call.results.empty()) {
        sections.push_back(sectionOf(valueText("Received → results"), call.received, call.results));
    }
    if (!call.argumentsAfterCall.empty()) {
        sections.push_back(sectionOf(valueText("Arguments → the same after the call"), call.arguments,
                                     call.argumentsAfterCall));
    }
    return sections;
}

} // namespace aotscope::views
