#include "layout/child_process.h"

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char** environ; // NOLINT: declared by POSIX

namespace aotscope::layout {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t mostOutput = std::size_t{256} << 20U;
constexpr std::size_t mostMessages = 4096;

class FileHandle {
public:
    FileHandle() = default;
    explicit FileHandle(int fd) : m_fd(fd) {}
    FileHandle(FileHandle&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileHandle& operator=(FileHandle&& other) noexcept {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    FileHandle(const FileHandle&) = delete;
    FileHandle& operator=(const FileHandle&) = delete;
    ~FileHandle() { close(); }

    [[nodiscard]] int get() const { return m_fd; }
    void close() {
        if (m_fd >= 0) {
            ::close(m_fd);
            m_fd = -1;
        }
    }

private:
    int m_fd = -1;
};

struct Pipe {
    FileHandle ours;
    FileHandle theirs;
};

/// A pair of connected sockets instead of a pipe, because writing to a socket without a reader can suppress
/// SIGPIPE, which would end this program. Close-on-exec, so that no other child inherits it.
bool makePipe(Pipe& pipe) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return false;
    }
    pipe.ours = FileHandle(ends[0]);
    pipe.theirs = FileHandle(ends[1]);
    return ::fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

/// Kills and reaps the group on destruction.
class ProcessGroup {
public:
    explicit ProcessGroup(pid_t leader) : m_leader(leader) {}
    ProcessGroup(const ProcessGroup&) = delete;
    ProcessGroup& operator=(const ProcessGroup&) = delete;
    ~ProcessGroup() {
        // The leader is not reaped yet, so its id cannot belong to another process.
        ::kill(-m_leader, SIGKILL);
        ::kill(m_leader, SIGKILL);
        while (::waitpid(m_leader, nullptr, 0) < 0 && errno == EINTR) {
        }
    }

private:
    pid_t m_leader;
};

/// Owns the two spawn settings objects.
class SpawnSettings {
public:
    SpawnSettings() {
        ::posix_spawn_file_actions_init(&m_actions);
        ::posix_spawnattr_init(&m_attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&m_actions);
        ::posix_spawnattr_destroy(&m_attributes);
    }

    int spawn(pid_t& pid, const std::string& program, char** arguments, const std::array<int, 3>& streams) {
        for (int i = 0; i < 3; ++i) {
            ::posix_spawn_file_actions_adddup2(&m_actions, streams[std::size_t(i)], i);
        }
        // The child must not inherit the signals that this thread blocks or ignores.
        sigset_t none;
        sigset_t all;
        ::sigemptyset(&none);
        ::sigfillset(&all);
        ::posix_spawnattr_setsigmask(&m_attributes, &none);
        ::posix_spawnattr_setsigdefault(&m_attributes, &all);
        ::posix_spawnattr_setpgroup(&m_attributes, 0);
        ::posix_spawnattr_setflags(&m_attributes,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        return ::posix_spawnp(&pid, program.c_str(), &m_actions, &m_attributes, arguments, environ);
    }

private:
    posix_spawn_file_actions_t m_actions{};
    posix_spawnattr_t m_attributes{};
};

base::Error systemError(std::string_view what, int number) {
    return {.code = "layout.program_failed", .message = std::string(what) + ": " + std::strerror(number)};
}

/// Appends the available bytes, keeping at most `most` bytes in all; closes `from` at the end of the stream.
void drain(FileHandle& from, std::string& to, std::size_t most) {
    std::array<char, 65536> buffer;
    while (from.get() >= 0) {
        const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
        if (got > 0) {
            to.append(buffer.data(), std::min(std::size_t(got), most - std::min(most, to.size())));
        } else if (got < 0 && errno == EINTR) {
            continue;
        } else {
            if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
                from.close();
            }
            return;
        }
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

base::Result<ChildRun> converse(Streams& streams, std::string_view input, Clock::time_point deadline,
                                const std::stop_token& stop) {
    Pipe wake;
    if (!makePipe(wake)) {
        return systemError("no pipe could be made", errno);
    }
    const std::stop_callback onStop(stop, [fd = wake.theirs.get()] { ::send(fd, "x", 1, MSG_NOSIGNAL); });
    ChildRun run;
    while (streams.output.get() >= 0 || streams.messages.get() >= 0) {
        if (stop.stop_requested()) {
            return base::canceledError();
        }
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0) {
            return base::Error{.code = "layout.program_late", .message = "took too long and was stopped"};
        }
        std::array<pollfd, 4> waits{
            pollfd{wake.ours.get(), POLLIN, 0}, pollfd{streams.input.get(), POLLOUT, 0},
            pollfd{streams.output.get(), POLLIN, 0}, pollfd{streams.messages.get(), POLLIN, 0}};
        if (::poll(waits.data(), waits.size(), int(std::min<long long>(left, INT_MAX))) < 0 &&
            errno != EINTR) {
            return systemError("waiting for the program failed", errno);
        }
        if (waits[1].revents != 0 && streams.input.get() >= 0) {
            feed(streams.input, input);
        }
        drain(streams.output, run.output, mostOutput);
        drain(streams.messages, run.messages, mostMessages);
        if (run.output.size() >= mostOutput) {
            return base::Error{.code = "layout.program_failed", .message = "wrote more than 256 MiB"};
        }
    }
    return run;
}

} // namespace

base::Result<ChildRun> runChild(const std::string& program, const std::vector<std::string>& arguments,
                                std::string_view input, std::chrono::duration<double> limit,
                                const std::stop_token& stop) {
    if (stop.stop_requested()) {
        return base::canceledError();
    }
    const auto bounded = std::min(limit, std::chrono::duration<double>(86'400));
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(bounded);
    std::array<Pipe, 3> pipes;
    for (Pipe& pipe : pipes) {
        if (!makePipe(pipe)) {
            return systemError("no pipe could be made", errno);
        }
    }
    std::vector<std::string> words{program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (std::string& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    pid_t pid = -1;
    SpawnSettings settings;
    const int failure = settings.spawn(pid, program, argv.data(),
                                       {pipes[0].theirs.get(), pipes[1].theirs.get(), pipes[2].theirs.get()});
    if (failure != 0) {
        return base::Error{.code = "layout.program_missing", .message = std::strerror(failure)};
    }
    const ProcessGroup group(pid);
    for (Pipe& pipe : pipes) {
        pipe.theirs.close();
    }
    Streams streams{std::move(pipes[0].ours), std::move(pipes[1].ours), std::move(pipes[2].ours)};
    if (input.empty()) {
        streams.input.close();
    }
    return converse(streams, input, deadline, stop);
}

} // namespace aotscope::layout
