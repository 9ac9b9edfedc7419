#include "commands.h"
#include "device_option.h"
#include "graph_options.h"
#include "kernel_check_report.h"
#include "kernel_compile_report.h"
#include "list_logged_kernels.h"
#include "selection.h"

#include <memory>

namespace aotscope::cli {

namespace {

struct KernelsCommandOptions {
    GraphRequest request;
    bool check = false;
    KernelCheckRequest checking;
    bool compile = false;
    KernelCompileRequest compiling;
    /// Its files, id and JSON are those of `request` and `checking`.
    LoggedKernelsRequest listing;
};

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
        LoggedKernelsRequest listing = options.listing;
        listing.files = options.request.files;
        listing.id = options.request.id;
        listing.json = options.checking.json;
        return listLoggedKernels(program, listing);
    }
    return checkKernels(program, options.request, options.checking);
}

} // namespace

void addKernelsCommand(Command app, Action& chosen) {
    const Command command = app.addCommand(
        "kernels",
        "List the kernels that Inductor generated, with the nodes and source lines they compute; or "
        "write fused kernels and check them");
    command.setFooter(
        "Exit code 1 when a kernel differs, could not be compiled, or a graph could not be run.");
    auto options = std::make_shared<KernelsCommandOptions>();
    addGraphOptions(command, options->request);
    const Option check = command.addFlag("--check", &options->check,
                                         "Write a CUDA C++ kernel for each group of nodes that can be "
                                         "fused, compile all for --device, "
                                         "run each on the values that its nodes had, and each graph with "
                                         "all of them in place; compare with the "
                                         "graph's own operators");
    command.addOption("--seed", &options->checking.seed, "Seed of the synthetic inputs")
        .showDefault()
        .needs(check);
    addDeviceOption(command, options->checking.device, "Device for --check").needs(check);
    const Option compile =
        command
            .addFlag(
                "--compile", &options->compile,
                "Compile a CUDA C++ kernel for each group of nodes that can be fused, for GPUs that need "
                "not be there: registers, spills, occupancy, bytes, and a predicted time of each")
            .excludes(check);
    command
        .addOption("--arch", &options->compiling.architectures,
                   "Compile for these GPUs: sm_80,sm_90,… (default: that of --device-figures)")
        .separatedBy(',')
        .needs(compile);
    command
        .addOption("--device-figures", &options->compiling.device,
                   "Predict times on this GPU: A100, H100, H100 PCIe, H200, B200, RTX 4090")
        .showDefault()
        .needs(compile);
    command
        .addFlag("--no-cache", &options->compiling.ignoresCache,
                 "Compile again what was compiled before, and keep nothing")
        .needs(compile);
    command.addOption(
        "--out", &options->checking.out,
        "Write the kernels' sources into this folder, with --compile also PTX and machine code");
    command
        .addFlag("--nodes", &options->checking.showNodes,
                 "Say of each node which kernel computes it, or why none does")
        .needs(check);
    command.addFlag("--json", &options->checking.json,
                    "As JSON (schema aotscope.kernels/2, with --check aotscope.kernel_check/2, "
                    "with --compile aotscope.kernel_compile/2)");
    command
        .addOption("--code", &options->listing.code,
                   "Print the source of this kernel of a log; it is only read, never run")
        .excludes(check)
        .excludes(compile);
    command
        .addOption("--node", &options->listing.filter.node,
                   "Only launches that compute this node, of the compiled graph or AOTAutograd's")
        .excludes(check)
        .excludes(compile);
    command
        .addOption("--source", &options->listing.filter.source,
                   "Only launches of this source line: model.py:41, the end of a path and a line")
        .excludes(check)
        .excludes(compile);
    command.addOption("-o,--output", &options->listing.out, "File to write instead of standard output")
        .excludes(check)
        .excludes(compile);
    onCall(command, chosen, options, kernels);
}

} // namespace aotscope::cli
