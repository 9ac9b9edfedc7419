#include "commands.h"
#include "json_text.h"
#include "logged_kernels.h"
#include "selection.h"

#include "session/generated_code.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <memory>

namespace aotscope::cli {

namespace {

struct KernelsCommandOptions {
    std::filesystem::path file;
    std::string id;
    std::string code;
    LaunchFilter filter;
    std::filesystem::path out;
    bool json = false;
};

/// A compile with generated code, and its id as a person writes it.
struct CompileKernels {
    std::string id;
    session::GeneratedCodeSnapshotPtr snapshot;
};

bool hasGeneratedCode(const load::TraceLog& log, load::CompileIndex compile) {
    for (const load::Artifact& artifact : log.artifacts(compile)) {
        if (artifact.kind == load::RecordKind::InductorOutputCode) {
            return true;
        }
    }
    return false;
}

std::vector<CompileKernels> kernelsOf(Program& program, const KernelsCommandOptions& options) {
    const auto logs = program.open({options.file});
    std::vector<CompileChoice> choices;
    if (!options.id.empty()) {
        choices.push_back(selectCompile(logs, options.id));
    } else {
        for (const session::LogSnapshotPtr& log : logs) {
            const std::size_t count = log->traceLog ? log->traceLog->compiles().size() : 0;
            for (std::uint32_t index = 0; index < count; ++index) {
                const load::Compile& compile = log->traceLog->compile(load::CompileIndex(index));
                choices.push_back({log, load::CompileIndex(index), compile.id, compile.rank});
            }
        }
    }
    std::vector<CompileKernels> found;
    for (const CompileChoice& choice : choices) {
        if (choice.log->traceLog && hasGeneratedCode(*choice.log->traceLog, choice.compile)) {
            const session::ArtifactReference reference = referenceTo(choice, "");
            const std::string name =
                logs.size() > 1 ? choice.log->path.filename().string() + ":" : std::string();
            found.push_back(
                {name + session::idText(reference),
                 program.resultOf<session::GeneratedCodeSnapshotPtr>(session::LoadGeneratedCode{reference})});
        }
    }
    if (found.empty()) {
        base::Error error;
        error.code = "cli.no_kernels";
        error.message = options.id.empty()
                            ? "The file has no code that Inductor generated."
                            : "Compile " + options.id + " has no code that Inductor generated.";
        error.hint =
            "A log has it when torch.compile ran with the backend \"inductor\" and TORCH_TRACE was set.";
        throw Failure(ExitNo, std::move(error));
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

int listKernels(Program& program, const KernelsCommandOptions& options) {
    const std::vector<CompileKernels> compiles = kernelsOf(program, options);
    if (!options.code.empty()) {
        program.console.resultTo(options.out, sourceOf(compiles, options.code));
        return ExitYes;
    }
    std::size_t launches = 0;
    for (const CompileKernels& compile : compiles) {
        launches += countLaunches(*compile.snapshot, options.filter);
    }
    if (launches == 0 && !options.filter.empty()) {
        base::Error error;
        error.code = "cli.no_kernels";
        error.message = "No kernel computes that.";
        error.hint = "The list without --node and --source says which nodes have no kernel, and why.";
        throw Failure(ExitNo, std::move(error));
    }
    if (options.json) {
        Json list = Json::array();
        for (const CompileKernels& compile : compiles) {
            list.push_back(loggedKernelsJson(*compile.snapshot, compile.id, options.filter));
        }
        program.console.resultTo(options.out,
                                 jsonText({{"schema", "aotscope.kernels/1"}, {"compiles", std::move(list)}}));
        return ExitYes;
    }
    std::string text;
    for (const CompileKernels& compile : compiles) {
        text += (text.empty() ? "" : "\n") + loggedKernelsText(*compile.snapshot, compile.id, options.filter);
    }
    program.console.resultTo(options.out, text);
    return ExitYes;
}

} // namespace

void addKernelsCommand(CLI::App& app, Action& chosen) {
    CLI::App* command = app.add_subcommand(
        "kernels", "List the kernels that Inductor generated, with the nodes and source lines they compute");
    auto options = std::make_shared<KernelsCommandOptions>();
    command->add_option("FILE", options->file, "Trace log or folder of logs")->required();
    command->add_option("--id", options->id,
                        "Compile id: 0/0, 0/1_2, !0/1/0, -; with several logs rank3:0/0 or FILE:0/0");
    command->add_option("--code", options->code,
                        "Print the source of this kernel; it is only read, never run");
    command->add_option("--node", options->filter.node,
                        "Only launches that compute this node, of the compiled graph or AOTAutograd's");
    command->add_option("--source", options->filter.source,
                        "Only launches of this source line: model.py:41, the end of a path and a line");
    command->add_option("-o,--output", options->out, "File to write instead of standard output");
    command->add_flag("--json", options->json, "As JSON (schema aotscope.kernels/1)");
    command->callback([options, &chosen] {
        chosen = [options](Program& program) { return listKernels(program, *options); };
    });
}

} // namespace aotscope::cli
