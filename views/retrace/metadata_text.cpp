#include "retrace/metadata_text.h"

#include "common/format.h"
#include "retrace/html_parts.h"
#include "retrace/html_rows.h"

#include "ir/text/descriptor_text.h"

#include <QStringList>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

namespace aotscope::views {

using html::escaped;
using html::heading;
using html::Rows;

using html::tr;

namespace {

QString mutationText(const ir::InputAliasInfo& input) {
    QStringList parts;
    if (input.mutatesData) {
        parts.append(tr("data mutated"));
    }
    if (input.mutatesMetadata) {
        parts.append(tr("metadata mutated"));
    }
    if (input.mutatesStorageMetadata || input.mutationInductorStorageResize) {
        parts.append(tr("storage changed"));
    }
    if (parts.isEmpty()) {
        return {};
    }
    if (input.mutationsHiddenFromAutograd) {
        parts.append(tr("hidden from autograd"));
    } else if (input.mutationsUnderNoGradOrInferenceMode) {
        parts.append(tr("under no_grad"));
    }
    const bool inGraph = input.mutationType() == ir::MutationType::MutatedInGraph;
    parts.append(inGraph ? tr("kept in the graph") : tr("applied after the graph"));
    return parts.join(QStringLiteral(", "));
}

QString numbersText(const ir::SymInts& numbers) {
    QStringList texts;
    for (const ir::SymInt& number : numbers) {
        texts.append(text(number.text()));
    }
    return QLatin1Char('[') + texts.join(QStringLiteral(", ")) + QLatin1Char(']');
}

/// A tensor's memory layout: "channels last", "contiguous", else its strides.
QString layoutText(const ir::TensorMeta& tensor) {
    if (!tensor.stride) {
        return {};
    }
    const auto isDense = [&](const std::vector<std::size_t>& order) {
        std::int64_t expected = 1;
        for (const std::size_t dimension : order) {
            const ir::SymInt& stride = (*tensor.stride)[dimension];
            const ir::SymInt& size = tensor.shape[dimension];
            if (stride.isSymbolic() || size.isSymbolic() ||
                (size.integer() != 1 && stride.integer() != expected)) {
                return false;
            }
            expected *= size.integer();
        }
        return true;
    };
    std::vector<std::size_t> plain;
    for (std::size_t i = tensor.shape.size(); i-- > 0;) {
        plain.push_back(i);
    }
    if (isDense(plain)) {
        return tr("contiguous");
    }
    if (tensor.shape.size() == 4 && isDense({1, 3, 2, 0})) {
        return tr("channels last");
    }
    return tr("strides %1").arg(numbersText(*tensor.stride).toHtmlEscaped());
}

/// The metadata of a re-trace as tables.
class MetadataText {
public:
    explicit MetadataText(const session::RetraceSnapshot& retraced)
        : m_retraced(retraced), m_meta(retraced.result->function.metadata) {
        if (retraced.program && retraced.program->graph) {
            m_placeholders = retraced.program->graph->placeholders();
        }
    }

    [[nodiscard]] QString inputs() const;
    [[nodiscard]] QString outputs() const;
    [[nodiscard]] QString aliases() const;
    [[nodiscard]] QString tangents() const;
    [[nodiscard]] QString notCompared() const;

private:
    /// First 0: an input, 1: an output, 2: an intermediate; second: its index.
    using Base = std::pair<int, std::size_t>;
    /// Values that share memory.
    struct AliasGroup {
        std::vector<Base> bases;
        /// Name, place in memory, and relation to the others.
        QList<QStringList> members;
        QString note;
    };
    void addInputs(AliasGroup& group, const session::SharedMemory& memory) const;
    [[nodiscard]] std::size_t groupOf(std::vector<AliasGroup>& groups,
                                      const ir::OutputAliasInfo& output) const;

    /// Null if the metadata counts other inputs than the program (with parameters or synthetic bases).
    [[nodiscard]] const ir::Node* placeholder(std::size_t index) const {
        return m_placeholders.size() == m_meta.inputInfo.size()
                   ? &m_retraced.program->graph->node(m_placeholders[index])
                   : nullptr;
    }
    [[nodiscard]] QString inputName(std::size_t index) const {
        const ir::Node* node = placeholder(index);
        return node == nullptr ? QString::number(index)
                               : QString::number(index) + QLatin1Char(' ') + escaped(node->name);
    }
    [[nodiscard]] QString difference(const QString& field, std::size_t index) const;

    /// What the compiled function expects of a tangent's memory, and the line that it comes from.
    [[nodiscard]] QStringList expectation(std::size_t tangent) const;

    const session::RetraceSnapshot& m_retraced;
    const ir::ViewAndMutationMeta& m_meta;
    std::vector<ir::NodeId> m_placeholders;
};

/// PyTorch's value of a field, if it differs.
QString MetadataText::difference(const QString& field, std::size_t index) const {
    const QString start = QStringLiteral("%1[%2]").arg(field).arg(index);
    QStringList parts;
    for (const std::string& line : m_retraced.metadataDifferences) {
        const QString whole = text(line);
        if (whole.startsWith(start)) {
            parts.append(whole.mid(start.size() + 1));
        }
    }
    return parts.isEmpty()
               ? QString()
               : QStringLiteral("<b>≠ %1</b>").arg(parts.join(QStringLiteral("; ")).toHtmlEscaped());
}

QString MetadataText::inputs() const {
    Rows rows;
    for (std::size_t i = 0; i < m_meta.inputInfo.size(); ++i) {
        const ir::InputAliasInfo& input = m_meta.inputInfo[i];
        const bool isStatic =
            std::ranges::find(m_meta.staticInputIndices, i) != m_meta.staticInputIndices.end();
        const ir::Node* node = placeholder(i);
        const ir::TensorMeta* tensor = node == nullptr ? nullptr : ir::asTensor(node->value);
        const QString mutation = mutationText(input);
        const QString differs = difference(QStringLiteral("input_info"), i);
        rows.add({QString::number(i), node == nullptr ? QString() : escaped(node->name),
                  input.requiresGrad ? tr("requires grad") : QString(), input.isLeaf ? tr("leaf") : QString(),
                  isStatic ? tr("static") : QString(), tensor == nullptr ? QString() : layoutText(*tensor),
                  mutation, differs},
                 !mutation.isEmpty() || !differs.isEmpty());
    }
    return rows.under(tr("Inputs"));
}

QString MetadataText::outputs() const {
    Rows rows;
    for (std::size_t i = 0; i < m_meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = m_meta.outputInfo[i];
        QStringList dimensions;
        for (const std::size_t dimension : output.dynamicDims.value_or(std::vector<std::size_t>())) {
            dimensions.append(QString::number(dimension));
        }
        const QString differs = difference(QStringLiteral("output_info"), i);
        rows.add({QString::number(i), escaped(std::string(base::wordOf(output.outputType))),
                  output.requiresGrad ? tr("requires grad") : QString(), escaped(output.rawType),
                  dimensions.isEmpty() ? QString()
                                       : tr("dynamic in %1").arg(dimensions.join(QStringLiteral(", "))),
                  differs},
                 !differs.isEmpty());
    }
    return rows.under(tr("Outputs"));
}

/// A bar, to scale, that shows where an input lies in the shared memory.
QString extentBar(const session::SharedInput& input, std::int64_t length) {
    if (!input.elements || length <= 0) {
        return {};
    }
    constexpr int cells = 24;
    const auto at = [&](std::int64_t element) { return int(element * cells / length); };
    const int from = std::min(at(input.elements->first), cells - 1);
    const int end = std::max(from + 1, at(input.elements->second));
    return QStringLiteral("<code>%1%2%3</code>")
        .arg(QString(from, QChar(0x2591)), QString(end - from, QChar(0x2588)),
             QString(cells - end, QChar(0x2591)));
}

void MetadataText::addInputs(AliasGroup& group, const session::SharedMemory& memory) const {
    std::int64_t length = 0;
    for (const session::SharedInput& input : memory.inputs) {
        length = std::max(length, input.elements ? input.elements->second : 0);
    }
    for (const session::SharedInput& input : memory.inputs) {
        const QString elements = input.elements
                                     ? tr("elements %1 to %2")
                                           .arg(input.elements->first)
                                           .arg(std::max(input.elements->first, input.elements->second - 1))
                                     : QString();
        group.members.append(
            {tr("input %1").arg(input.index) + QLatin1Char(' ') + escaped(input.name),
             extentBar(input, length),
             input.sameAs ? tr("the same elements as input %1").arg(*input.sameAs) : elements});
    }
    if (!memory.base.empty()) {
        group.note = tr("traced as views of one synthetic base, the graph's input %1")
                         .arg(QStringLiteral("<code>%1</code>").arg(escaped(memory.base)));
    }
}

/// The group of an output's base; an input's group if there is one.
std::size_t MetadataText::groupOf(std::vector<AliasGroup>& groups, const ir::OutputAliasInfo& output) const {
    const bool ofInput =
        output.outputType == ir::OutputType::AliasOfInput || output.outputType == ir::OutputType::IsInput;
    const bool ofOutput = output.outputType == ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
    const Base base{ofInput ? 0 : ofOutput ? 1 : 2, *output.baseIdx};
    const auto found = std::ranges::find_if(groups, [&](const AliasGroup& group) {
        return std::ranges::find(group.bases, base) != group.bases.end();
    });
    if (found != groups.end()) {
        return std::size_t(found - groups.begin());
    }
    const QString name = ofInput    ? tr("input %1").arg(inputName(*output.baseIdx))
                         : ofOutput ? tr("output %1").arg(*output.baseIdx)
                                    : tr("intermediate base %1").arg(*output.baseIdx);
    groups.push_back({{base}, {{name, {}, {}}}, {}});
    return groups.size() - 1;
}

QString MetadataText::aliases() const {
    std::vector<AliasGroup> groups;
    for (const session::SharedMemory& memory : m_retraced.sharedInputs) {
        AliasGroup group;
        addInputs(group, memory);
        // With a synthetic base the metadata counts other inputs.
        for (const session::SharedInput& input : memory.inputs) {
            if (placeholder(input.index) != nullptr) {
                group.bases.push_back({0, input.index});
            }
        }
        groups.push_back(std::move(group));
    }
    for (std::size_t i = 0; i < m_meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = m_meta.outputInfo[i];
        if (output.baseIdx) {
            const bool isInput = output.outputType == ir::OutputType::IsInput;
            groups[groupOf(groups, output)].members.append(
                {tr("output %1").arg(i), {}, isInput ? tr("the input itself") : tr("a view")});
        }
    }
    QString html;
    constexpr std::size_t mostGroups = 20;
    for (const AliasGroup& group : std::span(groups).first(std::min(mostGroups, groups.size()))) {
        Rows rows;
        for (qsizetype i = 0; i < group.members.size(); ++i) {
            const QString bracket = i == 0                          ? QStringLiteral("┌")
                                    : i == group.members.size() - 1 ? QStringLiteral("└")
                                                                    : QStringLiteral("├");
            rows.add(QStringList(bracket) + group.members[i]);
        }
        html += rows.html();
        html += group.note.isEmpty() ? QString() : QStringLiteral("<p>%1</p>").arg(group.note);
    }
    if (groups.size() > mostGroups) {
        html +=
            QStringLiteral("<p>%1</p>").arg(tr("and %1 more").arg(formatCount(groups.size() - mostGroups)));
    }
    return html.isEmpty() ? QString() : heading(tr("Aliases: values that share memory")) + html;
}

QStringList MetadataText::expectation(std::size_t tangent) const {
    // The log's where it has them: the engine need not know them.
    const ir::ViewAndMutationMeta& logged = m_retraced.loggedMetadata     ? *m_retraced.loggedMetadata
                                            : m_retraced.untracedMetadata ? *m_retraced.untracedMetadata
                                                                          : m_meta;
    const auto& metas = logged.subclassTangentMeta ? logged.subclassTangentMeta : m_meta.subclassTangentMeta;
    const auto& sources =
        logged.tangentSourceStackTraces ? logged.tangentSourceStackTraces : m_meta.tangentSourceStackTraces;
    QString memory;
    if (metas && tangent < metas->size() && (*metas)[tangent].layout) {
        const ir::TangentLayout& layout = *(*metas)[tangent].layout;
        memory = layout.stride
                     ? tr("expected with strides %1").arg(numbersText(*layout.stride).toHtmlEscaped())
                     : tr("expected in %1").arg(escaped(layout.memoryFormat));
    }
    QString source;
    if (sources && tangent < sources->size() && (*sources)[tangent]) {
        const ir::SourceLocation& place = *(*sources)[tangent];
        source = tr("made at %1:%2").arg(escaped(place.file)).arg(place.line);
    }
    return {memory, source};
}

QString MetadataText::notCompared() const {
    if (!m_retraced.loggedMetadata) {
        return {};
    }
    Rows rows;
    for (const std::string& name : m_retraced.metadataNotCompared) {
        const auto& others = m_retraced.loggedMetadata->otherFields;
        const auto found = std::ranges::find(others, name, &ir::OtherField::path);
        QString value = found == others.end() ? tr("not computed") : text(found->text);
        constexpr qsizetype longest = 120;
        value = value.size() > longest ? value.left(longest) + QChar(0x2026) : value;
        rows.add({escaped(name), QStringLiteral("<code>%1</code>").arg(value.toHtmlEscaped())});
    }
    return rows.empty() ? QString()
                        : heading(tr("Logged fields that are not compared")) +
                              rows.html(tr("the Payload panel shows all"));
}

QString MetadataText::tangents() const {
    Rows rows;
    for (std::size_t i = 0; i < m_meta.tracedTangents.size(); ++i) {
        const ir::TensorMeta& tangent = m_meta.tracedTangents[i];
        const QString differs = difference(QStringLiteral("traced_tangents"), i);
        const QString descriptor = i < m_meta.tracedTangentsDescs.size()
                                       ? escaped(ir::descriptorText(m_meta.tracedTangentsDescs[i]))
                                       : QString();
        rows.add(QStringList{QString::number(i), escaped(std::string(ir::dtypeName(tangent.dtype))),
                             numbersText(tangent.shape).toHtmlEscaped(), layoutText(tangent), descriptor} +
                     expectation(i) + QStringList(differs),
                 !differs.isEmpty());
    }
    return rows.under(tr("Tangents"));
}

} // namespace

QString metadataHtml(const session::RetraceSnapshot& retraced) {
    if (!retraced.result) {
        return {};
    }
    const MetadataText metadata(retraced);
    return metadata.inputs() + metadata.outputs() + metadata.aliases() + metadata.tangents() +
           metadata.notCompared();
}

QString guardsHtml(const session::RetraceSnapshot& retraced) {
    if (!retraced.result || retraced.result->function.guards.empty()) {
        return {};
    }
    Rows rows;
    for (const aot::RetraceGuard& guard : retraced.result->function.guards) {
        const QString name = escaped(guard.node);
        const QString asked =
            guard.byUser     ? tr("given as a fact")
            : name.isEmpty() ? QString()
                             : tr("needed by %1").arg(QStringLiteral("<a href=\"node:%1\">%1</a>").arg(name));
        const QString place = guard.source ? escaped(guard.source->file) + QLatin1Char(':') +
                                                 QString::number(guard.source->line)
                                           : QString();
        rows.add({QStringLiteral("<code>%1</code>").arg(escaped(guard.expression.text())), asked, place});
    }
    return heading(tr("Guards: what the trace assumes about sizes")) +
           rows.html(tr("aotscope-cli retrace --guards lists all"));
}

} // namespace aotscope::views
