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

/// Whether the person named something that is not there, or something that holds several.
[[nodiscard]] bool isChoiceError(const base::Error& error);

/// What a command works with.
struct Program {
    session::Session& session;
    Console& console;
    std::stop_token stop;
    /// Told of a trace that pauses, and answers it (Session::answerPause) before it returns.
    std::function<void(const session::TracePause&)> paused = {};

    /// Shows progress on the console; stopped by Ctrl+C.
    [[nodiscard]] base::Progress progress();

    struct Outcome {
        std::vector<session::EventBody> snapshots;
        std::optional<base::Error> failed;
    };
    /// Executes a command of the engine to its end. Throws Failure when it was canceled.
    [[nodiscard]] Outcome execute(const session::Command& command);

    /// The snapshot of type T the command made; throws Failure with `code` when it failed.
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

    /// Opens files and folders; every log, complete, in the order of their names. Throws Failure
    /// (ExitUnreadable) when one cannot be read, unless `failed` is given to hold the error.
    std::vector<session::LogSnapshotPtr> open(const std::vector<std::filesystem::path>& paths,
                                              bool verifyPayloads = false,
                                              std::optional<base::Error>* failed = nullptr);
};

[[nodiscard]] Failure interrupted();

} // namespace aotscope::cli
