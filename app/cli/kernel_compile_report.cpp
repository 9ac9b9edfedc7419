#include "answer.h"
#include "kernel_graphs.h"
#include "table.h"

#include "base/joined.h"
#include "kernels/disassembler.h"
#include "kernels/fusion_plan.h"
#include "kernels/kernel_report.h"

#include <algorithm>
#include <cmath>

namespace aotscope::cli {

/// A kernel for one architecture.
struct KernelBuildAnswer {
    std::string architecture;
    bool ok = false;
    std::vector<kernels::CompileMessage> messages;
    double seconds = 0;
    std::optional<kernels::CubinFacts> facts;
    std::int64_t spillStoreBytes = 0;
    std::int64_t spillLoadBytes = 0;
    std::optional<kernels::Occupancy> occupancy;
};
AOTSCOPE_MEMBERS(KernelBuildAnswer, architecture, ok, messages, seconds, facts, spillStoreBytes,
                 spillLoadBytes, occupancy)

struct KernelCompiledAnswer {
    std::string name;
    kernels::KernelLaunch launch;
    kernels::KernelWork work;
    kernels::PredictedTime time;
    /// The longest of `time`.
    double predictedSeconds = 0;
    std::vector<KernelBuildAnswer> builds = {};
};
AOTSCOPE_MEMBERS(KernelCompiledAnswer, name, launch, work, time, predictedSeconds, builds)

struct GraphCompiledAnswer {
    std::string graph;
    bool ok = false;
    std::optional<base::Error> error;
    std::vector<KernelCompiledAnswer> kernels = {};
};
AOTSCOPE_MEMBERS(GraphCompiledAnswer, graph, ok, error, kernels)

struct KernelsCompiledAnswer {
    bool ok = false;
    /// Its version.
    std::string nvrtc;
    /// Whose times are predicted.
    std::string device;
    std::vector<GraphCompiledAnswer> graphs = {};
};
AOTSCOPE_MEMBERS(KernelsCompiledAnswer, ok, nvrtc, device, graphs)
AOTSCOPE_ANSWER(KernelsCompiledAnswer, "aotscope.kernel_compile/2")

namespace {

using kernels::ArchitectureReport;
using kernels::KernelReport;

/// A graph, its plan, and one report for each group.
struct CompiledGraph {
    std::string title;
    kernels::FusionPlan plan;
    std::vector<KernelReport> reports;
    std::optional<base::Error> error;

    [[nodiscard]] bool isGood() const {
        return !error && std::ranges::all_of(reports, &KernelReport::compiled);
    }
};

/// The compiler, device and architectures, set up once for all graphs.
struct Toolchain {
    kernels::Nvrtc nvrtc;
    kernels::DeviceFigures device;
    std::vector<std::string> architectures;
};

Toolchain toolchainOf(Program& program, const KernelCompileRequest& request) {
    kernels::DeviceFigures device = orFail(ExitUsage, kernels::deviceByName(request.device));
    Toolchain tools{orFail(ExitNo, kernels::Nvrtc::find({}, program.progress())), std::move(device),
                    request.architectures};
    if (tools.architectures.empty()) {
        tools.architectures.push_back(tools.device.architecture);
    }
    for (const std::string& architecture : tools.architectures) {
        orFail(ExitUsage, tools.nvrtc.accepts(architecture));
    }
    return tools;
}

/// Plans of all graphs. A graph that cannot be read keeps its error.
std::vector<CompiledGraph> planAll(Program& program, const GraphRequest& request) {
    std::vector<CompiledGraph> graphs;
    for (KernelGraph& found : kernelGraphs(program, request)) {
        CompiledGraph& graph = graphs.emplace_back();
        graph.title = std::move(found.title);
        graph.error = std::move(found.error);
        if (!found.reference) {
            continue;
        }
        auto [read, failed] =
            program.attempt<session::GraphSnapshotPtr>(session::LoadGraph{*found.reference});
        if (read && read->graph) {
            graph.plan = kernels::planFusion(*read->graph);
        } else if (read) {
            graph.error = base::Error{.code = "cli.no_graph", .message = "The graph's text cannot be read."};
        } else {
            graph.error = std::move(failed);
        }
    }
    return graphs;
}

/// All kernels of all graphs at once, so that equal ones are compiled once.
void compileAll(Program& program, const Toolchain& tools, const kernels::KernelCache* cache,
                std::vector<CompiledGraph>& graphs) {
    std::vector<const kernels::FusedKernel*> all;
    for (const CompiledGraph& graph : graphs) {
        for (const kernels::FusionGroup& group : graph.plan.groups) {
            all.push_back(&group.kernel);
        }
    }
    std::vector<KernelReport> reports =
        orFail(ExitNo, kernels::reportKernels(tools.nvrtc, all, tools.architectures, tools.device, cache,
                                              program.progress()));
    auto next = std::make_move_iterator(reports.begin());
    for (CompiledGraph& graph : graphs) {
        const auto count = static_cast<std::ptrdiff_t>(graph.plan.groups.size());
        graph.reports.assign(next, next + count);
        next += count;
    }
}

std::string byteText(double bytes) {
    return bytesText(std::llround(bytes));
}

std::string operationsText(double operations) {
    static constexpr std::array<const char*, 5> units{"", " k", " M", " G", " T"};
    std::size_t unit = 0;
    for (; operations >= 1000 && unit + 1 < units.size(); ++unit) {
        operations /= 1000;
    }
    return numberText(std::round(operations * 10) / 10) + units[unit];
}

std::string occupancyText(const ArchitectureReport& report) {
    if (!report.occupancy) {
        return "unknown";
    }
    return numberText(std::round(report.occupancy->share() * 100)) + " % (" +
           base::joined(report.occupancy->limiters, ", ",
                        [](const kernels::Limiter limiter) { return base::wordOf(limiter); }) +
           ")";
}

void addRows(const kernels::FusedKernel& kernel, const KernelReport& report, Table& table) {
    const Cells ofAll{byteText(report.work.bytesRead), byteText(report.work.bytesWritten),
                      operationsText(report.work.vectorOperations),
                      durationText(std::llround(report.time.seconds() * 1e9)), report.time.limit};
    bool isFirst = true;
    for (const ArchitectureReport& own : report.architectures) {
        Cells facts(4);
        if (own.facts) {
            facts = {own.facts->registers, own.spillStoreBytes + own.spillLoadBytes,
                     byteText(static_cast<double>(own.facts->staticSharedBytes) +
                              static_cast<double>(kernel.launch.dynamicSharedBytes)),
                     occupancyText(own)};
        } else {
            facts.back() = "not compiled: " + kernels::compileError(own.build->messages).text();
        }
        table.add({isFirst ? kernel.name : "", own.architecture}, facts, isFirst ? ofAll : Cells());
        isFirst = false;
    }
}

std::string graphText(const CompiledGraph& graph) {
    if (graph.error) {
        return graph.title + "\n  " + graph.error->text() + "\n";
    }
    if (graph.reports.empty()) {
        return graph.title + "\n  no nodes that can be fused\n";
    }
    Table table({"kernel", "for", numbers("registers"), numbers("spilled bytes"), numbers("shared"),
                 "occupancy, and what limits it", numbers("reads"), numbers("writes"), numbers("operations"),
                 numbers("predicted"), "limited by"});
    for (std::size_t i = 0; i < graph.reports.size(); ++i) {
        addRows(graph.plan.groups[i].kernel, graph.reports[i], table);
    }
    return graph.title + "\n" + table.shown();
}

struct CompileTotals {
    std::size_t kernels = 0;
    std::size_t builds = 0;
    std::size_t refused = 0;
    std::size_t unread = 0;
    double seconds = 0;
};

CompileTotals totalsOf(const std::vector<CompiledGraph>& graphs) {
    CompileTotals totals;
    for (const CompiledGraph& graph : graphs) {
        totals.unread += graph.error ? 1 : 0;
        for (const KernelReport& report : graph.reports) {
            ++totals.kernels;
            totals.seconds += report.time.seconds();
            for (const ArchitectureReport& own : report.architectures) {
                ++totals.builds;
                totals.refused += own.compiled() ? 0 : 1;
            }
        }
    }
    return totals;
}

std::string allText(const std::vector<CompiledGraph>& graphs, const Toolchain& tools) {
    std::string text;
    for (const CompiledGraph& graph : graphs) {
        text += graphText(graph) + "\n";
    }
    const CompileTotals totals = totalsOf(graphs);
    text += textOf(totals.kernels, totals.kernels == 1 ? " kernel for " : " kernels for ",
                   base::joined(tools.architectures), ": ", totals.builds - totals.refused,
                   " compiled by NVRTC ", tools.nvrtc.version(), ", ", totals.refused, " refused.");
    if (totals.unread > 0) {
        text += " " + counted(totals.unread, "graph") + " could not be read.";
    }
    return text + "\nTimes are predicted, not measured: what " + tools.device.name + " takes at least (" +
           numberText(tools.device.bandwidth * 1e-9) + " GB/s, " + numberText(tools.device.fp32 * 1e-12) +
           " TFLOP/s in float32), and " + numberText(kernels::launchSeconds * 1e6) + " µs for a launch; " +
           durationText(std::llround(totals.seconds * 1e9)) + " in all.\n";
}

KernelsCompiledAnswer compiledAnswer(const std::vector<CompiledGraph>& graphs, const Toolchain& tools) {
    KernelsCompiledAnswer answer{std::ranges::all_of(graphs, &CompiledGraph::isGood), tools.nvrtc.version(),
                                 tools.device.name};
    for (const CompiledGraph& graph : graphs) {
        GraphCompiledAnswer& own =
            answer.graphs.emplace_back(GraphCompiledAnswer{graph.title, graph.isGood(), graph.error});
        for (std::size_t i = 0; i < graph.reports.size(); ++i) {
            const KernelReport& report = graph.reports[i];
            const kernels::FusedKernel& kernel = graph.plan.groups[i].kernel;
            KernelCompiledAnswer& compiled = own.kernels.emplace_back(KernelCompiledAnswer{
                kernel.name, kernel.launch, report.work, report.time, report.time.seconds()});
            for (const ArchitectureReport& each : report.architectures) {
                compiled.builds.push_back({each.architecture, each.compiled(), each.build->messages,
                                           each.build->seconds, each.facts, each.spillStoreBytes,
                                           each.spillLoadBytes, each.occupancy});
            }
        }
    }
    return answer;
}

/// NAME.cu, and for each architecture NAME.sm_90.ptx, NAME.sm_90.cubin and, with a disassembler,
/// NAME.sm_90.sass. One that fails leaves its error in `noCode`, and everything else is kept.
std::vector<session::NamedText> kernelFiles(Program& program, const kernels::FusedKernel& kernel,
                                            const KernelReport& report,
                                            const std::optional<std::filesystem::path>& disassembler,
                                            std::optional<base::Error>& noCode) {
    std::vector<session::NamedText> files{{kernel.name + ".cu", kernel.source}};
    for (const ArchitectureReport& own : report.architectures) {
        if (!own.compiled()) {
            continue;
        }
        const std::string name = kernel.name + "." + own.architecture;
        files.push_back({name + ".ptx", own.build->ptx});
        files.push_back({name + ".cubin", own.build->cubin});
        if (disassembler) {
            auto code = kernels::disassemble(*disassembler, own.build->cubin, program.progress());
            if (code || base::isCanceled(code.error())) {
                files.push_back({name + ".sass", orFail(ExitNo, std::move(code))});
            } else {
                noCode = std::move(code).error();
            }
        }
    }
    return files;
}

/// A folder for each graph. The error is that of a disassembler.
std::optional<base::Error> writeAll(Program& program, const Toolchain& tools,
                                    const std::filesystem::path& out,
                                    const std::vector<CompiledGraph>& graphs) {
    std::optional<std::filesystem::path> disassembler;
    // It may lie beside the NVRTC that compiled them.
    if (auto found = kernels::findDisassembler(tools.nvrtc.library())) {
        disassembler = *std::move(found);
    } else {
        program.console.message("No machine code is written: " + found.error().message + " " +
                                found.error().hint);
    }
    std::optional<base::Error> noCode;
    for (const CompiledGraph& graph : graphs) {
        for (std::size_t i = 0; i < graph.reports.size(); ++i) {
            program.write(out / folderName(graph.title), kernelFiles(program, graph.plan.groups[i].kernel,
                                                                     graph.reports[i], disassembler, noCode));
        }
    }
    return noCode;
}

} // namespace

int compileKernels(Program& program, const GraphRequest& graphs, const KernelCompileRequest& request) {
    const Toolchain tools = toolchainOf(program, request);
    std::vector<CompiledGraph> compiled = planAll(program, graphs);
    const kernels::KernelCache cache(request.ignoresCache ? std::filesystem::path()
                                                          : kernels::defaultKernelCacheFolder());
    compileAll(program, tools, &cache, compiled);
    const auto noCode = request.out.empty() ? std::nullopt : writeAll(program, tools, request.out, compiled);
    program.console.result(request.json ? answerText(compiledAnswer(compiled, tools))
                                        : allText(compiled, tools));
    failWith(noCode);
    return std::ranges::all_of(compiled, &CompiledGraph::isGood) ? ExitYes : ExitNo;
}

} // namespace aotscope::cli
