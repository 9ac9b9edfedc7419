// Stepping through calls of compiled functions, forward and back in time. What a call stands at after going
// back is compared bit for bit with a call that never did; where a call ends, with the program in eager mode.
#include "stepping_support.h"

#include "support/corpus_case.h"
#include "support/temp_folder.h"

#include <algorithm>
#include <malloc.h>

using namespace aotscope;
using steps::StepAnswer;
using steps::StepBreakpoint;
using steps::StepPause;
using test::SteppedCall;
using test::StoodState;

namespace {

/// The state before each event of a call that only goes forward.
std::vector<StoodState> allStates(SteppedCall& stepped) {
    std::vector<StoodState> states;
    const auto called = stepped.call([&](const StepPause& pause, std::size_t /*count*/) {
        CHECK(pause.next == states.size());
        states.emplace_back(pause);
        const bool ended = pause.next == pause.record->events.size();
        return StepAnswer{ended ? StepAnswer::Kind::Resume : StepAnswer::Kind::Into};
    });
    REQUIRE(called);
    REQUIRE_MESSAGE(!called->record->error, called->record->error->text());
    CHECK(called->record->events.size() + 1 == states.size());
    return states;
}

void checkStands(const StepPause& pause, const std::vector<StoodState>& states) {
    REQUIRE(pause.next < states.size());
    CHECK_MESSAGE(StoodState(pause) == states[pause.next], "before event ", pause.next, ": ",
                  StoodState(pause).differenceFrom(states[pause.next]));
    CHECK_MESSAGE(pause.notes.empty(), pause.notes.front());
}

/// How the call compares with eager, value by value.
std::vector<std::string> besideEager(const session::CallSnapshot& called) {
    REQUIRE(called.record->eager);
    REQUIRE_MESSAGE(called.record->eager->skipped.empty(), called.record->eager->skipped);
    std::vector<std::string> values;
    for (const steps::ComparedValue& value : called.record->eager->values) {
        values.push_back(value.name + " " + value.structure + " " +
                         std::to_string(value.relativeError.value_or(0)) + (value.agrees ? "" : " differs"));
    }
    return values;
}

/// Whether the call ended as close to the program in eager mode as one that never paused.
void checkEnd(const session::CallSnapshotPtr& called, const std::filesystem::path& path) {
    REQUIRE(called);
    SteppedCall whole(path);
    whole.command.pauseAtStart = false;
    CHECK(besideEager(*called) == besideEager(*whole.call({})));
}

/// Training with dropout, inputs mutated in the graph and after it, their storage, batch norm, autocast,
/// aliased outputs, dynamic sizes, a compiled optimizer.
constexpr const char* programs[] = {
    "mlp_sgd",      "dropout_rng",       "mut_input_mul",          "mut_input_inference",   "conv_bn_relu",
    "amp_autocast", "out_alias_input",   "out_alias_intermediate", "dyn_mark_symint_saved", "ac_checkpoint",
    "moe_topk",     "sgd_step_compiled", "set_storage_resize",     "bn_eval_train_mix",     "gcn"};

} // namespace

TEST_CASE("50 events back and forth restore every bit, the random generator and version counters" *
          test::needsCorpus()) {
    for (const char* program : programs) {
        INFO(program);
        SteppedCall stepped(test::goldenFile(program));
        const std::vector<StoodState> states = allStates(stepped);
        const std::size_t there = std::min<std::size_t>(50, states.size() - 1);
        std::size_t back = 0;
        const auto called = stepped.call([&](const StepPause& pause, std::size_t count) {
            checkStands(pause, states);
            // Forward, back, forward again, then to the end.
            if (count <= there) {
                return StepAnswer{StepAnswer::Kind::Into};
            }
            if (back < there) {
                ++back;
                CHECK(pause.next == there - (back - 1));
                return StepAnswer{StepAnswer::Kind::BackInto};
            }
            const bool ended = pause.next == states.size() - 1;
            return StepAnswer{ended ? StepAnswer::Kind::Resume : StepAnswer::Kind::Into};
        });
        CHECK(back == there);
        checkEnd(called, test::goldenFile(program));
    }
}

TEST_CASE("jumps over a call land in the same state, with checkpoints and without any" *
          test::needsCorpus()) {
    for (const char* program : {"dropout_rng", "mut_input_mul", "conv_bn_relu", "bert_tiny"}) {
        SteppedCall stepped(test::goldenFile(program));
        const std::vector<StoodState> states = allStates(stepped);
        for (const std::int64_t limit : {std::int64_t{1} << 30, std::int64_t{20'000}, std::int64_t{0}}) {
            INFO(program, " with ", limit, " bytes");
            stepped.command.checkpointLimit = limit;
            std::mt19937 random(7);
            const auto called = stepped.call([&](const StepPause& pause, std::size_t count) {
                checkStands(pause, states);
                CHECK(pause.checkpointBytes <= pause.checkpointLimit);
                const std::size_t last = states.size() - 1;
                if (count == 1) {
                    return StepAnswer{StepAnswer::Kind::RunTo, last};
                }
                if (count > 12) {
                    return StepAnswer{StepAnswer::Kind::Resume};
                }
                std::size_t event = random() % (last + 1);
                return StepAnswer{StepAnswer::Kind::RunTo, event == pause.next ? (event + 1) % last : event};
            });
            checkEnd(called, test::goldenFile(program));
        }
    }
}

TEST_CASE("going back over the calls of a training loop restores weights and gradients" *
          test::needsCorpus()) {
    SteppedCall stepped(test::goldenFile("mlp_sgd"));
    stepped.command.call.calls = 3;
    stepped.command.call.learningRate = 0.1;
    const std::vector<StoodState> states = allStates(stepped);
    const auto& pauses = stepped.obey({"to " + std::to_string(states.size() - 1), "to 5", "resume-back",
                                       "to " + std::to_string(states.size() / 2), "back", "back", "over"});
    CHECK(pauses.size() >= 8);
    std::vector<std::size_t> calls;
    for (const StepPause& pause : pauses) {
        checkStands(pause, states);
        if (pause.next < pause.record->events.size()) {
            calls.push_back(pause.record->events[pause.next].call);
        }
    }
    CHECK(std::ranges::find(calls, 1U) != calls.end());
    REQUIRE(stepped.called);
    CHECK_FALSE(stepped.called->record->error.has_value());
}

TEST_CASE("a call that is stepped through records what an unpaused one does" * test::needsCorpus()) {
    for (const char* program : {"mlp_sgd", "mut_input_mul", "conv_bn_relu", "dropout_rng"}) {
        INFO(program);
        SteppedCall stepped(test::goldenFile(program));
        stepped.obey({"over", "back", "into", "into", "into", "back-out", "to 9", "to 2", "resume"});
        REQUIRE(stepped.called);
        const steps::CallRecord& record = *stepped.called->record;
        SteppedCall whole(test::goldenFile(program));
        whole.command.pauseAtStart = false;
        const auto called = whole.call({});
        REQUIRE(called);
        REQUIRE(called->record->events.size() == record.events.size());
        for (std::size_t i = 0; i < record.events.size(); ++i) {
            const steps::CallEvent& one = record.events[i];
            const steps::CallEvent& other = called->record->events[i];
            CHECK_MESSAGE((one.kind == other.kind && one.title == other.title && one.depth == other.depth &&
                           one.wrapper == other.wrapper && one.backward == other.backward),
                          i, " ", one.title, " ", other.title);
        }
        REQUIRE(called->record->wrappers.size() == record.wrappers.size());
        for (std::size_t i = 0; i < record.wrappers.size(); ++i) {
            const steps::WrapperCall& one = record.wrappers[i];
            const steps::WrapperCall& other = called->record->wrappers[i];
            INFO(one.name);
            CHECK(one.entry == other.entry);
            CHECK(one.exit == other.exit);
            CHECK(one.arguments == other.arguments);
            CHECK(one.passedOn == other.passedOn);
            CHECK(one.received == other.received);
            CHECK(one.results == other.results);
            CHECK(one.argumentsAfterCall == other.argumentsAfterCall);
            CHECK(one.actions == other.actions);
        }
        CHECK(record.outputs == called->record->outputs);
        CHECK(record.gradients == called->record->gradients);
    }
}

TEST_CASE("requests that cannot be followed say why and leave the call where it is" * test::needsCorpus()) {
    SteppedCall stepped(test::goldenFile("mlp_sgd"));
    const auto pauses = stepped.obey({"back", "resume", "into", "to 100000", "to 3"});
    REQUIRE(pauses.size() >= 6);
    CHECK(pauses[0].next == 0);
    CHECK(pauses[1].next == 0);
    CHECK(pauses[1].refused.find("start of the call") != std::string::npos);
    CHECK(pauses[2].reason == "the end");
    CHECK(pauses[3].next == pauses[2].next);
    CHECK(pauses[3].refused.find("no next event") != std::string::npos);
    CHECK(pauses[4].refused.find("no event 100000") != std::string::npos);
    CHECK(pauses[5].next == 3);
    CHECK(pauses[5].refused.empty());
}

TEST_CASE("a call ended at a pause leaves nothing behind" * test::needsCorpus()) {
    SteppedCall stepped(test::goldenFile("dropout_rng"));
    for (int i = 0; i < 20; ++i) {
        const auto called = stepped.call([&](const StepPause& pause, std::size_t count) {
            return count == 1                     ? StepAnswer{StepAnswer::Kind::RunTo, 14}
                   : count == 2 && pause.next > 4 ? StepAnswer{StepAnswer::Kind::RunTo, pause.next - 4}
                                                  : StepAnswer{StepAnswer::Kind::Abort};
        });
        CHECK(called == nullptr);
    }
    stepped.obey({});
    checkEnd(stepped.called, test::goldenFile("dropout_rng"));
}

TEST_CASE("a node that fails leaves a person before it, who can go back" * test::needsCorpus()) {
    SteppedCall stepped(test::goldenFile("gpt2_2l"));
    const StepPause start = stepped.obey({}).front();
    const auto tokens = std::ranges::find_if(start.values, [](const steps::ValueDetails& value) {
        return value.state.meta && value.state.meta->dtype == ir::DType::Int64 &&
               value.state.meta->shape.size() == 2;
    });
    REQUIRE(tokens != start.values.end());
    const std::int64_t rows = tokens->state.meta->shape[0].integer();
    const std::int64_t columns = tokens->state.meta->shape[1].integer();
    const std::vector<std::int64_t> tooLarge(static_cast<std::size_t>(rows * columns), 10'000'000);
    stepped.command.call.inputs[tokens->state.name] = test::integers({rows, columns}, tooLarge);
    const auto pauses = stepped.obey({"resume", "back", "into"});
    // The last one is the same failure again.
    REQUIRE(pauses.size() == 5);
    CHECK(pauses[1].reason.find("the call failed: ") == 0);
    CHECK(pauses[4].reason == pauses[1].reason);
    CHECK(pauses[1].record->events.at(pauses[1].next).target == "aten.embedding.default");
    CHECK(pauses[2].next + 1 == pauses[1].next);
    CHECK(pauses[3].next == pauses[1].next);
    REQUIRE(stepped.called);
    REQUIRE(stepped.called->record->error.has_value());
    CHECK(pauses[1].reason.find(stepped.called->record->error->message.substr(0, 20)) != std::string::npos);
}

namespace {

/// Stands behind a node that leaves memory as it finds it, before and after a way back over it, while the C
/// library fills new memory with another pattern in each passage.
std::vector<StepPause> overUninitialized(const std::string& call) {
    const test::TempFolder folder;
    const std::string text = "class GraphModule(torch.nn.Module):\n"
                             "    def forward(self, L_x_: \"f32[64, 64][64, 1]cpu\"):\n"
                             "        l_x_ = L_x_\n"
                             "        memory = " +
                             call +
                             "\n"
                             "        sum_1 = memory + memory\n"
                             "        return (sum_1,)\n";
    SteppedCall stepped(folder.write("memory.txt", text));
    stepped.command.breakpoints = {StepBreakpoint::parse("op:add").value()};
    std::vector<StepPause> pauses;
    int pattern = 0;
    const auto called = stepped.call([&](const StepPause& pause, std::size_t count) {
        mallopt(M_PERTURB, ++pattern);
        if (pause.reason.starts_with("breakpoint")) {
            pauses.push_back(pause);
        }
        return StepAnswer{count == 3 ? StepAnswer::Kind::ResumeBack : StepAnswer::Kind::Resume};
    });
    mallopt(M_PERTURB, 0);
    REQUIRE(called);
    REQUIRE_MESSAGE(!called->record->error, called->record->error->text());
    REQUIRE(pauses.size() == 2);
    return pauses;
}

} // namespace

TEST_CASE("memory that nobody writes is the same in each passage") {
    const auto pauses = overUninitialized("torch.empty(64, 64)");
    CHECK(StoodState(pauses[0]) == StoodState(pauses[1]));
    CHECK(pauses[1].notes.empty());
}

TEST_CASE("an operator that cannot be repeated says so") {
    const auto pauses = overUninitialized("torch.ops.aten.resize.default(l_x_, [128, 128])");
    CHECK(pauses[0].notes.empty());
    REQUIRE(pauses[1].notes.size() == 1);
    CHECK(pauses[1].notes.front().find("aten.resize.default") != std::string::npos);
    CHECK(pauses[1].notes.front().find("cannot be repeated") != std::string::npos);
}
