// Errors of hooks, measured on a run of the step that is kept for the next question about it, and told as
// soon as each part of them is known.
#include "run_support.h"

#include "remote/remote_backend.h"
#include "session/session.h"

#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

using namespace aotscope;

namespace {

const std::filesystem::path sample = AOTSCOPE_SOURCE_DIR "/resources/sample/transformer_encoder_layer.log";

/// The sample's joint graph, in a session with a backend of its own.
class Measured {
public:
    explicit Measured(session::BackendFactory factory = app::torchBackendFactory())
        : m_session(std::move(factory)) {
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
        session::MeasureHooks command = commandFor(std::move(rules));
        command.options.seed = seed;
        command.eachAlone = eachAlone;
        const auto parts = partsOf(command, {});
        REQUIRE(parts.size() == 1);
        return parts.front();
    }

    /// What arrives one after the other. After `stopAt` the measurement is stopped.
    [[nodiscard]] std::vector<session::HookErrorsSnapshotPtr>
    inParts(std::vector<hooks::HookRule> rules, std::optional<session::HookErrorsPart> stopAt = {}) {
        session::MeasureHooks command = commandFor(std::move(rules));
        command.inParts = true;
        return partsOf(command, stopAt);
    }

    [[nodiscard]] session::HookErrorsSnapshotPtr withText(const std::string& text) {
        session::MeasureHooks command = commandFor({{"", "own"}});
        command.choices.hooks->own.emplace("own", text);
        const auto parts = partsOf(command, {});
        REQUIRE(parts.size() == 1);
        return parts.front();
    }

private:
    [[nodiscard]] session::MeasureHooks commandFor(std::vector<hooks::HookRule> rules) const {
        session::MeasureHooks command;
        command.joint = {m_log->log, load::CompileId::parse("0/0").value(), "joint"};
        command.choices.hooks = hooks::HookPlan{.rules = std::move(rules), .filter = passes::HookFilter::All};
        return command;
    }

    [[nodiscard]] std::vector<session::HookErrorsSnapshotPtr>
    partsOf(const session::MeasureHooks& command, std::optional<session::HookErrorsPart> stopAt) {
        std::vector<session::HookErrorsSnapshotPtr> parts;
        std::stop_source stop;
        m_session.execute(
            command,
            [&](const session::EventBody& body) {
                if (const auto* answer = std::get_if<session::HookErrorsSnapshotPtr>(&body)) {
                    parts.push_back(*answer);
                    if ((*answer)->errors.part == stopAt) {
                        stop.request_stop();
                    }
                }
            },
            stop.get_token());
        return parts;
    }

    session::Session m_session;
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

TEST_CASE("the values' errors arrive before the gradients', and both with the numbers of the whole") {
    const std::vector<hooks::HookRule> rules = {{"", "fp8_e4m3"}};
    const auto whole = Measured()(rules, true);
    Measured changing;
    (void)changing({{"", "bf16"}}, false);
    const auto parts = changing.inParts(rules);
    REQUIRE(parts.size() == 3);
    const session::HookErrors& values = parts[0]->errors;
    const session::HookErrors& together = parts[1]->errors;
    CHECK(values.part == session::HookErrorsPart::Values);
    CHECK(values.together.empty());
    CHECK(together.part == session::HookErrorsPart::Together);
    checkSame(together.together, whole->errors.together);
    for (const session::HookErrors* part : {&values, &together}) {
        REQUIRE(part->hooks.size() == whole->errors.hooks.size());
        for (std::size_t i = 0; i < part->hooks.size(); ++i) {
            CHECK(part->hooks[i].saved == whole->errors.hooks[i].saved);
            CHECK(part->hooks[i].storedBytes == whole->errors.hooks[i].storedBytes);
            checkSame(part->hooks[i].value, whole->errors.hooks[i].value);
            CHECK(part->hooks[i].gradients.empty());
        }
    }
    CHECK(parts[2]->errors.part == session::HookErrorsPart::Alone);
    checkSame(parts[2]->errors, whole->errors);
}

TEST_CASE("from a child process the parts arrive as from here") {
    const std::vector<hooks::HookRule> rules = {{"", "fp8_e4m3"}};
    const auto here = Measured().inParts(rules);
    const char* given = std::getenv("AOTSCOPE_TORCH_MODULE");
    const std::string module = given != nullptr ? given : AOTSCOPE_BINARY_DIR "/lib/libaotscope_torch.so";
    const auto there = Measured([&]() -> base::Result<std::unique_ptr<session::Backend>> {
                           return std::unique_ptr<session::Backend>(std::make_unique<remote::RemoteBackend>(
                               remote::EngineProgram{AOTSCOPE_BINARY_DIR "/bin/aotscope-engine", {module}}));
                       }).inParts(rules);
    REQUIRE(here.size() == 3);
    REQUIRE(there.size() == 3);
    for (std::size_t i = 0; i < here.size(); ++i) {
        CHECK(there[i]->errors.part == here[i]->errors.part);
        checkSame(there[i]->errors, here[i]->errors);
    }
}

TEST_CASE("what is stopped between its parts tells no more, and what follows is as if it had never been") {
    const std::vector<hooks::HookRule> next = {{"", "fp8_e5m2"}};
    const auto whole = Measured()(next, true);
    for (const session::HookErrorsPart last :
         {session::HookErrorsPart::Values, session::HookErrorsPart::Together}) {
        Measured changing;
        const auto stopped = changing.inParts({{"", "fp8_e4m3"}}, last);
        REQUIRE(!stopped.empty());
        CHECK(stopped.back()->errors.part == last);
        checkSame(changing(next, true)->errors, whole->errors);
    }
}

TEST_CASE("a hook that makes numbers a quarter larger has that relative error, and one that adds a half that "
          "mean") {
    Measured measured;
    const std::string hooks = "# dtypes: f32\n"
                              "class pack(torch.nn.Module):\n"
                              "    def forward(self, x):\n"
                              "        y = x CHANGE\n"
                              "        return y\n\n"
                              "class unpack(torch.nn.Module):\n"
                              "    def forward(self, x):\n"
                              "        y = x.clone()\n"
                              "        return y\n";
    const auto with = [&](const std::string& change) {
        std::string text = hooks;
        text.replace(text.find("CHANGE"), 6, change);
        return measured.withText(text);
    };
    const auto larger = with("* 1.25");
    REQUIRE(larger->errors.hooks.size() > 10);
    for (const session::HookError& hook : larger->errors.hooks) {
        CAPTURE(hook.saved);
        CHECK(hook.failure.empty());
        CHECK((hook.value.max == 0 || std::abs(hook.value.relative - 0.25) < 1e-6));
    }
    for (const session::HookError& hook : with("+ 0.5")->errors.hooks) {
        CAPTURE(hook.saved);
        // The largest number here is below 100, where float32 rounds by less than 4e-6.
        CHECK(std::abs(hook.value.max - 0.5) < 1e-5);
        CHECK(std::abs(hook.value.mean - 0.5) < 1e-6);
    }
    // An infinity, and what is no number, differ from any number without bound.
    for (const session::HookError& hook : with("* inf")->errors.hooks) {
        CHECK(std::isinf(hook.value.max));
        CHECK(std::isinf(hook.value.relative));
    }
}
