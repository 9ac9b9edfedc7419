#include "graph/graph_facts.h"

#include "common/difference_style.h"
#include "common/format.h"
#include "common/html.h"
#include "contract/category_facts.h"

#include "ir/text/descriptor_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <unordered_set>

namespace aotscope::views {
namespace {

QString factText(const char* text) {
    return QCoreApplication::translate("GraphView", text);
}

/// A table row; empty if the value is.
QString row(const QString& name, const QString& value) {
    return value.isEmpty() ? QString() : html::row({name, value.toHtmlEscaped()});
}

QString nameList(const ir::Graph& graph, std::span<const ir::NodeId> nodes) {
    constexpr std::size_t most = 8;
    QStringList names;
    for (std::size_t i = 0; i < std::min(nodes.size(), most); ++i) {
        names << QString::fromStdString(graph.node(nodes[i]).name);
    }
    QString text = names.join(QStringLiteral(", "));
    if (nodes.size() > most) {
        text += factText(" and %1 more").arg(nodes.size() - most);
    }
    return text;
}

QString sourceText(const ir::Node& node) {
    if (!node.origin || !node.origin->source) {
        return {};
    }
    const ir::SourceLocation& source = *node.origin->source;
    QString text = QStringLiteral("%1:%2").arg(QString::fromStdString(source.file)).arg(source.line);
    if (!source.code.empty()) {
        text += QStringLiteral("  ") + QString::fromStdString(source.code);
    }
    return text;
}

/// "shape: [8, 4] → [s0, 4]; …", or only what kind of property changed.
QString differenceDetails(const ir::NodeDifference& difference) {
    QStringList details;
    for (const std::string& detail : difference.details) {
        details << QString::fromStdString(detail);
    }
    return details.isEmpty() ? factText("since the previous stage") : details.join(QStringLiteral("; "));
}

std::int64_t valueBytes(const ir::ValueMeta& value, const ir::SymbolBindings& hints) {
    if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
        return tensor->bytes(hints).value_or(0);
    }
    std::int64_t bytes = 0;
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value); tuple && *tuple) {
        for (const ir::ValueMeta& element : (*tuple)->elements) {
            const ir::TensorMeta* tensor = ir::asTensor(element);
            bytes += tensor != nullptr ? tensor->bytes(hints).value_or(0) : 0;
        }
    }
    return bytes;
}

QString boxTitle(const GraphScene& scene, BoxId id) {
    const layout::Box& box = scene.box(id);
    return box.node.valid() ? QString::fromStdString(scene.graph().node(box.node).name)
                            : QString::fromStdString(scene.layout().groups[box.group.index()].title);
}

/// What it is besides being saved.
Category kindOf(const GraphScene& scene, ir::NodeId node, const PartitionMarks* marks) {
    const Category kind = scene.category(node);
    const bool isSaved = marks != nullptr && marks->answer().facts.fates[node.index()] == ir::NodeFate::Saved;
    return isSaved && (kind == Category::Temporary || kind == Category::Unknown) ? Category::Saved : kind;
}

QString fateOf(ir::NodeId node, const PartitionMarks* marks) {
    if (marks == nullptr) {
        return {};
    }
    switch (marks->answer().facts.fates[node.index()]) {
    case ir::NodeFate::Saved:
        return factText("saved for the backward");
    case ir::NodeFate::Recomputed:
        return factText("recomputed in the backward");
    case ir::NodeFate::ForwardOnly:
    case ir::NodeFate::BackwardOnly:
    case ir::NodeFate::Removed:
        break;
    }
    return {};
}

/// "3 values, 1.5 KiB"
QString savedInGroup(const layout::Group& group, const PartitionMarks* marks) {
    if (marks == nullptr) {
        return {};
    }
    const std::unordered_set<ir::NodeId> inside(group.nodes.begin(), group.nodes.end());
    std::size_t count = 0;
    std::int64_t bytes = 0;
    for (const layout::SavedValue& value : marks->split().saved) {
        if (inside.contains(value.node)) {
            ++count;
            bytes += value.bytes;
        }
    }
    return count == 0 ? QString()
                      : formatCount(count, "value", "values") + QStringLiteral(", ") + formatBytes(bytes);
}

} // namespace

QString shortOp(const ir::Node& node) {
    if (node.op != ir::Opcode::CallFunction) {
        QString kind =
            QString::fromUtf8(base::wordOf(node.op).data(), qsizetype(base::wordOf(node.op).size()));
        if (node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output || node.target.empty()) {
            return kind;
        }
        return QString::fromStdString((node.op == ir::Opcode::CallMethod ? "." : "") + node.target);
    }
    QString target = QString::fromStdString(node.target);
    if (target.startsWith(QLatin1String("aten."))) {
        target.remove(0, 5);
        if (target.endsWith(QLatin1String(".default"))) {
            target.chop(8);
        }
    } else if (target.startsWith(QLatin1String("_operator."))) {
        target.remove(0, 10);
    }
    return target;
}

QString shortValue(const ir::ValueMeta& value) {
    if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
        const std::string_view dtype = ir::dtypeShortName(tensor->dtype);
        QString text = QString::fromUtf8(dtype.data(), qsizetype(dtype.size())) + QLatin1Char('[');
        for (std::size_t i = 0; i < tensor->shape.size(); ++i) {
            text += i == 0 ? QString() : QStringLiteral(", ");
            text += QString::fromStdString(tensor->shape[i].text());
        }
        return text + QLatin1Char(']');
    }
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value); tuple && *tuple) {
        QStringList parts;
        for (const ir::ValueMeta& element : (*tuple)->elements) {
            parts << shortValue(element);
        }
        return QLatin1Char('(') + parts.join(QStringLiteral(", ")) + QLatin1Char(')');
    }
    return QString::fromStdString(ir::valueText(value));
}

std::int64_t nodeBytes(const ir::Graph& graph, ir::NodeId node) {
    return valueBytes(graph.node(node).value, graph.symbolHints());
}

QString nodeToolTip(const GraphScene& scene, ir::NodeId id, const PartitionMarks* marks) {
    const ir::Graph& graph = scene.graph();
    const ir::Node& node = graph.node(id);
    const session::GraphSnapshot& snapshot = *scene.snapshot()->graph;
    QString html = QStringLiteral("<b>%1</b><table>").arg(QString::fromStdString(node.name).toHtmlEscaped());
    if (const ir::NodeDifference* difference = tryDifference(*scene.snapshot(), id)) {
        html += row(differenceWord(difference->kind), differenceDetails(*difference));
    }
    html += row(factText("op"), node.target.empty() ? shortOp(node) : QString::fromStdString(node.target));
    html += row(factText("value"), QString::fromStdString(ir::valueText(node.value)));
    const std::int64_t bytes = nodeBytes(graph, id);
    html += row(factText("bytes"), bytes > 0 ? formatBytes(bytes) : QString());
    html += row(factText("kind"), categoryText(kindOf(scene, id, marks)));
    html += row(factText("partition"), fateOf(id, marks));
    if (id.index() < snapshot.modules.ofNode.size()) {
        const ir::ModulePaths::Entry& module = snapshot.modules.ofNode[id.index()];
        html += row(factText(module.derived ? "module (derived)" : "module"),
                    QString::fromStdString(module.path));
    }
    html += row(factText("source"), sourceText(node));
    if (node.op == ir::Opcode::Placeholder) {
        html += row(factText("given by"),
                    text(std::string(layout::inputSource(session::categoryFacts(snapshot), id))));
    }
    if (node.descriptors.size() == 1) {
        const ir::Descriptor& descriptor = node.descriptors.front();
        html += row(factText(descriptor.derived ? "descriptor (derived)" : "descriptor"),
                    QString::fromStdString(ir::descriptorText(descriptor)));
    }
    html += row(factText("from"), nameList(graph, graph.inputs(id)));
    html += row(factText("used by"), nameList(graph, graph.users(id)));
    return html + QStringLiteral("</table>");
}

QString groupToolTip(const GraphScene& scene, GroupId id, const PartitionMarks* marks) {
    const layout::Group& group = scene.layout().groups[id.index()];
    std::int64_t bytes = 0;
    for (const ir::NodeId node : group.nodes) {
        bytes += nodeBytes(scene.graph(), node);
    }
    QString html =
        QStringLiteral("<b>%1</b><table>")
            .arg(QString::fromStdString(group.path.empty() ? group.title : group.path).toHtmlEscaped());
    html += row(factText("nodes"), formatCount(group.nodes.size()));
    html += row(factText("values"), bytes > 0 ? formatBytes(bytes) : QString());
    html += row(factText("saved"), savedInGroup(group, marks));
    html += row(factText("half"), group.isBackward ? factText("backward") : factText("forward"));
    html +=
        row(factText("module"), group.derived ? factText("derived from parameter sources and source lines")
                                              : factText("recorded"));
    html += QStringLiteral("</table>");
    return html + (group.open ? factText("Double-click the title to close.")
                              : factText("Double-click or press Enter to open."));
}

QString bandToolTip(const GraphScene& scene, const PartitionMarks& marks, std::size_t index) {
    constexpr std::size_t most = 12;
    const layout::SplitMarks& split = marks.split();
    const layout::Band& band = split.bands[index];
    const QString title = boxTitle(scene, band.from) + QStringLiteral(" → ") + boxTitle(scene, band.to);
    QString html = QStringLiteral("<b>%1</b><table>").arg(title.toHtmlEscaped());
    for (std::size_t i = 0; i < std::min(band.saved.size(), most); ++i) {
        const layout::SavedValue& value = split.saved[band.saved[i]];
        html += row(QString::fromStdString(scene.graph().node(value.node).name),
                    value.bytes > 0 ? storedBytesText(value.bytes, value.stored) : factText("a number"));
    }
    html += QStringLiteral("</table>");
    if (band.saved.size() > most) {
        html += factText("and %1 more").arg(formatCount(band.saved.size() - most)) + QStringLiteral("<br>");
    }
    const QString sum = storedBytesText(band.bytes, band.stored);
    html +=
        marks.areLogged()
            ? factText("saved for the backward in the log: %1")
                  .arg(formatCount(band.saved.size(), "value", "values"))
            : factText("saved for the backward: %1").arg(formatCount(band.saved.size(), "value", "values"));
    return html + (sum.isEmpty() ? QString() : QStringLiteral(", ") + sum) + QStringLiteral("<br>") +
           factText(band.saved.size() == 1 ? "Click to select it." : "Click to select them one by one.");
}

QString bandName(const GraphScene& scene, const PartitionMarks& marks, std::size_t index) {
    const layout::SplitMarks& split = marks.split();
    const layout::Band& band = split.bands[index];
    QString name =
        factText("saved %1")
            .arg(QString::fromStdString(scene.graph().node(split.saved[band.saved.front()].node).name));
    if (band.saved.size() > 1) {
        name += factText(" and %1 more").arg(formatCount(band.saved.size() - 1));
    }
    const QString sum = storedBytesText(band.bytes, band.stored);
    return name + (sum.isEmpty() ? QString() : QStringLiteral(", ") + sum) +
           factText(", to %1").arg(boxTitle(scene, band.to));
}

QString boxDescription(const GraphScene& scene, BoxId id, const PartitionMarks* marks) {
    const layout::Box& box = scene.box(id);
    if (!box.node.valid()) {
        const layout::Group& group = scene.layout().groups[box.group.index()];
        return factText("group %1, %2 nodes, closed")
            .arg(QString::fromStdString(group.title))
            .arg(group.nodes.size());
    }
    const ir::Node& node = scene.graph().node(box.node);
    const ir::NodeDifference* difference = tryDifference(*scene.snapshot(), box.node);
    const QString mark = difference ? QStringLiteral(", ") + differenceWord(difference->kind) : QString();
    return factText("%1, %2, %3, %4, %5 inputs, %6 users")
               .arg(QString::fromStdString(node.name), shortOp(node), shortValue(node.value),
                    categoryText(kindOf(scene, box.node, marks)))
               .arg(scene.graph().inputs(box.node).size())
               .arg(scene.graph().users(box.node).size()) +
           mark;
}

} // namespace aotscope::views
