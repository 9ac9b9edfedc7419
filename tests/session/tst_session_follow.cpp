#include "support/fake_backend.h"
#include "support/session_outcome.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"

#include "ir/text/parser.h"

#include <doctest/doctest.h>

#include <fstream>

using namespace aotscope;
using test::execute;
using test::reference;

TEST_CASE("a log that grows is followed") {
    test::TempFolder folder;
    session::Session session;
    const std::string first =
        test::graphRecord("aot_inference_graph", test::firstCompile, test::smallGraphText());
    const auto file = folder.write("dedicated_log_torch_trace_x.log", first);
    REQUIRE(execute(session, session::OpenLogs{{file}, false}).finished());
    const std::size_t before = session.tryLog(0)->traceLog()->recordCount();
    CHECK(execute(session, session::FollowLog{0}).all<session::LogSnapshotPtr>().empty());

    folder.write("dedicated_log_torch_trace_x.log",
                 first + test::graphRecord("aot_inference_graph",
                                           "\"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0",
                                           test::smallGraphText("2")));
    const auto followed = execute(session, session::FollowLog{0});
    REQUIRE(followed.all<session::LogSnapshotPtr>().size() == 1);
    CHECK(session.tryLog(0)->traceLog()->recordCount() > before);
    CHECK(session.graph(reference(0, "1/0", "inference")));
}

TEST_CASE("a log that is followed keeps what its growth leaves as it was") {
    test::TempFolder folder;
    const auto control = std::make_shared<test::FakeBackendControl>();
    control->onRetrace = [](const aot::RetraceRequest&, const session::TracePauses&, base::Progress&) {
        aot::RetraceResult result;
        result.function.graph = ir::parseGraphText(test::smallGraphText("5")).value();
        return result;
    };
    session::Session session(test::fakeBackendFactory(control));
    const std::string ids = "\"frame_id\": 1, \"frame_compile_id\": 0, \"attempt\": 0";
    std::string log = test::graphRecord("dynamo_output_graph", test::firstCompile, test::smallGraphText()) +
                      test::graphRecord("aot_joint_graph", test::firstCompile, test::smallGraphText());
    const auto file = folder.write("dedicated_log_torch_trace_x.log", log);
    const auto append = [&](const std::string& records) {
        std::ofstream(file, std::ios::binary | std::ios::app) << records;
    };
    REQUIRE(execute(session, session::OpenLogs{{file}, false}).finished());
    const auto kept = session.graph(reference(0, "0/0", "joint")).value();
    const auto traced = execute(session, session::Retrace{0, {}, {}}).all<session::RetraceSnapshotPtr>();
    REQUIRE(traced.size() == 1);
    const session::ArtifactReference made = traced.front()->made->reference;

    append(test::graphRecord("aot_joint_graph", ids, test::smallGraphText("2")));
    const auto grown = execute(session, session::FollowLog{0});
    CHECK(grown.all<session::LogClosed>().empty());
    CHECK(grown.all<session::LogSnapshotPtr>().size() == 1);
    CHECK(session.graph(reference(0, "0/0", "joint")).value() == kept);
    CHECK(session.graph(made));

    // Another graph of the same name: "joint" alone means the last one.
    append(test::graphRecord("aot_joint_graph", test::firstCompile, test::smallGraphText("3")));
    REQUIRE(execute(session, session::FollowLog{0}).all<session::LogSnapshotPtr>().size() == 1);
    CHECK(session.graph(reference(0, "0/0", "joint")).value()->text.find("arg0_1, 3)") != std::string::npos);
    CHECK(session.graph(made));

    // Another file takes its place: it is another log.
    folder.write("other",
                 test::graphRecord("aot_joint_graph", test::firstCompile, test::smallGraphText("4")));
    std::filesystem::rename(folder.path() / "other", file);
    const auto replaced = execute(session, session::FollowLog{0});
    CHECK(replaced.all<session::LogClosed>().size() == 1);
    REQUIRE(replaced.all<session::LogSnapshotPtr>().size() == 1);
    CHECK(session.graph(reference(0, "0/0", "joint")).value()->text.find("arg0_1, 4)") != std::string::npos);
    CHECK_FALSE(session.graph(made));
}
