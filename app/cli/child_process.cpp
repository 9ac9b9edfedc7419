#include "child_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace aotscope::cli {

namespace {

/// A pipe whose ends close with it.
struct Pipe {
    std::array<int, 2> ends{-1, -1};

    Pipe() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
            ends = {-1, -1};
        }
    }
    ~Pipe() {
        close(0);
        close(1);
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;

    [[nodiscard]] bool valid() const { return ends[0] >= 0; }
    void close(std::size_t end) {
        if (ends.at(end) >= 0) {
            ::close(ends.at(end));
            ends.at(end) = -1;
        }
    }
};

base::Error programError(std::string code, std::string message) {
    base::Error error;
    error.code = std::move(code);
    error.message = std::move(message);
    return error;
}

/// Appends what can be read; false at the end.
bool drain(int end, std::string& text) {
    std::array<char, 65536> buffer{};
    const auto count = ::read(end, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (count <= 0) {
        return false;
    }
    text.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

/// Feeds and reads until the child has closed both its ends; false when stopped.
bool converse(Pipe& in, Pipe& out, Pipe& err, std::string_view input, const std::stop_token& stop,
              std::string& output, std::string& messages) {
    constexpr int milliseconds = 50;
    while (out.ends[0] >= 0 || err.ends[0] >= 0) {
        if (stop.stop_requested()) {
            return false;
        }
        if (input.empty()) {
            in.close(1);
        }
        std::array<pollfd, 3> polled{pollfd{out.ends[0], POLLIN, 0}, pollfd{err.ends[0], POLLIN, 0},
                                     pollfd{in.ends[1], POLLOUT, 0}};
        if (::poll(polled.data(), polled.size(), milliseconds) < 0 && errno != EINTR) {
            return true;
        }
        if (polled[0].revents != 0 && !drain(out.ends[0], output)) {
            out.close(0);
        }
        if (polled[1].revents != 0 && !drain(err.ends[0], messages)) {
            err.close(0);
        }
        if (polled[2].revents != 0) {
            const auto count = ::write(in.ends[1], input.data(), input.size());
            if (count > 0) {
                input.remove_prefix(static_cast<std::size_t>(count));
            } else if (count < 0 && errno != EINTR && errno != EAGAIN) {
                // The child reads no more; what it says of it is in its messages.
                input = {};
            }
        }
    }
    return true;
}

} // namespace

base::Result<std::string> runProgram(const std::vector<std::string>& arguments, std::string_view input,
                                     const std::stop_token& stop) {
    Pipe in;
    Pipe out;
    Pipe err;
    if (!in.valid() || !out.valid() || !err.valid()) {
        return programError("cli.program_failed", std::string("No pipe: ") + std::strerror(errno));
    }
    ::fcntl(in.ends[1], F_SETFL, O_NONBLOCK);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.ends[0], STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
    std::vector<char*> argv;
    for (const std::string& argument : arguments) {
        argv.push_back(const_cast<char*>(argument.c_str())); // NOLINT: posix_spawn does not write to them
    }
    argv.push_back(nullptr);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), environ);
    ::posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) {
        return programError("cli.no_such_program",
                            "Cannot start " + arguments.front() + ": " + std::strerror(failed));
    }
    in.close(0);
    out.close(1);
    err.close(1);
    std::string output;
    std::string messages;
    const bool finished = converse(in, out, err, input, stop, output, messages);
    if (!finished) {
        ::kill(child, SIGKILL);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!finished) {
        return base::canceledError();
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        base::Error error = programError("cli.program_failed", arguments.front() + " failed.");
        error.notes.push_back(messages.substr(0, 2000));
        return error;
    }
    return output;
}

} // namespace aotscope::cli
