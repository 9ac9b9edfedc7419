// Errors of hooks, measured on a run of the step that is kept for the next question about it.
#include "run_support.h"

#include "session/session.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace aotscope;

namespace {

const std::filesystem::path sample = AOTSCOPE_SOURCE_DIR "/resources/sample/transformer_encoder_layer.log";

/// The sample's joint graph, in a session with a backend of its own.
class Measured {
public:
    Measured() {
        m_session.execute(session::OpenLogs{{sample}}, [&](const session::EventBody& body) {
            if (const auto* opened = std::get_if<session::LogSnapshotPtr>(&body);
                opened && (*opened)->complete) {
                m_log = *opened;
            }
        });
        REQUIRE(m_log);
    }

    [[nodiscard]] session::HookErrorsSnapshotPtr operator()(std::vector<hooks::HookRule> rules,
                                                            bool eachAlone, std::uint64_t seed = 0) {
        session::MeasureHooks command;
        command.joint = {m_log->log, load::CompileId::parse("0/0").value(), "joint"};
        command.choices.hooks = hooks::HookPlan{.rules = std::move(rules), .filter = passes::HookFilter::All};
        command.options.seed = seed;
        command.eachAlone = eachAlone;
        session::HookErrorsSnapshotPtr measured;
        m_session.execute(command, [&](const session::EventBody& body) {
            if (const auto* answer = std::get_if<session::HookErrorsSnapshotPtr>(&body)) {
                measured = *answer;
            }
        });
        REQUIRE(measured);
        return measured;
    }

private:
    session::Session m_session{app::torchBackendFactory()};
    session::LogSnapshotPtr m_log;
};

void checkSame(const session::RoundTripError& left, const session::RoundTripError& right) {
    CHECK(left.max == right.max);
    CHECK(left.mean == right.mean);
    CHECK(left.relative == right.relative);
}

void checkSame(const std::vector<session::GradientError>& left,
               const std::vector<session::GradientError>& right) {
    REQUIRE(left.size() == right.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        CHECK(left[i].gradient == right[i].gradient);
        checkSame(left[i].error, right[i].error);
    }
}

void checkSame(const session::HookErrors& left, const session::HookErrors& right) {
    REQUIRE(left.hooks.size() == right.hooks.size());
    for (std::size_t i = 0; i < left.hooks.size(); ++i) {
        CAPTURE(left.hooks[i].saved);
        CHECK(left.hooks[i].saved == right.hooks[i].saved);
        CHECK(left.hooks[i].failure == right.hooks[i].failure);
        CHECK(left.hooks[i].storedBytes == right.hooks[i].storedBytes);
        checkSame(left.hooks[i].value, right.hooks[i].value);
        checkSame(left.hooks[i].gradients, right.hooks[i].gradients);
    }
    checkSame(left.together, right.together);
}

} // namespace

TEST_CASE("what is measured after a change equals what is measured from the beginning") {
    Measured changing;
    const auto first = changing({{"", "bf16"}}, false);
    REQUIRE(first->errors.hooks.size() > 10);
    const std::string one = first->errors.hooks[3].saved;
    CHECK(first->errors.hooks[3].gradients.empty());

    // One tensor's hook is changed, then all but it, then the run itself.
    const std::vector<hooks::HookRule> oneChanged = {{"name:" + one, "fp8_e4m3"}, {"", "bf16"}};
    const auto second = changing(oneChanged, true);
    checkSame(second->errors, Measured()(oneChanged, true)->errors);
    CHECK(second->errors.hooks[3].value.max > first->errors.hooks[3].value.max);
    const std::vector<hooks::HookRule> allChanged = {{"", "fp8_e4m3"}};
    checkSame(changing(allChanged, true)->errors, Measured()(allChanged, true)->errors);
    const auto otherRun = changing(allChanged, false, 1);
    checkSame(otherRun->errors, Measured()(allChanged, false, 1)->errors);
    CHECK(otherRun->errors.hooks[3].value.max != second->errors.hooks[3].value.max);
}
