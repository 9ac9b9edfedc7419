// aotscope-engine MODULE: an engine for another process. It opens the LibTorch module and speaks on its
// standard input and output as engine/remote says; people have no use for it.
#include "engine_module.h"
#include "remote/serve.h"

#include "base/crash_note.h"
#include "base/log.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <unistd.h>

namespace {

/// The wire, moved away from where libraries print to and read from.
struct Wire {
    int in = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
};

bool moveStandardStreams() {
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    return ::dup2(nothing, STDIN_FILENO) == STDIN_FILENO &&
           ::dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO;
}

} // namespace

int main(int argc, char** argv) {
    constexpr int exitUsage = 2;
    if (argc != 2 || ::isatty(STDIN_FILENO) != 0) {
        std::cerr << "aotscope-engine is started by aotscope and aotscope-cli: aotscope-engine MODULE, with "
                     "messages on its standard input.\n";
        return exitUsage;
    }
    const Wire wire;
    if (wire.in < 0 || wire.out < 0 || !moveStandardStreams()) {
        std::cerr << "aotscope-engine: its standard input and output cannot be used\n";
        return exitUsage;
    }
    // A program that is gone is an error of writing, not a signal.
    std::signal(SIGPIPE, SIG_IGN);
    aotscope::base::configureLog({});
    aotscope::base::tellWhatRanOnCrash();
    const std::string module = argv[1];
    const auto ended = aotscope::remote::serve(
        wire.in, wire.out, [module] { return aotscope::app::openModule(module); },
        // Nobody wants the results of what is still at work, and LibTorch takes its time to clean up.
        [] { std::_Exit(EXIT_SUCCESS); });
    return ended ? EXIT_SUCCESS : EXIT_FAILURE;
}
