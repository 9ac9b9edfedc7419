#include "commands.h"
#include "kernel_graphs.h"
#include "logged_kernels.h"
#include "options.h"
#include "selection.h"

#include "base/mapped.h"
#include "files/generated_code.h"

#include <algorithm>
#include <iterator>

namespace aotscope::cli {

namespace {

struct KernelsCommandOptions {
    GraphRequest request;
    bool check = false;
    KernelCheckRequest checking;
    bool compile = false;
    KernelCompileRequest compiling;
    /// Only the source of this logged kernel; empty: the list.
    std::string code;
    LaunchFilter filter;
    /// Where the list goes; empty: standard output.
    std::filesystem::path listed;
};

/// A compile with generated code, and its id as a person writes it.
struct CompileKernels {
    std::string id;
    session::GeneratedCodeSnapshotPtr snapshot;
};

std::vector<CompileKernels> kernelsOf(Program& program, const KernelsCommandOptions& options) {
    const auto logs = program.open(options.request.files);
    std::vector<CompileChoice> choices;
    if (!options.request.id.empty()) {
        choices.push_back(selectCompile(logs, options.request.id));
    } else {
        for (const session::LogSnapshotPtr& log : logs) {
            std::ranges::move(compilesOf(log), std::back_inserter(choices));
        }
    }
    std::vector<CompileKernels> found;
    for (const CompileChoice& choice : choices) {
        if (session::hasGeneratedCode(*choice.log, choice.compile)) {
            const session::ArtifactReference reference = referenceTo(choice, "");
            const std::string name =
                logs.size() > 1 ? choice.log->path.filename().string() + ":" : std::string();
            found.push_back(
                {name + session::idText(reference),
                 program.resultOf<session::GeneratedCodeSnapshotPtr>(session::LoadGeneratedCode{reference})});
        }
    }
    if (found.empty()) {
        throw Failure(
            ExitNo, {.code = "cli.no_kernels",
                     .message = (options.request.id.empty() ? "The file" : "Compile " + options.request.id) +
                                " has no code that Inductor generated.",
                     .hint = "A log has it when torch.compile ran with the backend \"inductor\" and "
                             "TORCH_TRACE was set."});
    }
    return found;
}

/// The source of the kernel with that name; the wrapper for a library's kernel has none.
std::string sourceOf(const std::vector<CompileKernels>& compiles, const std::string& name) {
    std::vector<std::string> names;
    for (const CompileKernels& compile : compiles) {
        for (const auto& part : compile.snapshot->parts) {
            for (const inductor::Kernel& kernel : part->generated.code.kernels) {
                if (kernel.name == name && kernel.source) {
                    return part->text.substr(kernel.source->begin, kernel.source->end - kernel.source->begin);
                }
                if (kernel.source) {
                    names.push_back(kernel.name);
                }
            }
        }
    }
    throw usageFailure("There is no kernel \"" + name + "\" with source.", {"Kernels: " + listed(names)});
}

/// Prints the kernels that Inductor generated, with the nodes and source lines that they compute. Fails with
/// cli.no_kernels if there are none.
int listLoggedKernels(Program& program, const KernelsCommandOptions& options) {
    const std::vector<CompileKernels> compiles = kernelsOf(program, options);
    if (!options.code.empty()) {
        program.console.resultTo(options.listed, sourceOf(compiles, options.code));
        return ExitYes;
    }
    std::size_t launches = 0;
    for (const CompileKernels& compile : compiles) {
        launches += countLaunches(*compile.snapshot, options.filter);
    }
    if (launches == 0 && !options.filter.empty()) {
        throw Failure(ExitNo, {.code = "cli.no_kernels",
                               .message = "No kernel computes that.",
                               .hint = "The list without --node and --source says which nodes have no "
                                       "kernel, and why."});
    }
    if (options.checking.json) {
        const KernelsAnswer answer{base::mapped(compiles, [&](const CompileKernels& compile) {
            return loggedKernels(*compile.snapshot, compile.id, options.filter);
        })};
        program.console.resultTo(options.listed, answerText(answer));
        return ExitYes;
    }
    std::string text;
    for (const CompileKernels& compile : compiles) {
        text += (text.empty() ? "" : "\n") + loggedKernelsText(*compile.snapshot, compile.id, options.filter);
    }
    program.console.resultTo(options.listed, text);
    return ExitYes;
}

int kernels(Program& program, const KernelsCommandOptions& options) {
    if (options.compile) {
        KernelCompileRequest compiling = options.compiling;
        compiling.out = options.checking.out;
        compiling.json = options.checking.json;
        return compileKernels(program, options.request, compiling);
    }
    if (!options.check) {
        if (!options.checking.out.empty()) {
            throw usageFailure("--out goes with --check or --compile.");
        }
        return listLoggedKernels(program, options);
    }
    return checkKernels(program, options.request, options.checking);
}

} // namespace

void addKernelsCommand(Command app, Action& chosen) {
    const auto [command, options] = addCommand(
        app, chosen, "kernels",
        "List the kernels that Inductor generated, with the nodes and source lines they compute; or "
        "write fused kernels and check them",
        kernels);
    command.setFooter(
        "Exit code 1 when a kernel differs, could not be compiled, or a graph could not be run.");
    addGraphOptions(command, options->request);
    const Option check = command.addFlag("--check", &options->check,
                                         "Write a CUDA C++ kernel for each group of nodes that can be "
                                         "fused, compile all for --device, "
                                         "run each on the values that its nodes had, and each graph with "
                                         "all of them in place; compare with the "
                                         "graph's own operators");
    command.addOption("--seed", &options->checking.run.seed, "Seed of the synthetic inputs",
                      {.needs = {check}, .showDefault = true});
    addDeviceOption(command, options->checking.run.device, "Device for --check").needs(check);
    const Option compile = command.addFlag(
        "--compile", &options->compile,
        "Compile a CUDA C++ kernel for each group of nodes that can be fused, for GPUs that need "
        "not be there: registers, spills, occupancy, bytes, and a predicted time of each",
        {.excludes = {check}});
    command.addOption("--arch", &options->compiling.architectures,
                      "Compile for these GPUs: sm_80,sm_90,… (default: that of --device-figures)",
                      {.separatedBy = ',', .needs = {compile}});
    command.addOption("--device-figures", &options->compiling.device,
                      "Predict times on this GPU: A100, H100, H100 PCIe, H200, B200, RTX 4090",
                      {.needs = {compile}, .showDefault = true});
    command.addFlag("--no-cache", &options->compiling.ignoresCache,
                    "Compile again what was compiled before, and keep nothing", {.needs = {compile}});
    command.addOption(
        "--out", &options->checking.out,
        "Write the kernels' sources into this folder, with --compile also PTX and machine code");
    command.addFlag("--nodes", &options->checking.showNodes,
                    "Say of each node which kernel computes it, or why none does", {.needs = {check}});
    command.addFlag("--json", &options->checking.json,
                    "As JSON (schema aotscope.kernels/2, with --check aotscope.kernel_check/2, "
                    "with --compile aotscope.kernel_compile/2)");
    command.addOption("--code", &options->code,
                      "Print the source of this kernel of a log; it is only read, never run",
                      {.excludes = {check, compile}});
    command.addOption("--node", &options->filter.node,
                      "Only launches that compute this node, of the compiled graph or AOTAutograd's",
                      {.excludes = {check, compile}});
    command.addOption("--source", &options->filter.source,
                      "Only launches of this source line: model.py:41, the end of a path and a line",
                      {.excludes = {check, compile}});
    command.addOption("-o,--output", &options->listed, "File to write instead of standard output",
                      {.excludes = {check, compile}});
}

} // namespace aotscope::cli
