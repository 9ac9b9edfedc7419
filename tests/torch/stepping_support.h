#pragma once

#include "run_support.h"
#include "support/corpus.h"

#include "files/retrace_targets.h"
#include "session/session.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace aotscope::test {

/// A golden file, or its compressed form.
inline std::filesystem::path goldenFile(const std::string& name) {
    std::filesystem::path path = corpusDir() / "golden" / (name + ".json");
    return std::filesystem::exists(path) ? path : path.concat(".xz");
}

/// A call of a compiled function of a file, stepped through by a function.
class SteppedCall {
public:
    using Person = std::function<steps::StepAnswer(const steps::StepPause& pause, std::size_t count)>;

    explicit SteppedCall(const std::filesystem::path& path) : m_session(app::torchBackendFactory()) {
        m_session.execute(session::OpenLogs{{path}}, [&](const session::EventBody& body) {
            if (const auto* log = std::get_if<session::LogSnapshotPtr>(&body); log && (*log)->complete) {
                m_log = *log;
            }
        });
        REQUIRE(m_log);
        const std::vector<session::RetraceTarget> targets = session::retraceTargets(*m_log);
        REQUIRE_FALSE(targets.empty());
        command.log = m_log->log;
        command.target = targets.front();
        command.pauseAtStart = true;
        command.contents = true;
    }

    /// Calls it; `person` answers each pause. Null: the call was ended at a pause.
    session::CallSnapshotPtr call(const Person& person) {
        session::CallSnapshotPtr ended;
        std::size_t count = 0;
        m_session.execute(command, [&](const session::EventBody& body) {
            if (const auto* pause = std::get_if<steps::StepPausePtr>(&body)) {
                m_session.answerStep((*pause)->number, person(**pause, ++count));
            } else if (const auto* call = std::get_if<session::CallSnapshotPtr>(&body)) {
                ended = *call;
            } else if (const auto* failed = std::get_if<session::Failed>(&body)) {
                FAIL(failed->error.text());
            }
        });
        return ended;
    }

    /// Obeys the commands of a person one after the other, then finishes. Returns the pauses.
    std::vector<steps::StepPause> obey(const std::vector<std::string>& commands) {
        std::vector<steps::StepPause> pauses;
        called = call([&](const steps::StepPause& pause, std::size_t count) {
            pauses.push_back(pause);
            return count <= commands.size() ? steps::StepAnswer::parse(commands[count - 1]).value()
                                            : steps::StepAnswer{steps::StepAnswer::Kind::Resume, 0,
                                                                std::vector<steps::StepBreakpoint>()};
        });
        return pauses;
    }

    session::CallCompiled command;
    /// Of the last `obey`.
    session::CallSnapshotPtr called;

private:
    session::Session m_session;
    session::LogSnapshotPtr m_log;
};

/// All of a pause that going back must restore: values with their bits and version counters, and the random
/// generator.
struct StoodState {
    std::vector<steps::ValueDetails> values;
    std::uint64_t generator = 0;
    friend bool operator==(const StoodState&, const StoodState&) = default;

    StoodState() = default;
    explicit StoodState(const steps::StepPause& pause) : values(pause.values), generator(pause.generator) {
        // Numbers hold within a pause: what counts is who has the same one.
        std::map<std::uint64_t, std::uint64_t> tensors;
        std::map<std::uint64_t, std::uint64_t> storages;
        const auto renumber = [](std::map<std::uint64_t, std::uint64_t>& known, std::uint64_t& number) {
            if (number != 0) {
                number = known.emplace(number, known.size() + 1).first->second;
            }
        };
        for (steps::ValueDetails& value : values) {
            renumber(tensors, value.state.tensor);
            renumber(tensors, value.state.base);
            renumber(storages, value.state.storage);
        }
    }

    /// What differs, for the message of a failed check.
    [[nodiscard]] std::string differenceFrom(const StoodState& other) const {
        if (values.size() != other.values.size()) {
            return std::to_string(values.size()) + " values, not " + std::to_string(other.values.size());
        }
        for (std::size_t i = 0; i < values.size(); ++i) {
            const steps::ValueDetails& a = values[i];
            const steps::ValueDetails& b = other.values[i];
            if (a == b) {
                continue;
            }
            return a.state.name + " / " + b.state.name +
                   (a.state.contents != b.state.contents ? " in its elements" : "") +
                   (a.state.version != b.state.version
                        ? " in its version, " + std::to_string(a.state.version) + " and " +
                              std::to_string(b.state.version)
                        : "") +
                   (a.state.storage != b.state.storage || a.state.tensor != b.state.tensor ? " in its numbers"
                                                                                           : "") +
                   (a.state.gradFn != b.state.gradFn || a.state.isLeaf != b.state.isLeaf ? " in autograd"
                                                                                         : "") +
                   (a.state.meta != b.state.meta ? " in its metadata" : "") +
                   (a.minimum != b.minimum || a.mean != b.mean || a.maximum != b.maximum ||
                            a.nanCount != b.nanCount || a.infCount != b.infCount
                        ? " in its statistics"
                        : "") +
                   (a.histogram != b.histogram ? " in its histogram" : "");
        }
        return generator != other.generator ? "the generator" : "";
    }
};

} // namespace aotscope::test
