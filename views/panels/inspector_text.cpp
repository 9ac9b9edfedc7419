#include "panels/inspector_text.h"

#include "common/format.h"
#include "common/html.h"
#include "contract/retrace_options.h"
#include "files/logged_config.h"
#include "ir/bodies.h"
#include "ir/op_schema.h"
#include "ir/text/descriptor_text.h"
#include "panels/compile_model.h"

#include <QStringList>

#include <algorithm>

namespace aotscope::views {

namespace {

constexpr std::size_t mostListed = 60;

using html::escaped;
using html::Facts;
using html::link;
using html::section;

QString nodeLink(const ir::Graph& graph, ir::NodeId id) {
    const std::string& name = graph.node(id).name;
    return link(QStringLiteral("node"), text(name), escaped(name));
}

QString heading(const QString& title, const QString& dim, const Theme& theme) {
    return QStringLiteral("<p style='margin:0 0 6px 0'><b style='font-size:large'>%1</b>&nbsp; "
                          "<span style='color:%2'>%3</span></p>")
        .arg(title, theme.dimText.name(), dim);
}

QString nodeList(const ir::Graph& graph, std::span<const ir::NodeId> nodes, std::size_t most = mostListed) {
    QStringList names;
    for (const ir::NodeId node : nodes.first(std::min(nodes.size(), most))) {
        names.append(nodeLink(graph, node));
    }
    QString list = names.join(QStringLiteral(", "));
    if (nodes.size() > most) {
        list += QStringLiteral(" and %1 more").arg(formatCount(nodes.size() - most));
    }
    return list;
}

/// An argument as in Python, with nodes as links.
QString argumentHtml(const ir::Graph& graph, const ir::Argument& argument) {
    if (const ir::NodeId* node = argument.as<ir::NodeId>()) {
        return nodeLink(graph, *node);
    }
    const auto all = [&](const ir::Arguments& items, const char* open, const char* close) {
        QStringList parts;
        for (const ir::Argument& item : items) {
            if (parts.size() >= static_cast<qsizetype>(mostListed)) {
                parts.append(QStringLiteral("…"));
                break;
            }
            parts.append(argumentHtml(graph, item));
        }
        return QString::fromLatin1(open) + parts.join(QStringLiteral(", ")) + QString::fromLatin1(close);
    };
    if (const auto* list = argument.as<ir::ListArgument>()) {
        return all(list->items, "[", "]");
    }
    if (const auto* tuple = argument.as<ir::TupleArgument>()) {
        return all(tuple->items, "(", ")");
    }
    return escaped(ir::argumentText(graph, argument));
}

QString tensorDetails(const ir::ValueMeta& value, const ir::SymbolBindings& hints, const Theme&) {
    const ir::TensorMeta* tensor = ir::asTensor(value);
    if (!tensor) {
        return {};
    }
    const std::optional<std::int64_t> bytes = tensor->bytes(hints);
    return bytes ? formatBytes(*bytes) : QString();
}

QString sourceHtml(const ir::SourceLocation& source) {
    const QString place = fileNameOf(source.file) + QLatin1Char(':') + QString::number(source.line);
    QString html = link(QStringLiteral("source"), place, place.toHtmlEscaped());
    if (!source.function.empty()) {
        html += QStringLiteral(" in ") + escaped(source.function);
    }
    return source.code.empty() ? html : html + QStringLiteral("<br>") + escaped(source.code);
}

void addArguments(Facts& facts, const ir::Graph& graph, const ir::Node& node) {
    const std::shared_ptr<const ir::OpSchema> schema = ir::trySchema(node.target);
    for (std::size_t i = 0; i < std::min(node.args.size(), mostListed); ++i) {
        const bool named = schema && i < schema->arguments.size();
        facts.addCode(named ? text(schema->arguments[i].name) : QStringLiteral("argument %1").arg(i),
                      argumentHtml(graph, node.args[i]));
    }
    for (const ir::KeywordArgument& keyword : node.kwargs) {
        facts.addCode(text(keyword.name), argumentHtml(graph, keyword.value));
    }
}

QString descriptorsHtml(const ir::Node& node) {
    QStringList parts;
    for (const ir::Descriptor& descriptor : node.descriptors) {
        if (parts.size() == static_cast<qsizetype>(mostListed)) {
            parts.append(QStringLiteral("…"));
            break;
        }
        parts.append(escaped(ir::descriptorText(descriptor)) +
                     (descriptor.derived ? QStringLiteral(" (derived)") : QString()));
    }
    return parts.join(QStringLiteral("<br>"));
}

const session::NodeRun* runOf(const session::RunSnapshot* run, ir::NodeId node) {
    if (!run) {
        return nullptr;
    }
    const auto found =
        std::find_if(run->nodes.begin(), run->nodes.end(),
                     [node](const session::NodeRun& candidate) { return candidate.node == node; });
    return found == run->nodes.end() ? nullptr : &*found;
}

/// The options that have another value than the release's default, and where all of them are.
QString optionsHtml(const session::CompileOptions& options) {
    QStringList lines;
    for (const std::string& line :
         aot::configurationLines(options.config, options.release, aot::touches::all)) {
        lines.append(escaped(line));
    }
    if (lines.isEmpty()) {
        lines.append(options.isLogged ? QStringLiteral("the defaults of torch ") +
                                            text(aot::torchVersionText(aot::rulesVersion(options.release)))
                                      : QStringLiteral("not in the file"));
    }
    lines.append(link(QStringLiteral("settings"), {}, QStringLiteral("all options…")));
    return lines.join(QStringLiteral("<br>"));
}

QString runHtml(const session::NodeRun& run, const Theme& theme) {
    Facts facts(theme);
    facts.addCode(QStringLiteral("time"), formatNanoseconds(run.nanoseconds));
    for (const session::TensorSummary& tensor : run.outputs) {
        QStringList sizes;
        for (const std::int64_t size : tensor.shape) {
            sizes.append(QString::number(size));
        }
        facts.addCode(QStringLiteral("value"), text(tensor.dtype) +
                                                   QStringLiteral("[%1]  ").arg(sizes.join(u", ")) +
                                                   formatBytes(tensor.bytes));
        if (tensor.minimum && tensor.mean && tensor.maximum) {
            facts.addCode(QStringLiteral("min, mean, max"),
                          QStringLiteral("%1 &nbsp; %2 &nbsp; %3")
                              .arg(formatNumber(*tensor.minimum), formatNumber(*tensor.mean),
                                   formatNumber(*tensor.maximum)));
        }
        if (tensor.nanCount + tensor.infCount > 0) {
            facts.addCode(QStringLiteral("not finite"),
                          QStringLiteral("<span style='color:%1'>%2 NaN, %3 infinite</span>")
                              .arg(theme.bad.name())
                              .arg(tensor.nanCount)
                              .arg(tensor.infCount));
        }
    }
    facts.addCode(QStringLiteral("value"), escaped(run.scalar));
    if (!run.mismatch.empty()) {
        facts.add(
            QStringLiteral("mismatch"),
            QStringLiteral("<span style='color:%1'>%2</span>").arg(theme.bad.name(), escaped(run.mismatch)));
    }
    return facts.html();
}

} // namespace

QString nodeHtml(const session::GraphSnapshot& snapshot, ir::NodeId id, const session::RunSnapshot* run,
                 const Theme& theme) {
    const ir::Graph& graph = *snapshot.graph;
    const ir::Node& node = graph.node(id);
    QString html = heading(escaped(node.name), escaped(std::string(base::wordOf(node.op))), theme);
    Facts facts(theme);
    if (node.op != ir::Opcode::Placeholder && node.op != ir::Opcode::Output) {
        facts.addCode(QStringLiteral("op"), escaped(node.target));
    }
    facts.addCode(QStringLiteral("value"), escaped(ir::valueText(node.value)));
    facts.addCode(QStringLiteral("bytes"), tensorDetails(node.value, graph.symbolHints(), theme));
    facts.addCode(QStringLiteral("is"), descriptorsHtml(node));
    facts.addCode(QStringLiteral("given by"), escaped(node.inputSource));
    addArguments(facts, graph, node);
    facts.addCode(QStringLiteral("inputs"), nodeList(graph, graph.inputs(id)));
    const auto users = graph.users(id);
    facts.addCode(QStringLiteral("users"), users.empty() ? QStringLiteral("none") : nodeList(graph, users));
    for (const ir::NodeId input : graph.inputs(id)) {
        const ir::Node& module = graph.node(input);
        if (ir::bodyOf(graph, module)) {
            facts.addCode(QStringLiteral("nested graph"),
                          link(QStringLiteral("graph"), text(module.target), escaped(module.target)));
        }
    }
    if (ir::bodyOf(graph, node)) {
        facts.addCode(QStringLiteral("nested graph"),
                      link(QStringLiteral("graph"), text(node.target), escaped(node.target)));
    }
    if (id.index() < snapshot.modules.ofNode.size() && !snapshot.modules.ofNode[id.index()].path.empty()) {
        const ir::ModulePaths::Entry& module = snapshot.modules.ofNode[id.index()];
        facts.addCode(QStringLiteral("module"),
                      escaped(module.path) + (module.derived ? QStringLiteral(" (derived)") : QString()));
    }
    if (node.origin && node.origin->source) {
        facts.addCode(node.origin->backwardOfForward ? QStringLiteral("backward of")
                                                     : QStringLiteral("source"),
                      sourceHtml(*node.origin->source));
    }
    if (id.index() < snapshot.phases.size() && snapshot.joint) {
        facts.add(QStringLiteral("half"), snapshot.phases[id.index()] == ir::Phase::Backward
                                              ? QStringLiteral("backward")
                                              : QStringLiteral("forward"));
    }
    if (node.origin) {
        facts.addCode(QStringLiteral("recompute"), escaped(node.origin->recompute));
        facts.addCode(QStringLiteral("annotation"), escaped(node.origin->annotation));
    }
    facts.addCode(QStringLiteral("original op"), escaped(node.originalAten));
    if (node.sequenceNumber) {
        facts.addCode(QStringLiteral("sequence"), QString::number(*node.sequenceNumber));
    }
    const std::size_t at = id.index();
    if (at < snapshot.printed.lineOfNode.size() && snapshot.printed.lineOfNode[at] >= 0) {
        facts.addCode(QStringLiteral("line"),
                      link(QStringLiteral("line"), {}, QString::number(snapshot.printed.lineOfNode[at] + 1)));
    }
    facts.addCode(QStringLiteral("position"),
                  QStringLiteral("%1 of %2").arg(graph.position(id) + 1).arg(formatCount(graph.size())));
    html += facts.html();
    for (const ir::VerifierProblem& problem : snapshot.problems) {
        if (problem.node == id) {
            html += QStringLiteral("<p style='color:%1'>▲ %2</p>")
                        .arg(theme.warning.name(), escaped(problem.message));
        }
    }
    if (const session::NodeRun* ran = runOf(run, id)) {
        html += section(QStringLiteral("Run"), theme) + runHtml(*ran, theme);
    }
    return html;
}

QString graphHtml(const session::GraphSnapshot& snapshot, const Theme& theme) {
    // Only the beginning: the facts about the compile follow below and should be visible.
    constexpr std::size_t mostOfGraph = 12;
    QString html = heading(artifactTitle(snapshot.reference.artifact).toHtmlEscaped(),
                           escaped(idText(snapshot.reference)), theme);
    Facts facts(theme);
    for (const std::string& name : snapshot.sections) {
        facts.addCode(QStringLiteral("graph"), link(QStringLiteral("graph"), text(name), escaped(name)));
    }
    if (!snapshot.graph) {
        if (snapshot.error && snapshot.sections.empty()) {
            facts.add(
                QStringLiteral("problem"),
                QStringLiteral("<span style='color:%1'>%2</span>")
                    .arg(theme.bad.name(),
                         escaped(snapshot.error->text()).replace(QLatin1Char('\n'), QStringLiteral("<br>"))));
        }
        return html + facts.html();
    }
    const ir::Graph& graph = *snapshot.graph;
    facts.addCode(QStringLiteral("nodes"), formatCount(graph.size()));
    const std::vector<ir::NodeId> inputs = graph.placeholders();
    facts.addCode(QStringLiteral("inputs"), formatCount(inputs.size()));
    if (const std::optional<ir::NodeId> output = graph.output()) {
        facts.addCode(QStringLiteral("returns"), nodeList(graph, graph.inputs(*output), mostOfGraph));
    }
    QStringList symbols;
    for (const std::string& symbol : graph.symbols()) {
        const auto hint = graph.symbolHints().find(symbol);
        symbols.append(escaped(symbol) + (hint == graph.symbolHints().end()
                                              ? QString()
                                              : QStringLiteral(" = %1").arg(hint->second)));
    }
    facts.addCode(QStringLiteral("symbols"), symbols.join(QStringLiteral(", ")));
    for (const auto& [name, nested] : graph.subgraphs()) {
        facts.addCode(QStringLiteral("nested graph"),
                      link(QStringLiteral("graph"), text(name), escaped(name)) + QStringLiteral(", ") +
                          formatCount(nested->size(), "node", "nodes"));
    }
    if (snapshot.joint) {
        facts.add(QStringLiteral("kind"), QStringLiteral("joint graph, forward and backward in one"));
    }
    facts.add(QStringLiteral("checks"),
              snapshot.problems.empty() ? QStringLiteral("no problem found")
                                        : QStringLiteral("<span style='color:%1'>%2</span>")
                                              .arg(theme.warning.name(), formatCount(snapshot.problems.size(),
                                                                                     "problem", "problems")));
    facts.addCode(QStringLiteral("placeholders"), nodeList(graph, inputs, mostOfGraph));
    return html + facts.html();
}

QString compileHtml(const LogList& logs, const session::ArtifactReference& reference,
                    const session::CompileOptions* options, const Theme& theme) {
    const load::Compile* compile = logs.tryCompile(reference);
    const session::LogSnapshotPtr log = logs.tryLog(reference.log);
    if (!compile || !log) {
        return {};
    }
    const bool isCompile = !compile->id.empty();
    QString html =
        section(isCompile ? QStringLiteral("Compile ") + text(session::idText(compile->id, compile->rank))
                          : QStringLiteral("Records of no compile"),
                theme);
    Facts facts(theme);
    facts.add(QStringLiteral("log"), titleOf(*log).toHtmlEscaped());
    if (!compile->function.empty() || !compile->file.empty()) {
        facts.addCode(QStringLiteral("function"),
                      escaped(compile->function) +
                          (compile->function.empty() ? QString() : QStringLiteral("<br>")) +
                          escaped(compile->file) +
                          (compile->line > 0 ? QStringLiteral(":%1").arg(compile->line) : QString()));
    }
    if (isCompile) {
        facts.add(QStringLiteral("status"), compileStatusText(*compile));
    }
    constexpr std::size_t longestReason = 4'000;
    facts.addCode(
        QStringLiteral("reason"),
        escaped(compile->reason.substr(0, longestReason)).replace(QLatin1Char('\n'), QStringLiteral("<br>")));
    for (const std::string& reason : compile->recompileReasons) {
        facts.addCode(
            QStringLiteral("recompiled"),
            escaped(reason.substr(0, longestReason)).replace(QLatin1Char('\n'), QStringLiteral("<br>")));
    }
    if (compile->seconds) {
        facts.addCode(QStringLiteral("time"),
                      formatNanoseconds(static_cast<std::int64_t>(*compile->seconds * 1e9)));
    }
    if (compile->guardCount) {
        facts.addCode(QStringLiteral("guards"), QString::number(*compile->guardCount));
    }
    facts.add(QStringLiteral("cache"), cacheWord(compile->cache));
    QStringList states;
    for (const std::string& line : options != nullptr && options->state ? aot::stateLines(*options->state)
                                                                        : std::vector<std::string>()) {
        states.append(escaped(line));
    }
    if (!states.isEmpty()) {
        facts.add(QStringLiteral("global state"), states.join(QStringLiteral("<br>")));
    }
    if (options != nullptr) {
        facts.add(QStringLiteral("options"), optionsHtml(*options));
    }
    if (const std::optional<load::CompileIndex> index = logs.tryIndex(reference)) {
        QStringList links;
        const load::ArtifactList& artifacts = log->artifacts(*index);
        constexpr std::size_t mostLinks = 40;
        for (std::size_t place = 0; place < std::min(artifacts.size(), mostLinks); ++place) {
            links.append(link(QStringLiteral("artifact"), text(artifacts.exactName(place)),
                              escaped(artifacts[place].name)));
        }
        if (artifacts.size() > mostLinks) {
            links.append(QStringLiteral("and %1 more in the Compiles panel")
                             .arg(formatCount(artifacts.size() - mostLinks)));
        }
        facts.addCode(QStringLiteral("artifacts"), links.join(QStringLiteral(", ")));
    }
    return html + facts.html();
}

} // namespace aotscope::views
