// fake_engine MODE: an engine without LibTorch, well behaved or not, for tst_remote_backend.
#include "support/fake_backend.h"

#include "remote/message.h"
#include "remote/serve.h"
#include "remote/values.h"

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string>
#include <thread>
#include <unistd.h>

using namespace aotscope;

namespace {

/// Pauses before each node of the program until it is told to resume, and tells the answers.
base::Result<aot::RetraceResult> pausing(const aot::RetraceRequest& request,
                                         const session::TracePauses& pauses, base::Progress& progress) {
    aot::RetraceResult result;
    result.function.program = request.program;
    result.function.graph = request.program;
    for (const ir::NodeId id : request.program->order()) {
        if (!pauses.wanted()) {
            break;
        }
        progress.report("Tracing", id.index(), request.program->size());
        session::TracePause pause;
        pause.node = request.program->node(id).name;
        pause.graph = request.program;
        const session::PauseAnswer answer = pauses.onPause(std::move(pause));
        result.notes.push_back(request.program->node(id).name + ": " + answer.fact);
        if (answer.kind == session::PauseAnswer::Kind::Abort) {
            return base::canceledError();
        }
        if (answer.kind == session::PauseAnswer::Kind::Resume) {
            break;
        }
    }
    return result;
}

/// Stands still once, and tells the answer.
base::Result<steps::CallRecord> stepping(const session::CallRequest& request, const steps::StepPauses& pauses,
                                         base::Progress&) {
    steps::CallRecord record;
    record.notes = {std::to_string(request.options.calls) + " calls"};
    if (pauses.wanted()) {
        steps::StepPause pause;
        pause.reason = "start";
        pause.record = std::make_shared<const steps::CallRecord>(record);
        const steps::StepAnswer answer = pauses.onPause(std::move(pause));
        if (answer.kind == steps::StepAnswer::Kind::Abort) {
            return base::canceledError();
        }
        record.notes.push_back("to event " + std::to_string(answer.event));
    }
    return record;
}

/// What a mode does in the middle of a run, but for working.
void misbehave(const std::string& mode, base::Progress& progress) {
    using std::chrono::hours;
    progress.report("Running", 0, 1);
    if (mode == "crashes") {
        std::cerr << "the kernel read past its end\n" << std::flush;
        // A sanitizer would catch it.
        std::signal(SIGSEGV, SIG_DFL);
        std::raise(SIGSEGV);
    } else if (mode == "exits") {
        std::_Exit(3);
    } else if (mode == "throws") {
        throw std::runtime_error("a library is unhappy");
    } else if (mode == "hangs") {
        std::this_thread::sleep_for(hours(1));
    } else if (mode == "answers twice") {
        const remote::Message result{remote::MessageKind::Result, 1, remote::encode(session::RunSnapshot())};
        (void)remote::writeMessage(STDOUT_FILENO, result);
        (void)remote::writeMessage(STDOUT_FILENO, result);
        std::this_thread::sleep_for(hours(1));
    } else if (mode == "lies") {
        (void)remote::writeMessage(STDOUT_FILENO, {remote::MessageKind::Result, 1, "no value"});
        std::this_thread::sleep_for(hours(1));
    }
}

session::BackendFactory backendFor(const std::string& mode) {
    if (mode == "has no module") {
        return [] {
            return base::Result<std::unique_ptr<session::Backend>>(base::Error{
                .code = "run.no_torch_module", .message = "It is not there.", .hint = "Build it."});
        };
    }
    const auto control = std::make_shared<test::FakeBackendControl>();
    control->onRetrace = pausing;
    control->onCall = stepping;
    if (mode == "knows nothing") {
        const base::Error broken{.code = "fake.broken", .message = "The tables are lost.", .hint = "Look."};
        control->coverage = broken;
        control->schemas = broken;
    } else {
        control->coverage =
            std::vector<session::CoverageRow>{{session::CoverageArea::Shapes, "Tensor", "Tensor.add",
                                               session::CoverageState::Covered, "written"}};
    }
    // Waits until it is told to stop, as a long run does.
    control->gated = mode == "waits";
    control->onRun = [mode](const ir::Graph& graph, const session::RunOptions& options,
                            base::Progress& progress) {
        misbehave(mode, progress);
        return base::Result<session::RunSnapshot>(test::FakeBackend::everyNodeRan(graph, options));
    };
    return test::fakeBackendFactory(control);
}

} // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "prints") {
        std::cout << "Hello, I am a library\n" << std::flush;
    } else if (mode == "is old") {
        (void)remote::writeMessage(STDOUT_FILENO,
                                   {remote::MessageKind::Hello, 0, remote::encode(remote::Hello{999})});
    } else if (mode == "greets in CBOR") {
        // {"version": 7}, as the wire's seventh version wrote it.
        (void)remote::writeMessage(STDOUT_FILENO, {remote::MessageKind::Hello, 0, "\xA1gversion\x07"});
    } else if (mode == "ends at once") {
        std::cerr << "no memory for me\n";
        return 7;
    }
    return remote::serve(STDIN_FILENO, STDOUT_FILENO, backendFor(mode), [] { std::_Exit(EXIT_SUCCESS); }) ? 0
                                                                                                          : 1;
}
