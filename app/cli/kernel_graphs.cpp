#include "kernel_graphs.h"

#include "answer.h"
#include "table.h"

#include "base/mapped.h"
#include "contract/kernel_check.h"
#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>

namespace aotscope::cli {

namespace {

using session::ArtifactReference;

bool isJoint(const ArtifactReference& reference) {
    const std::string& name = reference.artifact;
    return name == "joint" || name.starts_with("joint#") || name.ends_with("/joint");
}
/// Graphs of torch functions, which are no ATen graphs.
bool isTorchProgram(const ArtifactReference& reference) {
    return reference.artifact.ends_with("/dynamo") || reference.artifact.ends_with("/predispatch");
}
/// What a joint graph and its halves have in common: the compile, in graph files the unit ("units/0/").
std::string unitOf(const ArtifactReference& reference) {
    const std::string& name = reference.artifact;
    std::string unit = std::to_string(reference.log) + ":" + idText(reference);
    if (name.starts_with("units/")) {
        unit += name.substr(0, name.find('/', 6));
    }
    return unit;
}

void addHalves(Program& program, const ArtifactReference& joint, std::vector<KernelGraph>& graphs) {
    const std::string title = titleOf(program, joint);
    auto [split, failed] = program.attempt<session::PartitionSnapshotPtr>(session::PartitionJoint{joint, {}});
    if (failed) {
        graphs.push_back({title, {}, std::move(failed)});
        return;
    }
    graphs.push_back({title + ", its forward", split->forward, {}});
    graphs.push_back({title + ", its backward", split->backward, {}});
}

/// flex_attention is no loop over its score and mask functions: they get tensors of all positions at once,
/// with other sizes than their graphs say.
std::string whyNotRun(const std::string& usedBy) {
    if (usedBy.empty()) {
        return "nothing in the graph calls it";
    }
    const ir::HigherOrderOperator* user = ir::tryHigherOrder(usedBy);
    return user != nullptr && user->bodiesTakeAllPositions
               ? "computed for all positions at once as part of flex_attention, not as a graph"
               : std::string();
}

std::vector<KernelGraph> withNested(Program& program, std::vector<KernelGraph> graphs) {
    std::vector<KernelGraph> all;
    for (KernelGraph& graph : graphs) {
        const std::optional<ArtifactReference> reference = graph.reference;
        all.push_back(std::move(graph));
        if (!reference) {
            continue;
        }
        const auto outer =
            program.attempt<session::GraphSnapshotPtr>(session::LoadGraph{*reference}).snapshot;
        // One that cannot be read fails where it is used.
        if (!outer || !outer->graph) {
            continue;
        }
        for (const ir::NestedGraph& nested : ir::nestedGraphs(*outer->graph)) {
            ArtifactReference inner = *reference;
            inner.subgraph.insert(inner.subgraph.end(), nested.path.begin(), nested.path.end());
            all.push_back({titleOf(program, inner), inner, {}, whyNotRun(nested.usedBy)});
        }
    }
    return all;
}

} // namespace

std::vector<KernelGraph> kernelGraphs(Program& program, const GraphRequest& request) {
    const std::vector<ArtifactReference> references = selectAtenGraphs(program, request);
    // A graph that the command line names is taken as it is.
    const bool isNamed = !request.kind.empty() || !request.section.empty();
    std::vector<KernelGraph> graphs;
    for (const ArtifactReference& reference : references) {
        const bool hasHalves = std::ranges::any_of(references, [&](const ArtifactReference& other) {
            return !isJoint(other) && !isTorchProgram(other) && unitOf(other) == unitOf(reference);
        });
        if (!isNamed && references.size() > 1 &&
            (isTorchProgram(reference) || (isJoint(reference) && hasHalves))) {
            continue;
        }
        if (isNamed || !isJoint(reference)) {
            graphs.push_back({titleOf(program, reference), reference, {}});
        } else {
            addHalves(program, reference, graphs);
        }
    }
    return request.section.empty() ? withNested(program, std::move(graphs)) : graphs;
}

std::string folderName(std::string title) {
    std::ranges::replace_if(
        title,
        [](char letter) {
            return std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '.' && letter != '-' &&
                   letter != '_';
        },
        '_');
    return title;
}

/// One graph and what became of its kernels.
struct CheckedGraph {
    std::string graph;
    bool ok = false;
    std::optional<base::Error> error;
    /// Why it was left out; empty: it was not.
    std::string leftOut;
    /// With an error only the kernels that were written; nothing: there was no graph.
    std::optional<session::KernelCheck> check = {};
};
AOTSCOPE_MEMBERS(CheckedGraph, graph, ok, error, leftOut, check)

struct KernelChecksAnswer {
    bool ok = false;
    /// Numbers of kernels.
    std::size_t kernels = 0;
    std::size_t differing = 0;
    /// To the last bit.
    std::size_t identical = 0;
    /// Numbers of graphs: those that were checked, are right, could not be run, and were left out.
    std::size_t checked = 0;
    std::size_t right = 0;
    std::size_t notRun = 0;
    std::size_t leftOut = 0;
    /// Of nodes, in all graphs.
    kernels::FusionCounts counts;
    /// The share of the eligible nodes that is in kernels; 0 to 1.
    double share = 0;
    std::vector<CheckedGraph> graphs = {};
};
AOTSCOPE_MEMBERS(KernelChecksAnswer, ok, kernels, differing, identical, checked, right, notRun, leftOut,
                 counts, share, graphs)
AOTSCOPE_ANSWER(KernelChecksAnswer, "aotscope.kernel_check/2")

namespace {

using session::ArtifactReference;
using session::KernelVerdict;

void checkGraph(Program& program, const ArtifactReference& reference, const session::RunOptions& run,
                CheckedGraph& checked) {
    auto [snapshot, error] =
        program.attempt<session::KernelCheckSnapshotPtr>(session::CheckKernels{reference, run});
    checked.error = snapshot ? snapshot->check.error : std::move(error);
    // Without a backend, device or compiler no graph can be checked: one failure instead of an error per
    // graph.
    static constexpr std::array<std::string_view, 6> ofAll{"session.no_backend", "run.no_torch_module",
                                                           "run.no_gpu",         "kernels.no_host_compiler",
                                                           "kernels.no_nvrtc",   "kernels.no_architecture"};
    if (checked.error && std::ranges::find(ofAll, checked.error->code) != ofAll.end()) {
        throw Failure(ExitNo, *checked.error);
    }
    if (snapshot) {
        checked.check = snapshot->check;
        checked.ok = snapshot->check.agrees();
    }
}

std::string percent(double share) {
    const double tenths = std::floor(share * 1000) / 10;
    std::string text = numberText(tenths);
    return text + " %";
}

std::string shareText(const kernels::FusionCounts& counts) {
    return counts.eligible == 0 ? "-" : percent(counts.share());
}

std::string wholeRunText(const CheckedGraph& graph) {
    const session::FusedRunVerdict& run = graph.check->wholeRun;
    return run.agrees ? "equal" : run.failure.empty() ? "differs" : "failed";
}

std::string whyText(const CheckedGraph& graph) {
    if (graph.error) {
        return graph.error->message;
    }
    for (const KernelVerdict& kernel : graph.check->kernels) {
        if (!kernel.agrees) {
            return kernel.name + ": " + (kernel.failure.empty() ? kernel.difference : kernel.failure);
        }
    }
    const session::FusedRunVerdict& run = graph.check->wholeRun;
    if (!run.agrees) {
        return run.failure.empty() ? run.difference : run.failure;
    }
    for (const KernelVerdict& kernel : graph.check->kernels) {
        if (!kernel.explained.empty()) {
            return kernel.name + ": " + kernel.explained;
        }
    }
    return run.explained;
}

std::string nodesText(const CheckedGraph& graph) {
    Table table({"node", "operator", "kernel", "why not fused"});
    for (const session::KernelNode& node : graph.check->nodes) {
        table.add({node.node, node.target, node.kernel, node.reason});
    }
    return graph.graph + "\n" + table.shown() + "\n";
}

/// The kernels of a graph, or why they are not checked, and the same in the sums over all graphs.
void addChecked(Program& program, KernelGraph found, const session::RunOptions& run,
                KernelChecksAnswer& answer) {
    CheckedGraph& graph = answer.graphs.emplace_back(CheckedGraph{
        std::move(found.title), !found.notRun.empty(), std::move(found.error), std::move(found.notRun)});
    if (!graph.leftOut.empty()) {
        ++answer.leftOut;
        return;
    }
    if (found.reference) {
        checkGraph(program, *found.reference, run, graph);
    }
    ++answer.checked;
    answer.right += graph.ok ? 1 : 0;
    answer.notRun += graph.error ? 1 : 0;
    if (graph.check && !graph.error) {
        answer.counts += graph.check->counts;
        answer.kernels += graph.check->kernels.size();
        answer.differing += graph.check->differing();
        answer.identical += static_cast<std::size_t>(
            std::ranges::count(graph.check->kernels, true, &KernelVerdict::identical));
    }
}

KernelChecksAnswer checkAll(Program& program, const GraphRequest& graphs, const session::RunOptions& run) {
    KernelChecksAnswer answer;
    for (KernelGraph& graph : kernelGraphs(program, graphs)) {
        addChecked(program, std::move(graph), run, answer);
    }
    answer.ok = answer.right == answer.checked;
    answer.share = answer.counts.share();
    return answer;
}

/// By which compiler and on which device, of the first graph that has kernels.
std::string whereText(const std::vector<CheckedGraph>& graphs) {
    for (const CheckedGraph& graph : graphs) {
        if (graph.check && !graph.check->compiler.empty()) {
            return "Compiled by " + graph.check->compiler + ", run by " + graph.check->backend + ".\n";
        }
    }
    return {};
}

std::string totalsText(const KernelChecksAnswer& totals) {
    const kernels::FusionCounts& counts = totals.counts;
    std::string text = textOf(totals.kernels, " kernels: ", totals.kernels - totals.differing,
                              " equal the graph's operators (", totals.identical, " to the last bit), ",
                              totals.differing, " differ. ", totals.right, " of ", totals.checked,
                              " graphs are right with all their kernels in place");
    if (totals.notRun > 0) {
        text += "; " + std::to_string(totals.notRun) + " cannot be run at all";
    }
    if (totals.leftOut > 0) {
        text += "; " + std::to_string(totals.leftOut) + (totals.leftOut == 1 ? " body" : " bodies") +
                " of operators not counted, which the engine does not run as graphs";
    }
    text += textOf(".\n", counts.fused + counts.generatedAlone, " of ", counts.eligible,
                   " eligible nodes were fused (", shareText(counts), "): ", counts.fused,
                   " in kernels of several, ", counts.generatedAlone, " alone in a kernel; and ",
                   counts.foldedViews, " views became part of a kernel. ", counts.notEligible,
                   " nodes are of kinds that are not fused.\n");
    return text;
}

std::string allText(const KernelChecksAnswer& answer, bool withNodes) {
    Table table({"graph", numbers("eligible"), numbers("in groups"), numbers("alone"), numbers("share"),
                 numbers("kernels"), numbers("differ"), "whole run", "why"});
    std::string text;
    for (const CheckedGraph& graph : answer.graphs) {
        if (!graph.leftOut.empty()) {
            table.add({graph.graph, "", "", "", "", "", "", "left out", graph.leftOut});
            continue;
        }
        if (graph.error) {
            table.add({graph.graph, "", "", "", "", "", "", "not run", whyText(graph)});
            continue;
        }
        const kernels::FusionCounts& counts = graph.check->counts;
        table.add({graph.graph, counts.eligible, counts.fused, counts.generatedAlone, shareText(counts),
                   graph.check->kernels.size(), graph.check->differing(), wholeRunText(graph),
                   whyText(graph)});
        if (withNodes) {
            text += nodesText(graph);
        }
    }
    return text + table.shown() + totalsText(answer) + whereText(answer.graphs);
}

/// A folder for each graph, a file for each kernel.
void writeSources(Program& program, const std::filesystem::path& out,
                  const std::vector<CheckedGraph>& graphs) {
    for (const CheckedGraph& graph : graphs) {
        if (graph.check) {
            program.write(out / folderName(graph.graph),
                          base::mapped(graph.check->kernels, [](const KernelVerdict& kernel) {
                              return session::NamedText{kernel.name + ".cu", kernel.source};
                          }));
        }
    }
}

} // namespace

int checkKernels(Program& program, const GraphRequest& graphs, const KernelCheckRequest& request) {
    KernelChecksAnswer answer = checkAll(program, graphs, request.run);
    if (!request.out.empty()) {
        writeSources(program, request.out, answer.graphs);
    }
    if (!request.showNodes) {
        for (CheckedGraph& graph : answer.graphs) {
            if (graph.check) {
                graph.check->nodes.clear();
            }
        }
    }
    program.console.result(request.json ? answerText(answer) : allText(answer, request.showNodes));
    return answer.ok ? ExitYes : ExitNo;
}

} // namespace aotscope::cli
