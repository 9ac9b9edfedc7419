#include "logged_kernels.h"

#include "console.h"
#include "table.h"

#include "base/joined.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

using inductor::EvidenceSet;
using inductor::GeneratedCode;

std::string sourceText(const inductor::SourceLink& link) {
    const std::string& file = link.source.file;
    const std::size_t slash = file.rfind('/');
    return (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" +
           std::to_string(link.source.line);
}

std::vector<std::string> nodeNames(const GeneratedCode& code, const inductor::LaunchLinks& links) {
    std::vector<std::string> names;
    for (const inductor::NodeLink& link : links.nodes) {
        names.push_back(code.graph->node(link.node).name);
    }
    return names;
}

/// The evidence that all nodes of a launch share, and that some have.
std::string evidenceOf(const inductor::LaunchLinks& links) {
    EvidenceSet any = 0;
    for (const inductor::NodeLink& link : links.nodes) {
        any = static_cast<EvidenceSet>(any | link.evidence);
    }
    return inductor::evidenceText(any);
}

std::string heading(const GeneratedCode& code, const std::string& id) {
    std::string text = id + (code.half.empty() ? "" : " " + code.half) + ": " +
                       std::to_string(code.code.launches.size()) + " launches of " +
                       std::to_string(code.code.kernels.size()) + " kernels (" + code.name + ")";
    if (code.graph) {
        text += ", nodes of " + code.graphName;
        text += code.hasMapping ? ", linked by PyTorch's mapping" : ", linked by comments and data flow";
    }
    return text + "\n";
}

std::string launchTable(const GeneratedCode& code, const LaunchFilter& filter) {
    Table table({{"line", Table::Align::Right},
                 {"kernel"},
                 {"kind"},
                 {"nodes", Table::Align::Right},
                 {"computes"},
                 {"source"},
                 {"evidence"}});
    for (std::size_t launch = 0; launch < code.code.launches.size(); ++launch) {
        if (!filter.takes(code, launch)) {
            continue;
        }
        const inductor::Launch& call = code.code.launches[launch];
        const inductor::Kernel& kernel = code.code.kernels[call.kernel];
        std::vector<std::string> cells = {std::to_string(call.range.firstLine), kernel.name,
                                          std::string(base::wordOf(kernel.kind))};
        if (launch < code.links.launches.size()) {
            const inductor::LaunchLinks& links = code.links.launches[launch];
            std::vector<std::string> sources;
            for (const inductor::SourceLink& source : links.sources) {
                sources.push_back(sourceText(source));
            }
            cells.push_back(std::to_string(links.nodes.size()));
            cells.push_back(base::joined(nodeNames(code, links)));
            cells.push_back(base::joined(sources));
            cells.push_back(evidenceOf(links));
        }
        table.add(std::move(cells));
    }
    return table.text(resultWidth());
}

/// Nodes without a kernel by reason; those that compute nothing are only counted.
std::string unlinkedText(const GeneratedCode& code) {
    std::string text;
    for (std::size_t launch = 0; launch < code.links.launches.size(); ++launch) {
        const std::string& reason = code.links.launches[launch].unlinked;
        if (!reason.empty()) {
            const inductor::Launch& call = code.code.launches[launch];
            text += "  " + code.code.kernels[call.kernel].name + " (line " +
                    std::to_string(call.range.firstLine) + "): " + reason + "\n";
        }
    }
    if (code.graph) {
        for (const inductor::NodeFate fate :
             {inductor::NodeFate::Unknown, inductor::NodeFate::Dead, inductor::NodeFate::Constant,
              inductor::NodeFate::View, inductor::NodeFate::Element, inductor::NodeFate::Size}) {
            std::vector<std::string> names;
            for (const ir::NodeId node : code.graph->order()) {
                if (code.links.fates[node.index()] == fate) {
                    names.push_back(code.graph->node(node).name);
                }
            }
            if (!names.empty()) {
                text += "  " + std::to_string(names.size()) + (names.size() == 1 ? " node" : " nodes") +
                        " (" + std::string(base::wordOf(fate)) + "): " + base::joined(names) + "\n";
            }
        }
    }
    return text.empty() ? text : "Not linked:\n" + text;
}

Json sourcesJson(const inductor::LaunchLinks& links) {
    Json sources = Json::array();
    for (const inductor::SourceLink& link : links.sources) {
        sources.push_back({{"file", link.source.file},
                           {"line", link.source.line},
                           {"code", link.source.code},
                           {"backward_of_forward", link.backwardOfForward},
                           {"from_stack_traces", link.fromStackTraces}});
    }
    return sources;
}

Json nodesJson(const GeneratedCode& code, const inductor::LaunchLinks& links) {
    Json nodes = Json::array();
    for (const inductor::NodeLink& link : links.nodes) {
        Json evidence = Json::array();
        for (unsigned bit = 0; bit < 16; ++bit) {
            const auto one = static_cast<inductor::Evidence>(1U << bit);
            if (inductor::has(link.evidence, one)) {
                evidence.push_back(inductor::evidenceName(one));
            }
        }
        Json aot = Json::array();
        if (code.aotGraph) {
            for (const ir::NodeId node : code.aotNodes[link.node.index()]) {
                aot.push_back(code.aotGraph->node(node).name);
            }
        }
        nodes.push_back({{"name", code.graph->node(link.node).name},
                         {"target", code.graph->node(link.node).target},
                         {"aot_nodes", std::move(aot)},
                         {"evidence", std::move(evidence)}});
    }
    return nodes;
}

Json launchJson(const GeneratedCode& code, std::size_t launch) {
    const inductor::Launch& call = code.code.launches[launch];
    Json arguments = Json::array();
    for (const inductor::LaunchArgument& argument : call.arguments) {
        arguments.push_back(argument.keyword.empty() ? argument.text
                                                     : argument.keyword + "=" + argument.text);
    }
    Json json = {{"line", call.range.firstLine}, {"kernel", code.code.kernels[call.kernel].name},
                 {"function", call.function},    {"arguments", std::move(arguments)},
                 {"result", call.result},        {"grid", call.grid},
                 {"stream", call.stream},        {"handle", call.comments.handle}};
    if (launch < code.links.launches.size()) {
        const inductor::LaunchLinks& links = code.links.launches[launch];
        json["nodes"] = nodesJson(code, links);
        json["sources"] = sourcesJson(links);
        json["unlinked"] = links.unlinked;
    }
    return json;
}

Json kernelJson(const inductor::Kernel& kernel) {
    Json facts = Json::object();
    for (const inductor::KernelFact& fact : kernel.facts) {
        facts[fact.name] = fact.value;
    }
    Json parameters = Json::array();
    for (const inductor::KernelParameter& parameter : kernel.parameters) {
        parameters.push_back({{"name", parameter.name}, {"type", parameter.type}});
    }
    return {{"name", kernel.name},
            {"kind", base::wordOf(kernel.kind)},
            {"first_line", kernel.definition ? Json(kernel.definition->firstLine) : Json(nullptr)},
            {"last_line", kernel.definition ? Json(kernel.definition->lastLine) : Json(nullptr)},
            {"launches", kernel.launches},
            {"parameters", std::move(parameters)},
            {"facts", std::move(facts)}};
}

Json unlinkedNodes(const GeneratedCode& code) {
    Json nodes = Json::array();
    if (code.graph) {
        for (const ir::NodeId node : code.graph->order()) {
            const inductor::NodeFate fate = code.links.fates[node.index()];
            if (fate != inductor::NodeFate::Linked && fate != inductor::NodeFate::NotComputed) {
                nodes.push_back({{"name", code.graph->node(node).name}, {"reason", base::wordOf(fate)}});
            }
        }
    }
    return nodes;
}

Json problemsJson(const GeneratedCode& code) {
    Json problems = Json::array();
    for (const inductor::CodeProblem& problem : code.code.problems) {
        problems.push_back({{"line", problem.line}, {"message", problem.message}});
    }
    for (const std::string& note : code.notes) {
        problems.push_back({{"line", nullptr}, {"message", note}});
    }
    for (const std::string& disagreement : code.links.disagreements) {
        problems.push_back({{"line", nullptr}, {"message", disagreement}});
    }
    return problems;
}

} // namespace

bool LaunchFilter::takes(const GeneratedCode& code, std::size_t launch) const {
    if (empty()) {
        return true;
    }
    if (launch >= code.links.launches.size()) {
        return false;
    }
    const inductor::LaunchLinks& links = code.links.launches[launch];
    const bool ofNode =
        node.empty() ||
        std::any_of(links.nodes.begin(), links.nodes.end(), [&](const inductor::NodeLink& link) {
            const auto named = [&](ir::NodeId aot) { return code.aotGraph->node(aot).name == node; };
            const bool stands = code.aotGraph && std::any_of(code.aotNodes[link.node.index()].begin(),
                                                             code.aotNodes[link.node.index()].end(), named);
            return code.graph->node(link.node).name == node || stands;
        });
    const bool ofSource =
        source.empty() ||
        std::any_of(links.sources.begin(), links.sources.end(), [&](const inductor::SourceLink& link) {
            const std::string place = "/" + link.source.file + ":" + std::to_string(link.source.line);
            return place.ends_with("/" + source);
        });
    return ofNode && ofSource;
}

std::size_t countLaunches(const session::GeneratedCodeSnapshot& snapshot, const LaunchFilter& filter) {
    std::size_t count = 0;
    for (const auto& part : snapshot.parts) {
        for (std::size_t launch = 0; launch < part->generated.code.launches.size(); ++launch) {
            count += filter.takes(part->generated, launch) ? 1 : 0;
        }
    }
    return count;
}

std::string loggedKernelsText(const session::GeneratedCodeSnapshot& snapshot, const std::string& id,
                              const LaunchFilter& filter) {
    std::string text;
    for (const auto& part : snapshot.parts) {
        const GeneratedCode& code = part->generated;
        text += (text.empty() ? "" : "\n") + heading(code, id) + launchTable(code, filter) +
                (filter.empty() ? unlinkedText(code) : std::string());
        for (const Json& problem : problemsJson(code)) {
            const std::string line =
                problem["line"].is_null() || problem["line"] == 0
                    ? std::string()
                    : "Line " + std::to_string(problem["line"].get<std::size_t>()) + ": ";
            text += line + problem["message"].get<std::string>() + "\n";
        }
    }
    return text;
}

Json loggedKernelsJson(const session::GeneratedCodeSnapshot& snapshot, const std::string& id,
                       const LaunchFilter& filter) {
    Json parts = Json::array();
    for (const auto& part : snapshot.parts) {
        const GeneratedCode& code = part->generated;
        Json kernels = Json::array();
        for (const inductor::Kernel& kernel : code.code.kernels) {
            kernels.push_back(kernelJson(kernel));
        }
        Json launches = Json::array();
        for (std::size_t launch = 0; launch < code.code.launches.size(); ++launch) {
            if (filter.takes(code, launch)) {
                launches.push_back(launchJson(code, launch));
            }
        }
        parts.push_back({{"name", code.name},
                         {"half", code.half},
                         {"cpp_wrapper", code.code.cppWrapper},
                         {"graph", code.graphName},
                         {"aot_graph", code.aotName},
                         {"has_mapping", code.hasMapping},
                         {"kernels", std::move(kernels)},
                         {"launches", std::move(launches)},
                         {"unlinked_nodes", unlinkedNodes(code)},
                         {"problems", problemsJson(code)}});
    }
    return {{"id", id}, {"codes", std::move(parts)}};
}

} // namespace aotscope::cli
