#include "kernel_check_report.h"

#include "answer.h"
#include "kernel_files.h"
#include "kernel_graphs.h"
#include "table.h"

#include "contract/kernel_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace aotscope::cli {

struct KernelCheckAnswer {
    std::string graph;
    bool ok = false;
    std::optional<base::Error> error;
    /// Why it was left out; empty: it was not.
    std::string leftOut;
    /// Nothing: it could not be run.
    std::optional<session::KernelCheck> check = {};
};
AOTSCOPE_MEMBERS(KernelCheckAnswer, graph, ok, error, leftOut, check)

struct KernelChecksAnswer {
    bool ok = false;
    /// Numbers of kernels.
    std::size_t kernels = 0;
    std::size_t differing = 0;
    /// To the last bit.
    std::size_t identical = 0;
    /// Number of graphs.
    std::size_t leftOut = 0;
    /// Of nodes, in all graphs.
    kernels::FusionCounts counts;
    /// The share of the eligible nodes that is in kernels; 0 to 1.
    double share = 0;
    std::vector<KernelCheckAnswer> graphs = {};
};
AOTSCOPE_MEMBERS(KernelChecksAnswer, ok, kernels, differing, identical, leftOut, counts, share, graphs)
AOTSCOPE_ANSWER(KernelChecksAnswer, "aotscope.kernel_check/2")

namespace {

using session::ArtifactReference;
using session::KernelCheck;
using session::KernelVerdict;

/// One graph and what became of its kernels.
struct CheckedGraph {
    std::string title;
    std::optional<KernelCheck> check;
    std::optional<base::Error> error;
    /// Why it was left out; empty: it was not.
    std::string leftOut = {};

    [[nodiscard]] bool agrees() const { return !leftOut.empty() || (check && check->agrees()); }
};

class Checker {
public:
    Checker(Program& program, const KernelCheckRequest& request) : m_program(program) {
        m_options.seed = request.seed;
        m_options.device = request.device;
    }

    std::vector<CheckedGraph> checkAll(const GraphRequest& graphs) {
        std::vector<CheckedGraph> checked;
        for (KernelGraph& graph : kernelGraphs(m_program, graphs)) {
            if (!graph.notRun.empty()) {
                checked.push_back({std::move(graph.title), {}, {}, std::move(graph.notRun)});
            } else if (graph.reference) {
                checked.push_back(checkOne(*graph.reference, std::move(graph.title)));
            } else {
                checked.push_back({std::move(graph.title), {}, std::move(graph.error)});
            }
        }
        return checked;
    }

private:
    CheckedGraph checkOne(const ArtifactReference& reference, std::string title) {
        CheckedGraph checked{std::move(title), {}, {}};
        auto executed = m_program.execute(session::CheckKernels{reference, m_options});
        checked.error = std::move(executed.failed);
        for (session::EventBody& body : executed.snapshots) {
            if (auto* snapshot = std::get_if<session::KernelCheckSnapshotPtr>(&body)) {
                checked.check = (*snapshot)->check;
                checked.error = checked.check->error;
            }
        }
        // Without a backend, device or compiler no graph can be checked: one failure instead of an error per
        // graph.
        static constexpr std::array<std::string_view, 6> ofAll{
            "session.no_backend",       "run.no_torch_module", "run.no_gpu",
            "kernels.no_host_compiler", "kernels.no_nvrtc",    "kernels.no_architecture"};
        if (checked.error && std::ranges::find(ofAll, checked.error->code) != ofAll.end()) {
            throw Failure(ExitNo, *checked.error);
        }
        return checked;
    }

    Program& m_program;
    session::RunOptions m_options;
};

std::string percent(double share) {
    const double tenths = std::floor(share * 1000) / 10;
    std::string text = numberText(tenths);
    return text + " %";
}

std::string shareText(const kernels::FusionCounts& counts) {
    return counts.eligible == 0 ? "-" : percent(counts.share());
}

std::string wholeRunText(const CheckedGraph& graph) {
    if (!graph.check || graph.error) {
        return "-";
    }
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
    Table table({{"node"}, {"operator"}, {"kernel"}, {"why not fused"}});
    for (const session::KernelNode& node : graph.check->nodes) {
        table.add({node.node, node.target, node.kernel, node.reason});
    }
    return graph.title + "\n" + table.text(resultWidth()) + "\n";
}

struct CheckTotals {
    kernels::FusionCounts counts;
    std::size_t kernels = 0;
    std::size_t identical = 0;
    std::size_t differing = 0;
    std::size_t graphs = 0;
    std::size_t good = 0;
    std::size_t wholeRunsApart = 0;
    std::size_t notRun = 0;
    std::size_t leftOut = 0;
};

CheckTotals totalsOf(const std::vector<CheckedGraph>& graphs) {
    CheckTotals totals;
    for (const CheckedGraph& graph : graphs) {
        if (!graph.leftOut.empty()) {
            ++totals.leftOut;
            continue;
        }
        ++totals.graphs;
        totals.good += graph.agrees() ? 1 : 0;
        totals.notRun += graph.error ? 1 : 0;
        if (!graph.check || graph.error) {
            continue;
        }
        totals.counts += graph.check->counts;
        totals.kernels += graph.check->kernels.size();
        totals.differing += graph.check->differing();
        totals.wholeRunsApart += graph.check->wholeRun.agrees ? 0 : 1;
        totals.identical += static_cast<std::size_t>(
            std::ranges::count(graph.check->kernels, true, &KernelVerdict::identical));
    }
    return totals;
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

std::string totalsText(const CheckTotals& totals) {
    const kernels::FusionCounts& counts = totals.counts;
    std::string text =
        std::to_string(totals.kernels) + " kernels: " + std::to_string(totals.kernels - totals.differing) +
        " equal the graph's operators (" + std::to_string(totals.identical) + " to the last bit), " +
        std::to_string(totals.differing) + " differ. " + std::to_string(totals.good) + " of " +
        std::to_string(totals.graphs) + " graphs are right with all their kernels in place";
    if (totals.notRun > 0) {
        text += "; " + std::to_string(totals.notRun) + " cannot be run at all";
    }
    if (totals.leftOut > 0) {
        text += "; " + std::to_string(totals.leftOut) + (totals.leftOut == 1 ? " body" : " bodies") +
                " of operators not counted, which the engine does not run as graphs";
    }
    text += ".\n" + std::to_string(counts.fused + counts.generatedAlone) + " of " +
            std::to_string(counts.eligible) + " eligible nodes were fused (" + shareText(counts) +
            "): " + std::to_string(counts.fused) + " in kernels of several, " +
            std::to_string(counts.generatedAlone) + " alone in a kernel; and " +
            std::to_string(counts.foldedViews) + " views became part of a kernel. " +
            std::to_string(counts.notEligible) + " nodes are of kinds that are not fused.\n";
    return text;
}

std::string allText(const std::vector<CheckedGraph>& graphs, bool withNodes) {
    Table table({{"graph"},
                 {"eligible", Table::Align::Right},
                 {"in groups", Table::Align::Right},
                 {"alone", Table::Align::Right},
                 {"share", Table::Align::Right},
                 {"kernels", Table::Align::Right},
                 {"differ", Table::Align::Right},
                 {"whole run"},
                 {"why"}});
    std::string text;
    for (const CheckedGraph& graph : graphs) {
        if (!graph.leftOut.empty()) {
            table.add({graph.title, "", "", "", "", "", "", "left out", graph.leftOut});
            continue;
        }
        if (!graph.check || graph.error) {
            table.add({graph.title, "", "", "", "", "", "", "not run", whyText(graph)});
            continue;
        }
        const kernels::FusionCounts& counts = graph.check->counts;
        table.add({graph.title, std::to_string(counts.eligible), std::to_string(counts.fused),
                   std::to_string(counts.generatedAlone), shareText(counts),
                   std::to_string(graph.check->kernels.size()), std::to_string(graph.check->differing()),
                   wholeRunText(graph), whyText(graph)});
        if (withNodes) {
            text += nodesText(graph);
        }
    }
    return text + table.text(resultWidth()) + totalsText(totalsOf(graphs)) + whereText(graphs);
}

KernelChecksAnswer answerOf(const std::vector<CheckedGraph>& graphs, bool withNodes) {
    const CheckTotals totals = totalsOf(graphs);
    KernelChecksAnswer answer{totals.good == totals.graphs,
                              totals.kernels,
                              totals.differing,
                              totals.identical,
                              totals.leftOut,
                              totals.counts,
                              totals.counts.share()};
    for (const CheckedGraph& graph : graphs) {
        KernelCheckAnswer& row = answer.graphs.emplace_back(
            KernelCheckAnswer{graph.title, graph.agrees(), graph.error, graph.leftOut});
        if (graph.check && !graph.error) {
            row.check = graph.check;
            if (!withNodes) {
                row.check->nodes.clear();
            }
        }
    }
    return answer;
}

/// A folder for each graph, a file for each kernel.
void writeSources(Program& program, const std::filesystem::path& out,
                  const std::vector<CheckedGraph>& graphs) {
    for (const CheckedGraph& graph : graphs) {
        if (!graph.check) {
            continue;
        }
        const std::string folder = folderName(graph.title);
        std::error_code failed;
        std::filesystem::create_directories(out / folder, failed);
        for (const KernelVerdict& kernel : graph.check->kernels) {
            program.console.resultTo(out / folder / (kernel.name + ".cu"), kernel.source);
        }
    }
}

} // namespace

int checkKernels(Program& program, const GraphRequest& graphs, const KernelCheckRequest& request) {
    const std::vector<CheckedGraph> checked = Checker(program, request).checkAll(graphs);
    if (!request.out.empty()) {
        writeSources(program, request.out, checked);
    }
    program.console.result(request.json ? answerText(answerOf(checked, request.showNodes))
                                        : allText(checked, request.showNodes));
    return std::ranges::all_of(checked, &CheckedGraph::agrees) ? ExitYes : ExitNo;
}

} // namespace aotscope::cli
