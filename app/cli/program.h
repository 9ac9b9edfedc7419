#pragma once

#include "console.h"
#include "failure.h"

#include "session/session.h"

#include <filesystem>
#include <functional>
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
        base::Error error;
        error.code = "cli.no_result";
        error.message = "The command gave no result.";
        throw Failure(code, std::move(error));
    }

    /// Opens files and folders and returns every log, completely read, in the order of `paths`. If one cannot
    /// be read, throws Failure (ExitUnreadable), or stores the error in `failed` unless that is null.
    std::vector<session::LogSnapshotPtr> open(const std::vector<std::filesystem::path>& paths,
                                              bool verifyPayloads = false,
                                              std::optional<base::Error>* failed = nullptr);
};

[[nodiscard]] Failure interrupted();

} // namespace aotscope::cli
