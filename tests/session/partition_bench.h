#pragma once

#include "session/session.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::test {

/// What a command told.
struct Answer {
    std::vector<session::EventBody> bodies;

    template<typename T>
    [[nodiscard]] T get() const {
        for (const session::EventBody& body : bodies) {
            if (const T* found = std::get_if<T>(&body)) {
                return *found;
            }
        }
        return {};
    }
    [[nodiscard]] std::string error() const {
        for (const session::EventBody& body : bodies) {
            if (const auto* failed = std::get_if<session::Failed>(&body)) {
                return failed->error.code;
            }
        }
        return {};
    }
    template<typename T>
    [[nodiscard]] bool has() const {
        return std::ranges::any_of(bodies, [](const auto& body) { return std::holds_alternative<T>(body); });
    }
};

/// A session with one open log.
struct Bench {
    session::Session session;
    session::LogSnapshotPtr log;

    explicit Bench(const std::filesystem::path& path, session::BackendFactory factory = {})
        : session(std::move(factory)) {
        ask(session::OpenLogs{{path}, false});
        log = session.logs().back();
    }
    Answer ask(const session::Command& command, std::stop_token stop = {}) {
        Answer answer;
        session.execute(
            command, [&](session::EventBody body) { answer.bodies.push_back(std::move(body)); },
            std::move(stop));
        return answer;
    }
    [[nodiscard]] session::ArtifactReference reference(const std::string& artifact) const {
        return {log->log, load::CompileId::parse("0/0").value(), artifact};
    }
    session::PartitionSnapshotPtr split(const session::PartitionChoices& choices = {}) {
        return ask(session::PartitionJoint{reference("joint"), choices}).get<session::PartitionSnapshotPtr>();
    }
};

inline session::PartitionChoices forcing(const std::string& node, passes::Forced choice) {
    session::PartitionChoices choices;
    choices.nodes.push_back({node, choice});
    return choices;
}

} // namespace aotscope::test
