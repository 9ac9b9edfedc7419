#include "commands.h"
#include "interrupts.h"

#include "base/log.h"
#include "cache/entry_folder.h"
#include "files/reproducer.h"

#ifdef AOTSCOPE_HAS_TORCH
#include "torch_module.h"
#endif

#include <csignal>
#include <iostream>

namespace aotscope::cli {

namespace {

struct GlobalOptions {
    std::string logLevel = "warning";
    std::filesystem::path logFile;
    bool quiet = false;
};

void addGlobalOptions(Command app, GlobalOptions& options) {
    app.addOption("--log-level", &options.logLevel, "trace, debug, info, warning, error or off",
                  {.oneOf = {"trace", "debug", "info", "warning", "error", "off"}});
    app.addOption("--log-file", &options.logFile, "Write the program's own log to this file too");
    app.addFlag("-q,--quiet", &options.quiet, "No progress and no messages except errors");
}

void addCommands(Command app, Action& chosen) {
    for (const auto add : {addOpenCommand,      addGraphCommand,    addDiffCommand,    addRunCommand,
                           addRetraceCommand,   addPayloadCommand,  addBudgetCommand,  addMemoryCommand,
                           addPartitionCommand, addProblemsCommand, addSchemasCommand, addSchemaCommand,
                           addCoverageCommand,  addWhyCommand,      addRulesCommand,   addMetadataCommand,
                           addWrappersCommand,  addCacheCommand,    addRerunCommand,   addReplayCommand,
                           addStepCommand,      addHooksCommand,    addKernelsCommand, addDevicesCommand,
                           addProfileCommand}) {
        add(app, chosen);
    }
}

session::BackendFactory backendFactory() {
#ifdef AOTSCOPE_HAS_TORCH
    return app::torchBackendFactory();
#else
    return {};
#endif
}

int perform(const Action& action, const GlobalOptions& options) {
    base::configureLog({base::fromWord<base::LogLevel>(options.logLevel).value_or(base::LogLevel::Warning),
                        options.logFile});
    Console console(options.quiet);
    const Interrupts interrupts;
    session::SessionOptions sessionOptions;
    sessionOptions.reproducerFolder = session::defaultReproducerFolder();
    sessionOptions.compileCacheFolder = cache::defaultCacheFolder();
    session::Session session(backendFactory(), std::move(sessionOptions));
    Program program{session, console, interrupts.stopToken()};
    try {
        const int code = action(program);
        console.flush();
        return code;
    } catch (const Failure& failure) {
        // Results written before the failure still count.
        std::fflush(nullptr);
        if (failure.code() == ExitInterrupted) {
            console.message("Interrupted.");
        } else {
            console.error(failure.error());
        }
        return failure.code();
    } catch (const std::exception& exception) {
        console.error({.code = "cli.exception",
                       .message = std::string("The command ended with an exception: ") + exception.what()});
        return ExitNo;
    }
}

} // namespace

} // namespace aotscope::cli

int main(int argc, char** argv) { // NOLINT(bugprone-exception-escape): only setting up the options may throw
    using namespace aotscope::cli;
    // A write to a closed pipe must return an error and not end the process.
    std::signal(SIGPIPE, SIG_IGN);
    GlobalOptions options;
    Action chosen;
    CommandLine line(
        "aotscope-cli", "Shows what PyTorch's compiler did: reads trace logs (TORCH_TRACE) and graphs.",
        "Exit codes: 0 yes, 1 no (differs, failed), 2 usage, 3 unreadable input or unwritable output, "
        "130 interrupted.");
    addGlobalOptions(line.program(), options);
    line.addVersion("aotscope-cli " AOTSCOPE_VERSION);
    addCommands(line.program(), chosen);
    if (argc < 2) {
        std::cerr << line.help();
        return ExitUsage;
    }
    if (const std::optional<ExitCode> code = line.read(argc, argv)) {
        return *code;
    }
    return perform(chosen, options);
}
