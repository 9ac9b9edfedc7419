// Logs of two releases of torch in one process, each traced by its own LibTorch. Needs the module that
// `./dev module 2.11` puts beside the program's own; ctest counts the test as skipped without it.
#include "run_support.h"
#include "support/corpus_case.h"

#include "aot/versions/versions.h"
#include "session/session.h"

#include <cstdlib>
#include <iostream>
#include <set>

using namespace aotscope;

namespace {

const std::filesystem::path otherModule = AOTSCOPE_BINARY_DIR "/lib/torch-2.11/libaotscope_torch.so";

/// The tests of other files use one module alone.
class BothModules {
public:
    BothModules() : m_given(std::getenv("AOTSCOPE_TORCH_MODULE") != nullptr) {
        if (m_given) {
            m_module = std::getenv("AOTSCOPE_TORCH_MODULE");
            ::unsetenv("AOTSCOPE_TORCH_MODULE");
        }
    }
    ~BothModules() {
        if (m_given) {
            ::setenv("AOTSCOPE_TORCH_MODULE", m_module.c_str(), 1);
        }
    }
    BothModules(const BothModules&) = delete;
    BothModules& operator=(const BothModules&) = delete;

private:
    bool m_given;
    std::string m_module;
};

std::uint32_t opened(session::Session& session, const std::filesystem::path& file) {
    std::optional<std::uint32_t> log;
    session.execute(session::OpenLogs{{file}, false}, [&](const session::EventBody& event) {
        if (const auto* snapshot = std::get_if<session::LogSnapshotPtr>(&event)) {
            log = (*snapshot)->log;
        }
    });
    REQUIRE(log);
    return *log;
}

/// The releases of LibTorch that traced a log's compiles; every one must be equal to PyTorch's.
std::set<std::string> tracedBy(session::Session& session, std::uint32_t log) {
    std::set<std::string> releases;
    session.execute(session::Retrace{log, {}, {}}, [&](const session::EventBody& event) {
        if (const auto* snapshot = std::get_if<session::RetraceSnapshotPtr>(&event)) {
            const session::RetraceSnapshot& retraced = **snapshot;
            INFO(retraced.target.name << (retraced.error ? retraced.error->text() : ""));
            CHECK(retraced.verdict.word == base::VerdictWord::Equal);
            CHECK(retraced.metadataDifferences.empty());
            REQUIRE(retraced.result);
            REQUIRE(retraced.result->libTorch);
            releases.insert(aot::torchVersionText(*retraced.result->libTorch));
        }
    });
    return releases;
}

} // namespace

TEST_CASE("logs of two releases that are open together are each traced by their own LibTorch" *
          test::needsCorpus()) {
    if (!std::filesystem::exists(otherModule)) {
        std::cout << "SKIPPED: there is no module of torch 2.11; ./dev module 2.11 makes it\n";
        CHECK_FALSE(std::filesystem::exists(otherModule));
        return;
    }
    const BothModules both;
    session::Session session(app::torchBackendFactory());
    const std::filesystem::path newer = test::corpusDir() / "traces-2.15";
    for (const char* name : {"mlp_sgd", "bert_tiny", "dyn_transformer_seq"}) {
        const std::uint32_t old = opened(session, test::corpusTrace(name));
        std::filesystem::path file =
            newer / name / ("dedicated_log_torch_trace_" + std::string(name) + ".log");
        const std::uint32_t recent =
            opened(session, std::filesystem::exists(file) ? file : file.concat(".xz"));
        CHECK(tracedBy(session, recent) == std::set<std::string>{"2.15"});
        CHECK(tracedBy(session, old) == std::set<std::string>{"2.11"});
        CHECK(tracedBy(session, recent) == std::set<std::string>{"2.15"});
    }
}

TEST_CASE("runs keep to the release that was opened first" * test::needsCorpus()) {
    if (!std::filesystem::exists(otherModule)) {
        CHECK_FALSE(std::filesystem::exists(otherModule));
        return;
    }
    const BothModules both;
    const auto backend = app::torchBackendFactory()();
    REQUIRE(backend.ok());
    const ir::GraphPtr graph =
        test::graphOf("x: \"f32[2][1]cpu\"", "        neg: \"f32[2][1]cpu\" = "
                                             "torch.ops.aten.neg.default(x)\n        return (neg,)\n");
    const auto ran = (*backend)->answer(session::RunCall{graph, {}});
    REQUIRE(ran.ok());
    aot::RetraceRequest request;
    request.program = graph;
    request.inputs.resize(1);
    for (const aot::TorchVersion torch : aot::knownVersions()) {
        request.torch = torch;
        const auto traced = (*backend)->answer(session::RetraceCall{request});
        REQUIRE_MESSAGE(traced.ok(), (traced.ok() ? "" : traced.error().text()));
        CHECK(traced->libTorch == torch);
    }
    CHECK((*backend)->answer(session::RunCall{graph, {}})->backend == ran->backend);
}
