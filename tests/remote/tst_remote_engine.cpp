// The engine's side of a conversation with anything but this program.
#include "call_message.h"
#include "support/fake_backend.h"
#include "support/small_graphs.h"

#include "remote/message.h"
#include "remote/serve.h"
#include "remote/values.h"

#include "base/child_process.h"
#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <vector>

using namespace aotscope;

namespace {

/// What an engine that is sent these bytes says before it hangs up.
std::vector<remote::Message> saidTo(std::string_view bytes, base::Result<void>& ended) {
    auto pair = base::SocketPair::make();
    REQUIRE(pair);
    std::jthread engine([&] {
        ended = remote::serve(pair->theirs.get(), pair->theirs.get(),
                              test::fakeBackendFactory(std::make_shared<test::FakeBackendControl>()));
        pair->theirs.close();
    });
    while (!bytes.empty()) {
        const ssize_t sent = ::send(pair->ours.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0) {
            break;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    ::shutdown(pair->ours.get(), SHUT_WR);
    remote::MessageReader reader;
    std::vector<remote::Message> messages;
    std::array<char, 4096> buffer;
    for (ssize_t got = 1; got > 0;) {
        got = ::recv(pair->ours.get(), buffer.data(), buffer.size(), 0);
        REQUIRE(
            reader.read({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}, messages).ok());
    }
    return messages;
}

/// A backend that pauses once, in traces and in calls, and follows the answer.
session::BackendFactory pausing() {
    const auto control = std::make_shared<test::FakeBackendControl>();
    control->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses& pauses,
                            base::Progress&) -> base::Result<aot::RetraceResult> {
        return pauses.onPause({}).kind == session::PauseAnswer::Kind::Abort
                   ? base::Result<aot::RetraceResult>(base::canceledError())
                   : aot::RetraceResult();
    };
    control->onCall = [](const session::CallRequest&, const steps::StepPauses& pauses,
                         base::Progress&) -> base::Result<steps::CallRecord> {
        return pauses.onPause({}).kind == steps::StepAnswer::Kind::Abort
                   ? base::Result<steps::CallRecord>(base::canceledError())
                   : steps::CallRecord();
    };
    return test::fakeBackendFactory(control);
}

/// How an engine ends a call, at whose only pause it gets this answer.
base::Error errorAfterPause(const remote::Message& call, const std::string& answer) {
    auto pair = base::SocketPair::make();
    REQUIRE(pair);
    std::jthread engine([&] {
        (void)remote::serve(pair->theirs.get(), pair->theirs.get(), pausing());
        pair->theirs.close();
    });
    const int wire = pair->ours.get();
    REQUIRE(remote::writeMessage(wire, call).ok());
    remote::MessageReader reader;
    std::array<char, 4096> buffer;
    base::Error error;
    for (ssize_t got = 1; got > 0;) {
        got = ::recv(wire, buffer.data(), buffer.size(), 0);
        std::vector<remote::Message> messages;
        REQUIRE(
            reader.read({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))}, messages).ok());
        for (const remote::Message& message : messages) {
            if (message.kind == remote::MessageKind::Pause) {
                REQUIRE(
                    remote::writeMessage(wire, {remote::MessageKind::PauseAnswer, call.call, answer}).ok());
            } else if (message.kind != remote::MessageKind::Hello) {
                // That was the end of the call.
                CHECK(message.kind == remote::MessageKind::Failure);
                const auto failure = remote::decode<remote::Failure>(message.body);
                error = failure.ok() ? failure->error : failure.error();
                ::shutdown(wire, SHUT_WR);
            }
        }
    }
    return error;
}

} // namespace

TEST_CASE("an answer to a pause that cannot be read ends the call with what is wrong with it") {
    const ir::GraphPtr graph = ir::parseGraphText(test::smallGraphText()).value();
    session::RetraceCall trace;
    trace.request.program = graph;
    trace.pauses.onPause = [](const session::TracePause&) { return session::PauseAnswer(); };
    const remote::Message retrace = test::messageOf(trace);
    session::FunctionCall function;
    function.request.request.program = graph;
    function.request.function.graph = graph;
    function.pauses.onPause = [](const steps::StepPause&) { return steps::StepAnswer(); };
    const remote::Message call = test::messageOf(function);
    for (const remote::Message& begun : {retrace, call}) {
        INFO((begun == call ? "a call" : "a trace"));
        const base::Error noCbor = errorAfterPause(begun, "go on");
        CHECK(noCbor.code == "remote.malformed");
        CHECK(noCbor.notes == std::vector<std::string>{"It was the answer to a pause."});
        // A value, but none that is an answer.
        const base::Error noAnswer = errorAfterPause(begun, remote::encode(std::string("resume")));
        CHECK(noAnswer.code == "remote.malformed");
        CHECK(noAnswer.message.find("expected an object") != std::string::npos);
    }
    const auto abort = remote::encode(session::PauseAnswer{session::PauseAnswer::Kind::Abort});
    CHECK(base::isCanceled(errorAfterPause(retrace, abort)));
}

TEST_CASE("an engine that is sent anything says what is wrong and gives up") {
    base::Result<void> ended;
    auto messages = saidTo("GET / HTTP/1.1\r\nHost: engine\r\n\r\n", ended);
    REQUIRE_FALSE(ended.ok());
    CHECK(ended.error().code == "remote.not_a_message");
    REQUIRE(messages.size() == 2);
    CHECK(messages[0].kind == remote::MessageKind::Hello);
    CHECK(messages[1].kind == remote::MessageKind::Failure);
    CHECK(messages[1].call == 0);
    CHECK(remote::decode<remote::Failure>(messages[1].body)->error.code == "remote.not_a_message");
    messages = saidTo("aot", ended);
    CHECK(ended.error().code == "remote.cut_off");
    messages = saidTo("", ended);
    CHECK(ended.ok());
    CHECK(messages.size() == 1);
}

TEST_CASE("an engine answers calls with damaged bodies with failures") {
    const remote::Message call =
        test::messageOf(session::RunCall{ir::parseGraphText(test::smallGraphText()).value(), {}});
    std::mt19937 random(3); // NOLINT: the same bytes each time
    int failures = 0;
    for (int times = 0; times < 200; ++times) {
        std::string changed = call.body.substr(0, random() % call.body.size());
        if (!changed.empty()) {
            changed[random() % changed.size()] = static_cast<char>(random());
        }
        auto pair = base::SocketPair::make();
        REQUIRE(pair);
        REQUIRE(remote::writeMessage(pair->ours.get(), {call.kind, 1, changed}).ok());
        std::string bytes(1 << 16, '\0');
        bytes.resize(static_cast<std::size_t>(::recv(pair->theirs.get(), bytes.data(), bytes.size(), 0)));
        base::Result<void> ended;
        const auto messages = saidTo(bytes, ended);
        CHECK(ended.ok());
        for (const remote::Message& message : messages) {
            failures += message.kind == remote::MessageKind::Failure && message.call == 1 ? 1 : 0;
        }
    }
    CHECK(failures == 200);
}
