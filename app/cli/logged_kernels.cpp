#include "logged_kernels.h"

#include "table.h"

#include "base/joined.h"
#include "base/mapped.h"

#include <algorithm>

namespace aotscope::cli {

namespace {

using inductor::EvidenceSet;
using inductor::GeneratedCode;

std::string sourceText(const inductor::SourceLink& link) {
    const std::string& file = link.source.file;
    const std::size_t slash = file.rfind('/');
    return textOf(slash == std::string::npos ? file : file.substr(slash + 1), ":", link.source.line);
}

std::vector<std::string> nodeNames(const GeneratedCode& code, const inductor::LaunchLinks& links) {
    return base::mapped(links.nodes,
                        [&](const inductor::NodeLink& link) { return code.graph->node(link.node).name; });
}

/// The evidence that all nodes of a launch share, and that some have.
std::string evidenceOf(const inductor::LaunchLinks& links) {
    EvidenceSet any = 0;
    for (const inductor::NodeLink& link : links.nodes) {
        any |= link.evidence;
    }
    return inductor::evidenceText(any);
}

std::string heading(const GeneratedCode& code, const std::string& id) {
    std::string text = textOf(id, code.half.empty() ? "" : " " + code.half, ": ", code.code.launches.size(),
                              " launches of ", code.code.kernels.size(), " kernels (", code.name, ")");
    if (code.graph) {
        text += ", nodes of " + code.graphName;
        text += code.hasMapping ? ", linked by PyTorch's mapping" : ", linked by comments and data flow";
    }
    return text + "\n";
}

std::string launchTable(const GeneratedCode& code, const LaunchFilter& filter) {
    Table table({numbers("line"), "kernel", "kind", numbers("nodes"), "computes", "source", "evidence"});
    for (std::size_t launch = 0; launch < code.code.launches.size(); ++launch) {
        if (!filter.takes(code, launch)) {
            continue;
        }
        const inductor::Launch& call = code.code.launches[launch];
        const inductor::Kernel& kernel = code.code.kernels[call.kernel];
        Cells linked;
        if (launch < code.links.launches.size()) {
            const inductor::LaunchLinks& links = code.links.launches[launch];
            linked = {links.nodes.size(), base::joined(nodeNames(code, links)),
                      base::joined(links.sources, ", ", [](const auto& link) { return sourceText(link); }),
                      evidenceOf(links)};
        }
        table.add({call.range.firstLine, kernel.name, kernel.kind}, linked);
    }
    return table.shown();
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
                text +=
                    textOf("  ", counted(names.size(), "node"), " (", fate, "): ", base::joined(names), "\n");
            }
        }
    }
    return text.empty() ? text : "Not linked:\n" + text;
}

std::vector<LinkedNode> linkedNodes(const GeneratedCode& code, const inductor::LaunchLinks& links) {
    std::vector<LinkedNode> nodes;
    for (const inductor::NodeLink& link : links.nodes) {
        const ir::Node& node = code.graph->node(link.node);
        LinkedNode& linked = nodes.emplace_back(LinkedNode{node.name, node.target});
        if (code.aotGraph) {
            for (const ir::NodeId aot : code.aotNodes[link.node.index()]) {
                linked.aotNodes.push_back(code.aotGraph->node(aot).name);
            }
        }
        linked.evidence = inductor::evidenceNames(link.evidence);
    }
    return nodes;
}

LoggedLaunch loggedLaunch(const GeneratedCode& code, std::size_t launch) {
    const inductor::Launch& call = code.code.launches[launch];
    LoggedLaunch answer{call, code.code.kernels[call.kernel].name};
    if (launch < code.links.launches.size()) {
        const inductor::LaunchLinks& links = code.links.launches[launch];
        answer.nodes = linkedNodes(code, links);
        answer.sources = links.sources;
        answer.unlinked = links.unlinked;
    }
    return answer;
}

std::vector<UnlinkedNode> unlinkedNodes(const GeneratedCode& code) {
    std::vector<UnlinkedNode> nodes;
    for (const ir::NodeId node : code.graph ? code.graph->order() : std::span<const ir::NodeId>()) {
        const inductor::NodeFate fate = code.links.fates[node.index()];
        if (fate != inductor::NodeFate::Linked && fate != inductor::NodeFate::NotComputed) {
            nodes.push_back({code.graph->node(node).name, fate});
        }
    }
    return nodes;
}

std::vector<inductor::CodeProblem> messagesOf(const GeneratedCode& code) {
    std::vector<inductor::CodeProblem> messages = code.code.problems;
    for (const std::vector<std::string>* notes : {&code.notes, &code.links.disagreements}) {
        for (const std::string& note : *notes) {
            messages.push_back({0, note});
        }
    }
    return messages;
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
        node.empty() || std::ranges::any_of(links.nodes, [&](const inductor::NodeLink& link) {
            const auto named = [&](ir::NodeId aot) { return code.aotGraph->node(aot).name == node; };
            const bool stands = code.aotGraph && std::ranges::any_of(code.aotNodes[link.node.index()], named);
            return code.graph->node(link.node).name == node || stands;
        });
    const bool ofSource =
        source.empty() || std::ranges::any_of(links.sources, [&](const inductor::SourceLink& link) {
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
        for (const inductor::CodeProblem& message : messagesOf(code)) {
            text += (message.line == 0 ? "" : textOf("Line ", message.line, ": ")) + message.message + "\n";
        }
    }
    return text;
}

CompileKernelsAnswer loggedKernels(const session::GeneratedCodeSnapshot& snapshot, const std::string& id,
                                   const LaunchFilter& filter) {
    CompileKernelsAnswer answer{id};
    for (const auto& part : snapshot.parts) {
        const GeneratedCode& code = part->generated;
        LoggedCode& logged =
            answer.codes.emplace_back(LoggedCode{code.name, code.half, code.code.cppWrapper, code.graphName,
                                                 code.aotName, code.hasMapping, code.code.kernels});
        for (std::size_t launch = 0; launch < code.code.launches.size(); ++launch) {
            if (filter.takes(code, launch)) {
                logged.launches.push_back(loggedLaunch(code, launch));
            }
        }
        logged.unlinkedNodes = unlinkedNodes(code);
        logged.problems = messagesOf(code);
    }
    return answer;
}

} // namespace aotscope::cli
