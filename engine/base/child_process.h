#pragma once

#include <array>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <unistd.h>
#include <utility>
#include <vector>

/// Child processes and what connects them with this one. No shell takes part, no descriptor is leaked to a
/// child, and none stays behind as a zombie.
namespace aotscope::base {

/// Owns a file descriptor.
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

    /// -1: closed.
    [[nodiscard]] int get() const { return m_fd; }
    void close();

private:
    int m_fd = -1;
};

/// A pair of connected sockets instead of a pipe, because writing to a socket without a reader can suppress
/// SIGPIPE, which would end this program. Close-on-exec, so that no other child inherits it.
struct SocketPair {
    /// Nothing: the system has no more; errno says why.
    [[nodiscard]] static std::optional<SocketPair> make();
    /// Reads and writes of `ours` no longer block. False: errno says why.
    [[nodiscard]] bool makeOursNonBlocking() const;

    FileHandle ours;
    FileHandle theirs;
};

/// A running program in a separate process group. The destructor kills and reaps the group. Thread-safe.
class ChildProcess {
public:
    /// Starts a program (found on PATH unless it has a slash) with these descriptors as its standard input,
    /// output and error output; it inherits no others. Null: errno says why.
    [[nodiscard]] static std::unique_ptr<ChildProcess> start(const std::string& program,
                                                             const std::vector<std::string>& arguments,
                                                             const std::array<int, 3>& streams);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

    [[nodiscard]] pid_t id() const { return m_leader; }
    /// Kills the group; nothing if the program has ended and was waited for.
    void kill();
    /// Waits for the end of the program. Returns its status as waitpid gives it.
    int await();

private:
    explicit ChildProcess(pid_t leader) : m_leader(leader) {}

    pid_t m_leader;
    std::mutex m_mutex;
    /// Until it is reaped, its id cannot belong to another process.
    std::optional<int> m_status;
};

/// Passes what can be read now to `take`, a part at a time, until `take` returns false. False: there will be
/// no more. Of a descriptor that does not block.
template<typename Take>
bool readAvailable(const FileHandle& from, Take&& take) {
    std::array<char, 65536> buffer;
    while (true) {
        const ::ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
        if (got > 0) {
            if (!take(std::string_view(buffer.data(), static_cast<std::size_t>(got)))) {
                return true;
            }
        } else if (got == 0 || errno != EINTR) {
            return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
        }
    }
}

/// How a program ended, in words, from its status: "ended by signal 11 (Segmentation fault)", "ended with
/// exit code 3".
[[nodiscard]] std::string exitText(int status);

} // namespace aotscope::base
