#pragma once

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <functional>
#include <poll.h>
#include <spawn.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace aotscope::test {

/// A program that ran: what it wrote and how it ended.
struct Ran {
    std::string out;
    std::string err;
    /// Exit code, or 128 + the signal that ended it.
    int code = 0;
};

/// Runs a program without a shell. `onOutput`, if set, is called with the child's process id whenever output
/// arrived; `input` is the file for its stdin.
[[nodiscard]] inline Ran runChild(std::vector<std::string> arguments,
                                  const std::vector<std::string>& environment = {},
                                  const std::function<void(pid_t, const Ran&)>& onOutput = {},
                                  const std::string& input = "/dev/null") {
    std::array<int, 2> out{};
    std::array<int, 2> err{};
    if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input.c_str(), O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    std::vector<char*> argv;
    for (std::string& argument : arguments) {
        argv.push_back(argument.data());
    }
    argv.push_back(nullptr);
    std::vector<std::string> variables = environment;
    for (char** variable = environ; *variable; ++variable) {
        variables.emplace_back(*variable);
    }
    std::vector<char*> envp;
    for (std::string& variable : variables) {
        envp.push_back(variable.data());
    }
    envp.push_back(nullptr);
    pid_t child = 0;
    const int failed = ::posix_spawnp(&child, argv.front(), &actions, nullptr, argv.data(), envp.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(out[1]);
    ::close(err[1]);
    if (failed != 0) {
        throw std::runtime_error("cannot start " + arguments.front());
    }
    Ran ran;
    std::array<pollfd, 2> polled{pollfd{out[0], POLLIN, 0}, pollfd{err[0], POLLIN, 0}};
    const std::array<std::string*, 2> texts{&ran.out, &ran.err};
    while (polled[0].fd >= 0 || polled[1].fd >= 0) {
        ::poll(polled.data(), polled.size(), -1);
        for (std::size_t i = 0; i < polled.size(); ++i) {
            std::array<char, 65536> buffer{};
            if (polled.at(i).fd < 0 || polled.at(i).revents == 0) {
                continue;
            }
            const auto count = ::read(polled.at(i).fd, buffer.data(), buffer.size());
            if (count <= 0) {
                ::close(polled.at(i).fd);
                polled.at(i).fd = -1;
                continue;
            }
            texts.at(i)->append(buffer.data(), static_cast<std::size_t>(count));
            if (onOutput) {
                onOutput(child, ran);
            }
        }
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    ran.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ran;
}

} // namespace aotscope::test
