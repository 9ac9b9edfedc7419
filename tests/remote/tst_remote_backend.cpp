// A backend in a child process, over the program fake_engine: what works, what is stopped, and every way in
// which a process can be of no use.
#include "call_message.h"
#include "support/fake_backend.h"
#include "support/small_graphs.h"

#include "remote/remote_backend.h"
#include "remote/serve.h"
#include "remote/values.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <random>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace aotscope;
using namespace std::chrono_literals;
using session::PauseAnswer;

namespace {

remote::EngineProgram fakeEngine(const std::string& mode, std::chrono::milliseconds grace = 60s) {
    return {AOTSCOPE_BINARY_DIR "/bin/fake_engine", {mode}, grace};
}

ir::GraphPtr sampleGraph() {
    return ir::parseGraphText(test::smallGraphText()).value();
}

/// Stops when the work has begun, as progress tells.
base::Progress stoppedAtWork(const std::stop_source& stop) {
    return {[stop](const base::ProgressState&) mutable { stop.request_stop(); }, stop.get_token()};
}

base::Error failureOf(remote::RemoteBackend& backend) {
    const auto ran = backend.answer(session::RunCall{sampleGraph(), {}});
    REQUIRE_FALSE(ran.ok());
    return ran.error();
}

pid_t processOf(remote::RemoteBackend& backend) {
    const auto process = backend.process();
    REQUIRE(process.ok());
    return (*process)->id();
}

std::size_t openDescriptors() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        count += entry.path().empty() ? 0 : 1;
    }
    return count;
}

bool hasNoChildren() {
    return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD;
}

aot::RetraceRequest sampleRequest() {
    aot::RetraceRequest request;
    request.program = sampleGraph();
    return request;
}

} // namespace

TEST_CASE("a run in a child process gives what it gives here") {
    remote::RemoteBackend backend(fakeEngine("works"));
    CHECK(backend.description() == "fake backend, in a process of its own");
    const ir::GraphPtr graph = sampleGraph();
    session::RunOptions options;
    options.seed = 3;
    const auto ran = backend.answer(session::RunCall{graph, options});
    REQUIRE_MESSAGE(ran.ok(), (ran.ok() ? "" : ran.error().text()));
    const session::RunSnapshot expected = test::FakeBackend::everyNodeRan(*graph, options);
    CHECK((remote::encode(*ran, {graph}) == remote::encode(expected, {graph})));
    test::FakeBackend here(std::make_shared<test::FakeBackendControl>());
    CHECK(backend.answer(session::SchemasCall()).value() == here.answer(session::SchemasCall()).value());
    const auto coverage = backend.answer(session::CoverageCall());
    REQUIRE(coverage.ok());
    REQUIRE(coverage->size() == 1);
    CHECK(coverage->front().name == "Tensor.add");
}

TEST_CASE("an engine without an answer is none without operators") {
    remote::RemoteBackend broken(fakeEngine("knows nothing"));
    CHECK(broken.answer(session::SchemasCall()).error().code == "fake.broken");
    CHECK(broken.answer(session::CoverageCall()).error().hint == "Look.");
    remote::RemoteBackend ended(fakeEngine("ends at once"));
    CHECK(ended.answer(session::SchemasCall()).error().code == "remote.ended");
    CHECK(ended.answer(session::CoverageCall()).error().code == "remote.ended");
}

TEST_CASE("a trace pauses in the child process, and its answers get there") {
    remote::RemoteBackend backend(fakeEngine("works"));
    const aot::RetraceRequest request = sampleRequest();
    session::TracePauses pauses;
    pauses.atStart = true;
    std::vector<std::string> met;
    const std::thread::id here = std::this_thread::get_id();
    pauses.onPause = [&](session::TracePause pause) {
        CHECK(std::this_thread::get_id() == here);
        CHECK(pause.graph == request.program);
        met.push_back(pause.node);
        const auto kind = met.size() < 3 ? PauseAnswer::Kind::NextOperator : PauseAnswer::Kind::Resume;
        return PauseAnswer{kind, "fact " + std::to_string(met.size())};
    };
    const auto result = backend.answer(session::RetraceCall{request, pauses});
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().text()));
    CHECK(met == std::vector<std::string>{"arg0_1", "add", "relu"});
    CHECK(result->notes == std::vector<std::string>{"arg0_1: fact 1", "add: fact 2", "relu: fact 3"});
    CHECK(result->function.graph == request.program);
    // Without pauses it goes through.
    CHECK(backend.answer(session::RetraceCall{request})->notes.empty());
}

TEST_CASE("a call of a function pauses in the child process, and runs beside a reference work there") {
    remote::RemoteBackend backend(fakeEngine("works"));
    session::CallRequest request;
    request.request = sampleRequest();
    request.function.graph = request.request.program;
    request.options.calls = 3;
    steps::StepPauses pauses;
    pauses.atEnd = true;
    pauses.onPause = [](const steps::StepPause& pause) {
        CHECK(pause.reason == "start");
        CHECK(pause.record->notes.size() == 1);
        return steps::StepAnswer{steps::StepAnswer::Kind::RunTo, 12};
    };
    const auto called = backend.answer(session::FunctionCall{request, pauses});
    REQUIRE_MESSAGE(called.ok(), (called.ok() ? "" : called.error().text()));
    CHECK(called->notes == std::vector<std::string>{"3 calls", "to event 12"});
    CHECK(backend.answer(session::FunctionCall{request})->notes.size() == 1);
    const ir::GraphPtr graph = sampleGraph();
    CHECK(backend.answer(session::ReferenceCall{graph, graph, {}})->backend == "fake backend");
}

TEST_CASE("while a trace is paused, the same process runs graphs") {
    remote::RemoteBackend backend(fakeEngine("works"));
    session::TracePauses pauses;
    pauses.atStart = true;
    pid_t first = 0;
    pauses.onPause = [&](const session::TracePause&) {
        first = processOf(backend);
        CHECK(backend.answer(session::RunCall{sampleGraph(), {}}).ok());
        return PauseAnswer{PauseAnswer::Kind::Resume, "and on"};
    };
    REQUIRE(backend.answer(session::RetraceCall{sampleRequest(), pauses}).ok());
    CHECK(processOf(backend) == first);
}

TEST_CASE("an aborted pause ends the trace") {
    remote::RemoteBackend backend(fakeEngine("works"));
    session::TracePauses pauses;
    pauses.atStart = true;
    pauses.onPause = [](const session::TracePause&) { return PauseAnswer{PauseAnswer::Kind::Abort}; };
    const auto result = backend.answer(session::RetraceCall{sampleRequest(), pauses});
    REQUIRE_FALSE(result.ok());
    CHECK(base::isCanceled(result.error()));
}

TEST_CASE("errors and exceptions of the engine arrive as errors, and it lives on") {
    remote::RemoteBackend missing(fakeEngine("has no module"));
    const base::Error error = failureOf(missing);
    CHECK(error.code == "run.no_torch_module");
    CHECK(error.hint == "Build it.");
    remote::RemoteBackend throws(fakeEngine("throws"));
    const pid_t process = processOf(throws);
    const base::Error thrown = failureOf(throws);
    CHECK(thrown.code == "session.exception");
    CHECK(thrown.notes == std::vector<std::string>{"a library is unhappy"});
    CHECK(processOf(throws) == process);
}

TEST_CASE("a call that heeds its stop request is canceled, and the process lives on") {
    remote::RemoteBackend backend(fakeEngine("waits"));
    const pid_t process = processOf(backend);
    std::stop_source stop;
    std::jthread canceler([&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    });
    const auto ran = backend.answer(session::RunCall{sampleGraph(), {}}, {{}, stop.get_token()});
    REQUIRE_FALSE(ran.ok());
    CHECK(base::isCanceled(ran.error()));
    CHECK(backend.answer(session::CoverageCall()).ok());
    CHECK(processOf(backend) == process);
    // And one that was canceled before it began.
    CHECK(base::isCanceled(
        backend.answer(session::RunCall{sampleGraph(), {}}, {{}, stop.get_token()}).error()));
}

TEST_CASE("a call that does not stop is ended with its process, and the next one has another") {
    remote::RemoteBackend backend(fakeEngine("hangs", 100ms));
    const pid_t process = processOf(backend);
    const std::stop_source stop;
    const auto ran = backend.answer(session::RunCall{sampleGraph(), {}}, stoppedAtWork(stop));
    REQUIRE_FALSE(ran.ok());
    CHECK(base::isCanceled(ran.error()));
    CHECK(backend.answer(session::CoverageCall()).ok());
    CHECK(processOf(backend) != process);
}

TEST_CASE("the end of a process is an error that says how it ended, and the next call starts another") {
    struct End {
        std::string mode;
        std::string how;
        std::string note;
    };
    for (const End& end :
         {End{"crashes", "signal 11", "the kernel read past its end"}, End{"exits", "exit code 3", ""},
          End{"ends at once", "exit code 7", "no memory for me"}}) {
        INFO(end.mode);
        remote::RemoteBackend backend(fakeEngine(end.mode));
        const base::Error error = failureOf(backend);
        CHECK(error.code == "remote.ended");
        CHECK(error.message.find(end.how) != std::string::npos);
        CHECK(error.text().find(end.note) != std::string::npos);
        CHECK_FALSE(error.hint.empty());
        CHECK(backend.answer(session::CoverageCall()).ok() == (end.mode != "ends at once"));
        CHECK(failureOf(backend).code == "remote.ended");
    }
}

TEST_CASE("a process that is killed in the middle of its work is an error, and the next call works") {
    remote::RemoteBackend backend(fakeEngine("hangs"));
    const pid_t process = processOf(backend);
    const auto ran =
        backend.answer(session::RunCall{sampleGraph(), {}},
                       {[process](const base::ProgressState&) { ::kill(process, SIGKILL); }, {}});
    REQUIRE_FALSE(ran.ok());
    CHECK(ran.error().code == "remote.ended");
    CHECK(ran.error().message.find("signal 9") != std::string::npos);
    CHECK(ran.error().hint.find("memory") != std::string::npos);
    CHECK(backend.answer(session::CoverageCall()).ok());
    CHECK(processOf(backend) != process);
}

TEST_CASE("a process that does not read does not hold up a call that is canceled") {
    remote::RemoteBackend backend(fakeEngine("works", 100ms));
    const pid_t process = processOf(backend);
    ::kill(process, SIGSTOP);
    session::RunOptions options;
    options.inputs["x"] = {"uint8", {10'000'000}, std::string(10'000'000, 'x')};
    std::stop_source stop;
    std::jthread canceler([&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    });
    const auto ran = backend.answer(session::RunCall{sampleGraph(), options}, {{}, stop.get_token()});
    REQUIRE_FALSE(ran.ok());
    CHECK(base::isCanceled(ran.error()));
    if (processOf(backend) == process) {
        // The stop came before the call began.
        ::kill(process, SIGCONT);
    }
    CHECK(backend.answer(session::CoverageCall()).ok());
}

TEST_CASE("a process that does not keep to the rules is ended, and the error says what it did") {
    struct Fault {
        std::string mode;
        std::string code;
        std::string message;
    };
    for (const Fault& fault :
         {Fault{"prints", "remote.protocol", "byte 0 "}, Fault{"is old", "remote.other_version", "999"},
          Fault{"greets in CBOR", "remote.other_version", "here the version of their messages is"},
          Fault{"lies", "remote.malformed", "byte"}}) {
        INFO(fault.mode);
        remote::RemoteBackend backend(fakeEngine(fault.mode));
        const base::Error error = failureOf(backend);
        CHECK(error.code == fault.code);
        CHECK(error.message.find(fault.message) != std::string::npos);
    }
    remote::RemoteBackend backend(fakeEngine("answers twice"));
    const auto process = backend.process();
    REQUIRE(process.ok());
    (void)backend.answer(session::RunCall{sampleGraph(), {}});
    while (!(*process)->hasEnded()) {
        std::this_thread::sleep_for(1ms);
    }
    CHECK(backend.answer(session::CoverageCall()).ok());
}

TEST_CASE("a program that is not there is an error") {
    remote::RemoteBackend backend(remote::EngineProgram{"/nonexistent/engine", {}});
    const base::Error error = failureOf(backend);
    CHECK(error.code == "remote.no_program");
    CHECK(error.message.find("/nonexistent/engine") != std::string::npos);
    CHECK(backend.answer(session::SchemasCall()).error().code == "remote.no_program");
    CHECK(backend.answer(session::CoverageCall()).error().code == "remote.no_program");
    CHECK(backend.description().find("cannot be used") != std::string::npos);
}

TEST_CASE("no process and no descriptor is left behind") {
    CHECK(remote::RemoteBackend(fakeEngine("works")).answer(session::CoverageCall()).ok());
    const std::size_t before = openDescriptors();
    for (const char* mode : {"works", "crashes", "ends at once", "prints", "has no module"}) {
        remote::RemoteBackend backend(fakeEngine(mode));
        (void)backend.answer(session::RunCall{sampleGraph(), {}});
        (void)backend.answer(session::RunCall{sampleGraph(), {}});
    }
    CHECK_FALSE(remote::RemoteBackend(remote::EngineProgram{"/nonexistent/engine", {}})
                    .answer(session::CoverageCall())
                    .ok());
    CHECK(openDescriptors() == before);
    CHECK(hasNoChildren());
}

TEST_CASE("an engine inherits no descriptor but its own") {
    const int leaked = ::open("/dev/null", O_RDONLY); // NOLINT: inheritable on purpose
    REQUIRE(leaked >= 0);
    remote::RemoteBackend backend(fakeEngine("works"));
    REQUIRE(backend.answer(session::CoverageCall()).ok());
    const std::string folder = "/proc/" + std::to_string(processOf(backend)) + "/fd";
    std::size_t streams = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        streams += entry.path().empty() ? 0 : 1;
    }
    CHECK(streams == 3);
    ::close(leaked);
}

TEST_CASE("an engine whose program is gone ends itself, whatever it is doing") {
    auto wire = base::SocketPair::make();
    REQUIRE(wire);
    const auto child = base::ChildProcess::start(AOTSCOPE_BINARY_DIR "/bin/fake_engine", {"hangs"},
                                                 {wire->theirs.get(), wire->theirs.get(), STDERR_FILENO});
    REQUIRE(child);
    wire->theirs.close();
    const session::RunCall call{sampleGraph(), {}};
    REQUIRE(remote::writeMessage(wire->ours.get(), test::messageOf(call)).ok());
    remote::MessageReader reader;
    std::vector<remote::Message> messages;
    std::array<char, 4096> buffer;
    while (messages.size() < 2) {
        const ssize_t got = ::recv(wire->ours.get(), buffer.data(), buffer.size(), 0);
        REQUIRE(got > 0);
        REQUIRE(reader.read({buffer.data(), static_cast<std::size_t>(got)}, messages).ok());
    }
    CHECK(messages[0].kind == remote::MessageKind::Hello);
    CHECK(messages[1].kind == remote::MessageKind::Progress);
    wire->ours.close();
    CHECK(base::exitText(child->await()) == "ended with exit code 0");
}
