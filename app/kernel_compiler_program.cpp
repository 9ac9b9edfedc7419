// aotscope-kernel-compiler SECONDS BYTES CANDIDATE…: compiles kernels with NVRTC for another process, which
// survives what a text does to the compiler. Requests come on its standard input and answers go to its
// standard output as engine/kernels/compile_wire.h says; people have no use for it.
#include "kernels/compile_wire.h"

#include "base/write_all.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace aotscope;

std::string readAll(int from) {
    std::string bytes;
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t got = ::read(from, buffer.data(), buffer.size());
        if (got > 0) {
            bytes.append(buffer.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            return bytes;
        }
    }
}

/// The wire, moved away from where libraries print to.
int moveOutput() {
    const int out = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    return out >= 0 && ::dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO ? out : -1;
}

void limitMemory(std::size_t bytes) {
#if !defined(__SANITIZE_ADDRESS__) // It takes address space as if there were no end.
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_AS, &limit);
#else
    (void)bytes;
#endif
    const rlimit noCore{0, 0};
    ::setrlimit(RLIMIT_CORE, &noCore);
}

bool answerAll(int out, const kernels::NvrtcLibrary& library, std::string_view requests, unsigned seconds) {
    using Clock = std::chrono::steady_clock;
    while (const auto request = kernels::takeRequest(requests)) {
        // Ends this process when the time is up: NVRTC cannot be stopped otherwise.
        ::alarm(seconds);
        const auto start = Clock::now();
        kernels::WireAnswer answer{library.compile(request->text, request->options)};
        ::alarm(0);
        answer.microseconds = static_cast<std::uint64_t>(
            std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - start).count());
        std::string wire;
        kernels::appendAnswer(wire, answer);
        if (!base::writeAll(out, wire)) {
            return false;
        }
    }
    return requests.empty();
}

} // namespace

int main(int argc, char** argv) {
    constexpr int exitUsage = 2;
    constexpr int firstCandidate = 3;
    const unsigned long seconds = argc > firstCandidate ? std::strtoul(argv[1], nullptr, 10) : 0;
    const unsigned long long memory = argc > firstCandidate ? std::strtoull(argv[2], nullptr, 10) : 0;
    if (seconds == 0 || memory == 0 || ::isatty(STDIN_FILENO) != 0) {
        std::cerr
            << "aotscope-kernel-compiler is started by aotscope and aotscope-cli: it takes kernels on its "
               "standard input.\n";
        return exitUsage;
    }
    const int out = moveOutput();
    limitMemory(memory);
    const std::string requests = readAll(STDIN_FILENO);
    const auto library = kernels::NvrtcLibrary::open({argv + firstCandidate, argv + argc});
    kernels::WireGreeting greeting;
    if (library) {
        greeting = {library->path(), library->version(), library->architectures(), {}};
    } else {
        greeting.troubles = library.error().notes;
    }
    // NVRTC writes where it works into what it makes, which must not depend on it.
    if (::chdir("/") != 0) {
        return EXIT_FAILURE;
    }
    std::string wire;
    kernels::appendGreeting(wire, greeting);
    const bool isDone = out >= 0 && base::writeAll(out, wire) &&
                        (!library || answerAll(out, *library, requests, static_cast<unsigned>(seconds)));
    // Without NVRTC's clean-up, which takes its time.
    std::_Exit(isDone ? EXIT_SUCCESS : EXIT_FAILURE);
}
