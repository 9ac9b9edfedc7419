#pragma once

#include "support/event_log.h"

#include "session/session.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace aotscope::test {

/// What a command told, from its start to its end.
struct Outcome {
    std::vector<session::EventBody> bodies;

    template<typename T>
    [[nodiscard]] std::vector<T> all() const {
        std::vector<T> found;
        for (const session::EventBody& body : bodies) {
            if (const T* value = std::get_if<T>(&body)) {
                found.push_back(*value);
            }
        }
        return found;
    }
    [[nodiscard]] bool finished() const { return std::holds_alternative<session::Finished>(bodies.back()); }
    [[nodiscard]] bool canceled() const { return std::holds_alternative<session::Canceled>(bodies.back()); }
    [[nodiscard]] const base::Error& error() const { return std::get<session::Failed>(bodies.back()).error; }
};

/// Carries out a command; it must start and end exactly once.
inline Outcome execute(session::Session& session, const session::Command& command,
                       std::stop_token stop = {}) {
    Outcome outcome;
    session.execute(
        command, [&](session::EventBody body) { outcome.bodies.push_back(std::move(body)); },
        std::move(stop));
    CHECK(std::holds_alternative<session::Started>(outcome.bodies.front()));
    CHECK(std::ranges::count_if(outcome.bodies, isEnd) == 1);
    CHECK(isEnd(outcome.bodies.back()));
    return outcome;
}

inline session::ArtifactReference reference(std::uint32_t log, std::string_view id, std::string artifact) {
    session::ArtifactReference made;
    made.log = log;
    made.compile = load::CompileId::parse(id).value();
    made.artifact = std::move(artifact);
    return made;
}

} // namespace aotscope::test
