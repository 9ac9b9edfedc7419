#include "retrace/metadata_text.h"

#include "common/format.h"
#include "retrace/html_parts.h"

#include <QStringList>

#include <algorithm>
#include <map>

namespace aotscope::views {

using html::escaped;
using html::heading;
using html::tr;

namespace {

QString row(const QStringList& cells) {
    return QStringLiteral("<tr><td>") + cells.join(QStringLiteral("&nbsp;&nbsp;</td><td>")) +
           QStringLiteral("</td></tr>");
}

QString table(const QStringList& rows) {
    return QStringLiteral("<table>") + rows.join(QString()) + QStringLiteral("</table>");
}

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

/// How a tensor lies in memory: "channels last", "contiguous", else its strides.
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

/// The metadata of a trace as tables.
class MetadataText {
public:
    explicit MetadataText(const session::RetraceSnapshot& retraced)
        : m_retraced(retraced), m_meta(retraced.result->metadata) {
        if (retraced.program && retraced.program->graph) {
            m_placeholders = retraced.program->graph->placeholders();
        }
    }

    [[nodiscard]] QString inputs() const;
    [[nodiscard]] QString outputs() const;
    [[nodiscard]] QString aliases() const;
    [[nodiscard]] QString tangents() const;

private:
    /// Null where the metadata counts other inputs than the program has (parameters, bases of views).
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

    const session::RetraceSnapshot& m_retraced;
    const ir::ViewAndMutationMeta& m_meta;
    std::vector<ir::NodeId> m_placeholders;
};

/// What PyTorch has otherwise of one entry, from the lines that tell the differences.
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
    QStringList rows;
    for (std::size_t i = 0; i < m_meta.inputInfo.size(); ++i) {
        const ir::InputAliasInfo& input = m_meta.inputInfo[i];
        const bool isStatic =
            std::ranges::find(m_meta.staticInputIndices, i) != m_meta.staticInputIndices.end();
        const ir::Node* node = placeholder(i);
        const ir::TensorMeta* tensor = node == nullptr ? nullptr : ir::asTensor(node->value);
        rows.append(row({inputName(i), input.requiresGrad ? tr("requires grad") : QString(),
                         input.isLeaf ? tr("leaf") : QString(), isStatic ? tr("static") : QString(),
                         tensor == nullptr ? QString() : layoutText(*tensor), mutationText(input),
                         difference(QStringLiteral("input_info"), i)}));
    }
    return rows.isEmpty() ? QString() : heading(tr("Inputs")) + table(rows);
}

QString MetadataText::outputs() const {
    QStringList rows;
    for (std::size_t i = 0; i < m_meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = m_meta.outputInfo[i];
        QStringList dimensions;
        for (const std::size_t dimension : output.dynamicDims.value_or(std::vector<std::size_t>())) {
            dimensions.append(QString::number(dimension));
        }
        rows.append(
            row({QString::number(i), escaped(std::string(ir::outputTypeName(output.outputType))),
                 output.requiresGrad ? tr("requires grad") : QString(), escaped(output.rawType),
                 dimensions.isEmpty() ? QString()
                                      : tr("dynamic in %1").arg(dimensions.join(QStringLiteral(", "))),
                 difference(QStringLiteral("output_info"), i)}));
    }
    return rows.isEmpty() ? QString() : heading(tr("Outputs")) + table(rows);
}

QString MetadataText::aliases() const {
    // Inputs first, then bases that are outputs or intermediates.
    std::map<std::pair<int, std::size_t>, QStringList> groups;
    for (std::size_t i = 0; i < m_meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = m_meta.outputInfo[i];
        if (!output.baseIndex) {
            continue;
        }
        const bool ofInput =
            output.outputType == ir::OutputType::AliasOfInput || output.outputType == ir::OutputType::IsInput;
        const bool ofOutput = output.outputType == ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
        QStringList& group = groups[{ofInput ? 0 : ofOutput ? 1 : 2, *output.baseIndex}];
        if (group.isEmpty()) {
            group.append(ofInput    ? tr("input %1").arg(inputName(*output.baseIndex))
                         : ofOutput ? tr("output %1").arg(*output.baseIndex)
                                    : tr("intermediate base %1").arg(*output.baseIndex));
        }
        group.append(output.outputType == ir::OutputType::IsInput ? tr("output %1, the input itself").arg(i)
                                                                  : tr("output %1, a view").arg(i));
    }
    QString html;
    for (const auto& [base, members] : groups) {
        QStringList rows;
        for (qsizetype i = 0; i < members.size(); ++i) {
            const QString bracket = i == 0                    ? QStringLiteral("┌")
                                    : i == members.size() - 1 ? QStringLiteral("└")
                                                              : QStringLiteral("├");
            rows.append(row({bracket, members[i]}));
        }
        html += table(rows);
    }
    return html.isEmpty() ? QString() : heading(tr("Aliases: one memory each")) + html;
}

QString MetadataText::tangents() const {
    QStringList rows;
    for (std::size_t i = 0; i < m_meta.tracedTangents.size(); ++i) {
        const ir::TensorMeta& tangent = m_meta.tracedTangents[i];
        rows.append(
            row({QString::number(i), escaped(std::string(ir::dtypeName(tangent.dtype))),
                 numbersText(tangent.shape).toHtmlEscaped(), layoutText(tangent),
                 i < m_meta.tracedTangentsDescs.size() ? escaped(m_meta.tracedTangentsDescs[i]) : QString(),
                 difference(QStringLiteral("traced_tangents"), i)}));
    }
    return rows.isEmpty() ? QString() : heading(tr("Tangents")) + table(rows);
}

} // namespace

QString metadataHtml(const session::RetraceSnapshot& retraced) {
    if (!retraced.result) {
        return {};
    }
    const MetadataText metadata(retraced);
    return metadata.inputs() + metadata.outputs() + metadata.aliases() + metadata.tangents();
}

QString guardsHtml(const session::RetraceSnapshot& retraced) {
    if (!retraced.result || retraced.result->guards.empty()) {
        return {};
    }
    QStringList rows;
    for (const session::RetraceGuard& guard : retraced.result->guards) {
        const QString name = escaped(guard.node);
        const QString asked =
            guard.given      ? tr("given as a fact")
            : name.isEmpty() ? QString()
                             : tr("asked by %1").arg(QStringLiteral("<a href=\"node:%1\">%1</a>").arg(name));
        const QString place = guard.source ? escaped(guard.source->file) + QLatin1Char(':') +
                                                 QString::number(guard.source->line)
                                           : QString();
        rows.append(row({QStringLiteral("<code>%1</code>").arg(escaped(guard.expression)), asked, place}));
    }
    return heading(tr("Guards: taken for granted about sizes")) + table(rows);
}

} // namespace aotscope::views
