#include "commands.h"
#include "interrupts.h"

#include "base/log.h"
#include "cache/entry_folder.h"
#include "session/reproducer.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

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

void addGlobalOptions(CLI::App& app, GlobalOptions& options) {
    app.add_option("--log-level", options.logLevel, "trace, debug, info, warning, error or off")
        ->check(CLI::IsMember({"trace", "debug", "info", "warning", "error", "off"}));
    app.add_option("--log-file", options.logFile, "Write the program's own log to this file too");
    app.add_flag("-q,--quiet", options.quiet, "No progress and no messages except errors");
    app.set_version_flag("--version", "aotscope-cli " AOTSCOPE_VERSION);
}

void addCommands(CLI::App& app, Action& chosen) {
    addOpenCommand(app, chosen);
    addGraphCommand(app, chosen);
    addDiffCommand(app, chosen);
    addRunCommand(app, chosen);
    addRetraceCommand(app, chosen);
    addPayloadCommand(app, chosen);
    addBudgetCommand(app, chosen);
    addMemoryCommand(app, chosen);
    addPartitionCommand(app, chosen);
    addProblemsCommand(app, chosen);
    addSchemasCommand(app, chosen);
    addCoverageCommand(app, chosen);
    addWhyCommand(app, chosen);
    addRulesCommand(app, chosen);
    addMetadataCommand(app, chosen);
    addWrappersCommand(app, chosen);
    addCacheCommand(app, chosen);
    addRerunCommand(app, chosen);
    addReplayCommand(app, chosen);
    addStepCommand(app, chosen);
    addHooksCommand(app, chosen);
    addKernelsCommand(app, chosen);
}

session::BackendFactory backendFactory() {
#ifdef AOTSCOPE_HAS_TORCH
    return app::torchBackendFactory();
#else
    return {};
#endif
}

int perform(const Action& action, const GlobalOptions& options) {
    base::configureLog(
        {base::logLevelFromName(options.logLevel).value_or(base::LogLevel::Warning), options.logFile});
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
        base::Error error;
        error.code = "cli.exception";
        error.message = std::string("The command ended with an exception: ") + exception.what();
        console.error(error);
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
    CLI::App app{"Shows what PyTorch's compiler did: reads trace logs (TORCH_TRACE) and graphs.",
                 "aotscope-cli"};
    app.require_subcommand(1);
    app.fallthrough();
    app.footer("Exit codes: 0 yes, 1 no (differs, failed), 2 usage, 3 unreadable input or unwritable output, "
               "130 interrupted.");
    addGlobalOptions(app, options);
    addCommands(app, chosen);
    if (argc < 2) {
        std::cerr << app.help();
        return ExitUsage;
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::RequiredError& error) {
        const auto unknown = app.remaining();
        if (chosen == nullptr && !unknown.empty()) {
            std::cerr << "There is no command \"" << printable(unknown.front())
                      << "\"; see aotscope-cli --help.\n";
            return ExitUsage;
        }
        app.exit(error, std::cout, std::cerr);
        return ExitUsage;
    } catch (const CLI::ParseError& error) {
        return app.exit(error, std::cout, std::cerr) == 0 ? ExitYes : ExitUsage;
    }
    return perform(chosen, options);
}
