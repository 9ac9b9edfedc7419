#pragma once

#include "console.h"
#include "failure.h"

#include "recompile/retraced_files.h"
#include "session/session.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Whether a person named something that does not exist or is ambiguous.
[[nodiscard]] bool isChoiceError(const base::Error& error);

/// What every command works with.
struct Program {
    session::Session& session;
    Console& console;
    std::stop_token stop;
    /// Called when a trace pauses; must answer it (Session::answerPause) before it returns.
    std::function<void(const session::TracePause&)> paused = {};
    /// The same for a call of a compiled function (Session::answerStep).
    std::function<void(const steps::StepPausePtr&)> stepPaused = {};

    /// Reports to the console and stops on Ctrl+C.
    [[nodiscard]] base::Progress progress();

    struct Outcome {
        std::vector<session::EventBody> snapshots;
        std::optional<base::Error> failed;
    };
    /// Executes an engine command until it ends. Throws Failure if it was canceled.
    [[nodiscard]] Outcome execute(const session::Command& command);

    /// The snapshot of type T that the command sent; throws Failure with `code` if the command failed.
    template<typename T>
    [[nodiscard]] T resultOf(const session::Command& command, ExitCode code = ExitNo) {
        Outcome outcome = execute(command);
        if (outcome.failed) {
            throw Failure(isChoiceError(*outcome.failed) ? ExitUsage : code, *outcome.failed);
        }
        for (session::EventBody& body : outcome.snapshots) {
            if (T* snapshot = std::get_if<T>(&body)) {
                return std::move(*snapshot);
            }
        }
        throw Failure(code, {.code = "cli.no_result", .message = "The command gave no result."});
    }

    /// The snapshot of type T that the command sent, null if it sent none, and why the command or what it ran
    /// failed. Never neither.
    template<typename T>
    struct Attempt {
        T snapshot = {};
        std::optional<base::Error> error = {};
    };
    template<typename T>
    [[nodiscard]] Attempt<T> attempt(const session::Command& command) {
        Outcome outcome = execute(command);
        Attempt<T> attempt{{}, std::move(outcome.failed)};
        for (session::EventBody& body : outcome.snapshots) {
            if (T* snapshot = std::get_if<T>(&body)) {
                attempt.snapshot = std::move(*snapshot);
                if constexpr (requires { attempt.snapshot->error; }) {
                    attempt.error = attempt.snapshot->error;
                }
            }
        }
        if (!attempt.snapshot && !attempt.error) {
            attempt.error = base::Error{.code = "cli.no_result", .message = "The command gave no result."};
        }
        return attempt;
    }

    /// A graph of an open file. Throws Failure (ExitNo) with why it cannot be read.
    [[nodiscard]] session::GraphSnapshotPtr graph(const session::ArtifactReference& reference);

    /// A whole file of at most that many bytes. Throws Failure (ExitUnreadable).
    [[nodiscard]] std::string read(const std::filesystem::path& file, std::uint64_t mostBytes);
    /// What `parse` reads in a whole file; its errors name the file.
    template<typename Parse>
    [[nodiscard]] auto readAs(const std::filesystem::path& file, std::uint64_t mostBytes, Parse&& parse) {
        auto parsed = parse(read(file, mostBytes));
        if (!parsed) {
            base::Error error = std::move(parsed).error();
            error.place.file = file.string();
            throw Failure(ExitUnreadable, std::move(error));
        }
        return std::move(parsed).value();
    }

    /// Writes files into a folder, which is created; none: no folder. Throws Failure (ExitUnreadable).
    void write(const std::filesystem::path& folder, const std::vector<session::NamedText>& files);

    /// Opens files and folders and returns every log, completely read, in the order of `paths`. If one cannot
    /// be read, throws Failure (ExitUnreadable), or stores the error in `failed` unless that is null.
    std::vector<session::LogSnapshotPtr> open(const std::vector<std::filesystem::path>& paths,
                                              bool verifyPayloads = false,
                                              std::optional<base::Error>* failed = nullptr);
};

[[nodiscard]] Failure interrupted();

} // namespace aotscope::cli
