#include "commands.h"

#include "base/log.h"
#include "cache/entry_folder.h"
#include "files/reproducer.h"

#ifdef AOTSCOPE_HAS_TORCH
#include "torch_module.h"
#endif

#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <iostream>
#include <stop_token>
#include <thread>
#include <unistd.h>

namespace aotscope::cli {

namespace {

/// Global, because a signal handler cannot reach an object.
std::atomic<int> writeEnd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void onSignal(int number) {
    const int saved = errno;
    const char byte = 's';
    [[maybe_unused]] const auto written = ::write(writeEnd.load(), &byte, 1);
    // A second signal ends the process.
    std::signal(number, SIG_DFL);
    errno = saved;
}

/// While an object exists, the first Ctrl+C (SIGINT) or SIGTERM becomes a stop request; a second one ends the
/// process at once. At most one object may exist at a time.
class Interrupts {
public:
    Interrupts();
    ~Interrupts();
    Interrupts(const Interrupts&) = delete;
    Interrupts& operator=(const Interrupts&) = delete;

    [[nodiscard]] std::stop_token stopToken() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    int m_readEnd = -1;
    std::jthread m_thread;
};

Interrupts::Interrupts() {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    m_readEnd = ends[0];
    writeEnd = ends[1];
    m_thread = std::jthread([this] {
        char byte = 0;
        while (true) {
            const auto count = ::read(m_readEnd, &byte, 1);
            if (count < 0 && errno == EINTR) {
                continue;
            }
            if (count == 1 && byte == 's') {
                m_stop.request_stop();
                continue;
            }
            return;
        }
    });
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
}

Interrupts::~Interrupts() {
    if (m_readEnd < 0) {
        return;
    }
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    const char byte = 'q';
    [[maybe_unused]] const auto written = ::write(writeEnd.load(), &byte, 1);
    m_thread.join();
    ::close(writeEnd.exchange(-1));
    ::close(m_readEnd);
}

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
