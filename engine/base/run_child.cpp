#include "base/run_child.h"

#include "base/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <utility>

namespace aotscope::base {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds longestPause(10'000);

Error systemError(std::string_view what, int number) {
    return {.code = "base.program_failed", .message = std::string(what) + ": " + std::strerror(number)};
}

Error late() {
    return {.code = "base.program_late", .message = "took too long and was stopped"};
}

/// Appends the available bytes, keeping at most `most` bytes in all; closes `from` at the end of the stream.
void drain(FileHandle& from, std::string& to, std::size_t most) {
    const auto keep = [&](std::string_view bytes) {
        to += bytes.substr(0, most - std::min(most, to.size()));
        return true;
    };
    if (from.get() >= 0 && !readAvailable(from, keep)) {
        from.close();
    }
}

void feed(FileHandle& to, std::string_view& input) {
    while (!input.empty()) {
        const ssize_t sent = ::send(to.get(), input.data(), input.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            input.remove_prefix(std::size_t(sent));
        } else if (errno != EINTR) {
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                to.close();
            }
            return;
        }
    }
    to.close();
}

struct Streams {
    FileHandle input;
    FileHandle output;
    FileHandle messages;
};

Result<ChildRun> converse(Streams& streams, std::string_view input, const ChildLimits& limits,
                          Clock::time_point deadline, const std::stop_token& stop) {
    const std::optional<SocketPair> wake = SocketPair::make();
    if (!wake || !wake->makeOursNonBlocking()) {
        return systemError("no pipe could be made", errno);
    }
    const std::stop_callback onStop(stop, [fd = wake->theirs.get()] { ::send(fd, "x", 1, MSG_NOSIGNAL); });
    ChildRun run;
    while (streams.output.get() >= 0 || streams.messages.get() >= 0) {
        if (stop.stop_requested()) {
            return canceledError();
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            return late();
        }
        std::array<pollfd, 4> waits{
            pollfd{wake->ours.get(), POLLIN, 0}, pollfd{streams.input.get(), POLLOUT, 0},
            pollfd{streams.output.get(), POLLIN, 0}, pollfd{streams.messages.get(), POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), int(std::min<long long>(left, INT_MAX))) < 0 &&
            errno != EINTR) {
            return systemError("waiting for the program failed", errno);
        }
        if (waits[1].revents != 0 && streams.input.get() >= 0) {
            feed(streams.input, input);
        }
        drain(streams.output, run.output, limits.outputBytes);
        drain(streams.messages, run.messages, limits.messageBytes);
        if (run.output.size() >= limits.outputBytes) {
            return Error{.code = "base.program_failed",
                         .message = "wrote more than " + std::to_string(limits.outputBytes) + " bytes"};
        }
    }
    return run;
}

/// After it has closed its streams a program usually ends at once; one that lives on is killed at the
/// deadline.
Result<int> statusAtEnd(ChildProcess& child, Clock::time_point deadline, const std::stop_token& stop) {
    for (std::chrono::microseconds pause(50);; pause = std::min(2 * pause, longestPause)) {
        siginfo_t ended{};
        if (::waitid(P_PID, id_t(child.id()), &ended, WEXITED | WNOWAIT | WNOHANG) != 0 ||
            ended.si_pid != 0) {
            return child.await();
        }
        if (stop.stop_requested()) {
            return canceledError();
        }
        if (Clock::now() >= deadline) {
            return late();
        }
        std::this_thread::sleep_for(pause);
    }
}

} // namespace

Result<ChildRun> runChild(const std::string& program, const std::vector<std::string>& arguments,
                          std::string_view input, const ChildLimits& limits, const std::stop_token& stop) {
    if (stop.stop_requested()) {
        return canceledError();
    }
    const auto bounded = std::min(limits.time, std::chrono::duration<double>(86'400));
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(bounded);
    std::array<SocketPair, 3> pipes;
    for (SocketPair& pipe : pipes) {
        std::optional<SocketPair> made = SocketPair::make();
        if (!made || !made->makeOursNonBlocking()) {
            return systemError("no pipe could be made", errno);
        }
        pipe = *std::move(made);
    }
    const auto child = ChildProcess::start(
        program, arguments, {pipes[0].theirs.get(), pipes[1].theirs.get(), pipes[2].theirs.get()});
    if (!child) {
        return Error{.code = "base.program_missing", .message = std::strerror(errno)};
    }
    for (SocketPair& pipe : pipes) {
        pipe.theirs.close();
    }
    Streams streams{std::move(pipes[0].ours), std::move(pipes[1].ours), std::move(pipes[2].ours)};
    if (input.empty()) {
        streams.input.close();
    }
    Result<ChildRun> run = converse(streams, input, limits, deadline, stop);
    if (!run) {
        return run;
    }
    AOTSCOPE_TRY(status, statusAtEnd(*child, deadline, stop));
    run->status = status;
    return run;
}

} // namespace aotscope::base
