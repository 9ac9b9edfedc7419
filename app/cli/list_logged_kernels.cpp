#include "list_logged_kernels.h"

#include "logged_kernels.h"
#include "selection.h"

#include "files/generated_code.h"

namespace aotscope::cli {

namespace {

/// A compile with generated code, and its id as a person writes it.
struct CompileKernels {
    std::string id;
    session::GeneratedCodeSnapshotPtr snapshot;
};

std::vector<CompileKernels> kernelsOf(Program& program, const LoggedKernelsRequest& options) {
    const auto logs = program.open(options.files);
    std::vector<CompileChoice> choices;
    if (!options.id.empty()) {
        choices.push_back(selectCompile(logs, options.id));
    } else {
        for (const session::LogSnapshotPtr& log : logs) {
            for (std::uint32_t index = 0; index < log->compiles().size(); ++index) {
                const load::Compile& compile = log->compiles()[index];
                choices.push_back({log, load::CompileIndex(index), compile.id, compile.rank});
            }
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

} // namespace

int listLoggedKernels(Program& program, const LoggedKernelsRequest& options) {
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
        KernelsAnswer answer;
        for (const CompileKernels& compile : compiles) {
            answer.compiles.push_back(loggedKernels(*compile.snapshot, compile.id, options.filter));
        }
        program.console.resultTo(options.out, answerText(answer));
        return ExitYes;
    }
    std::string text;
    for (const CompileKernels& compile : compiles) {
        text += (text.empty() ? "" : "\n") + loggedKernelsText(*compile.snapshot, compile.id, options.filter);
    }
    program.console.resultTo(options.out, text);
    return ExitYes;
}

} // namespace aotscope::cli
