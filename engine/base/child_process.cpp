#include "base/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT: declared by POSIX

namespace aotscope::base {

namespace {

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
#if defined(__GLIBC_PREREQ)
#if __GLIBC_PREREQ(2, 34)
        // What others opened without close-on-exec.
        ::posix_spawn_file_actions_addclosefrom_np(&m_actions, 3);
#endif
#endif
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

} // namespace

void FileHandle::close() {
    if (m_fd >= 0) {
        ::close(m_fd);
        m_fd = -1;
    }
}

std::optional<SocketPair> SocketPair::make() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return std::nullopt;
    }
    SocketPair pair;
    pair.ours = FileHandle(ends[0]);
    pair.theirs = FileHandle(ends[1]);
    return pair;
}

bool SocketPair::makeOursNonBlocking() const {
    return ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) == 0;
}

std::unique_ptr<ChildProcess> ChildProcess::start(const std::string& program,
                                                  const std::vector<std::string>& arguments,
                                                  const std::array<int, 3>& streams) {
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
    const int failure = settings.spawn(pid, program, argv.data(), streams);
    if (failure != 0) {
        errno = failure;
        return nullptr;
    }
    return std::unique_ptr<ChildProcess>(new ChildProcess(pid)); // NOLINT: the constructor is private
}

ChildProcess::~ChildProcess() {
    kill();
    (void)await();
}

void ChildProcess::kill() {
    const std::lock_guard lock(m_mutex);
    if (!m_status) {
        ::kill(-m_leader, SIGKILL);
        ::kill(m_leader, SIGKILL);
    }
}

int ChildProcess::await() {
    // Waiting does not reap yet, so that another thread can kill meanwhile.
    siginfo_t ended;
    while (::waitid(P_PID, static_cast<id_t>(m_leader), &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
    }
    const std::lock_guard lock(m_mutex);
    if (!m_status) {
        // Its own children would otherwise outlive it.
        ::kill(-m_leader, SIGKILL);
        int status = 0;
        while (::waitpid(m_leader, &status, 0) < 0 && errno == EINTR) {
        }
        m_status = status;
    }
    return *m_status;
}

std::string exitText(int status) {
    if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        return "ended by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
    }
    return "ended with exit code " + std::to_string(WEXITSTATUS(status));
}

} // namespace aotscope::base
