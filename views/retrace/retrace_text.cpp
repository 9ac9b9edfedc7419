#include "retrace/retrace_text.h"

#include "common/format.h"
#include "session/retrace_request.h"

#include <QCoreApplication>
#include <QStringList>

#include <map>

namespace aotscope::views {

namespace {

QString tr(const char* words) {
    return QCoreApplication::translate("RetraceText", words);
}

QString escaped(const std::string& words) {
    return text(words).toHtmlEscaped();
}

QString heading(const QString& title) {
    return QStringLiteral("<h4>%1</h4>").arg(title);
}

QString row(const QStringList& cells) {
    return QStringLiteral("<tr><td>") + cells.join(QStringLiteral("&nbsp;&nbsp;</td><td>")) +
           QStringLiteral("</td></tr>");
}

QString list(const QStringList& items) {
    return items.isEmpty() ? QString()
                           : QStringLiteral("<ul><li>") + items.join(QStringLiteral("</li><li>")) +
                                 QStringLiteral("</li></ul>");
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
    const bool inGraph = input.mutationType() == ir::MutationType::MutatedInGraph;
    parts.append(inGraph ? tr("kept in the graph") : tr("applied after the graph"));
    return parts.join(QStringLiteral(", "));
}

std::vector<std::string> inputNames(const session::RetraceSnapshot& retraced) {
    std::vector<std::string> names;
    if (retraced.program && retraced.program->graph) {
        for (const ir::NodeId id : retraced.program->graph->placeholders()) {
            names.push_back(retraced.program->graph->node(id).name);
        }
    }
    return names;
}

/// The name belongs to the input only where both count the same.
QString inputName(const std::vector<std::string>& names, std::size_t count, std::size_t index) {
    const QString number = QString::number(index);
    return names.size() == count ? number + QLatin1Char(' ') + escaped(names[index]) : number;
}

QString inputsHtml(const session::RetraceSnapshot& retraced) {
    const ir::ViewAndMutationMeta& meta = retraced.result->metadata;
    const std::vector<std::string> names = inputNames(retraced);
    QString html = heading(tr("Inputs")) + QStringLiteral("<table>");
    for (std::size_t i = 0; i < meta.inputInfo.size(); ++i) {
        const ir::InputAliasInfo& input = meta.inputInfo[i];
        const bool isStatic = std::find(meta.staticInputIndices.begin(), meta.staticInputIndices.end(), i) !=
                              meta.staticInputIndices.end();
        html +=
            row({inputName(names, meta.inputInfo.size(), i),
                 input.requiresGrad ? tr("requires grad") : QString(), input.isLeaf ? tr("leaf") : QString(),
                 isStatic ? tr("static") : QString(), mutationText(input)});
    }
    return html + QStringLiteral("</table>");
}

QString outputsHtml(const ir::ViewAndMutationMeta& meta) {
    QString html = heading(tr("Outputs")) + QStringLiteral("<table>");
    for (std::size_t i = 0; i < meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = meta.outputInfo[i];
        html += row({QString::number(i), escaped(std::string(ir::outputTypeName(output.outputType))),
                     output.requiresGrad ? tr("requires grad") : QString(), escaped(output.rawType)});
    }
    return html + QStringLiteral("</table>");
}

/// "input 2: outputs 0, 1"; each group is one memory.
QString aliasesHtml(const ir::ViewAndMutationMeta& meta) {
    std::map<QString, QStringList> groups;
    for (std::size_t i = 0; i < meta.outputInfo.size(); ++i) {
        const ir::OutputAliasInfo& output = meta.outputInfo[i];
        if (output.baseIndex) {
            const bool ofInput = output.outputType == ir::OutputType::AliasOfInput ||
                                 output.outputType == ir::OutputType::IsInput;
            const bool ofOutput = output.outputType == ir::OutputType::AliasOfIntermediateBaseIsUserOutput;
            const QString base = (ofInput    ? tr("input %1")
                                  : ofOutput ? tr("output %1")
                                             : tr("intermediate base %1"))
                                     .arg(*output.baseIndex);
            groups[base].append(tr("output %1").arg(i));
        }
    }
    QStringList lines;
    for (const auto& [base, members] : groups) {
        lines.append(base + QStringLiteral(" — ") + members.join(QStringLiteral(", ")));
    }
    return lines.isEmpty() ? QString() : heading(tr("Aliases: one memory each")) + list(lines);
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

QString errorHtml(const base::Error& error) {
    QString html = QStringLiteral("<p>%1</p>").arg(escaped(error.message));
    html += list(texts(error.notes));
    return error.hint.empty() ? html : html + QStringLiteral("<p>%1</p>").arg(escaped(error.hint));
}

} // namespace

QString retraceResultText(const session::RetraceSnapshot& retraced) {
    const QString verdict = text(std::string(session::retraceVerdictName(retraced.verdict)));
    if (retraced.error) {
        return verdict + QStringLiteral(": ") +
               text(retraced.error->message).section(QLatin1Char('\n'), 0, 0);
    }
    if (retraced.verdict == session::RetraceVerdict::Different && retraced.difference) {
        return tr("differs in %1 at node %2 of %3")
            .arg(text(retraced.difference->what))
            .arg(retraced.difference->position + 1)
            .arg(retraced.logged->graph->size());
    }
    return retraced.verdict == session::RetraceVerdict::NothingToCompare
               ? tr("traced; the log has no graph to compare with")
               : verdict;
}

QString retraceHtml(const session::RetraceSnapshot& retraced) {
    QString html = QStringLiteral("<h3>%1 — %2</h3>")
                       .arg(escaped(retraced.target.name), retraceResultText(retraced).toHtmlEscaped());
    if (retraced.error) {
        return html + errorHtml(*retraced.error);
    }
    html += differenceHtml(retraced);
    if (!retraced.metadataDifferences.empty()) {
        html += heading(tr("Metadata differs")) + list(texts(retraced.metadataDifferences));
    }
    if (!retraced.result) {
        return html;
    }
    html += QStringLiteral("<p>%1</p>").arg(escaped(retraced.result->reason));
    html += inputsHtml(retraced) + outputsHtml(retraced.result->metadata) +
            aliasesHtml(retraced.result->metadata);
    QStringList guards;
    for (const session::RetraceGuard& guard : retraced.result->guards) {
        guards.append(escaped(guard.expression) +
                      (guard.node.empty() ? QString() : tr(" (asked by %1)").arg(escaped(guard.node))));
    }
    if (!guards.isEmpty()) {
        html += heading(tr("Guards assumed")) + list(guards);
    }
    return html + list(texts(retraced.result->notes)) + list(texts(retraced.notes));
}

} // namespace aotscope::views
