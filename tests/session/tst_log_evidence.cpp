// A re-trace request does not depend on what AOTAutograd logged.
#include "contract/retrace_target.h"
#include "evidence/grad_mode.h"
#include "evidence/log_evidence.h"
#include "evidence/logged_config.h"
#include "files/graph_snapshot.h"
#include "files/retrace_targets.h"
#include "recompile/retrace_request.h"

#include "ir/json/graph_json.h"
#include "support/corpus_case.h"
#include "support/stripped_log.h"
#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <set>

using namespace aotscope;

namespace {

std::string numberText(const std::optional<std::int64_t>& number) {
    return number ? std::to_string(*number) : "-";
}

std::string inputText(const aot::RetraceInput& input) {
    std::string text;
    for (const bool flag : {input.requiresGrad, input.isLeaf, input.isParameter, input.isStatic}) {
        text += flag ? '1' : '0';
    }
    text += " " + std::to_string(input.storage) + " " + std::to_string(input.storageOffset) + " " +
            numberText(input.storageBytes);
    if (input.viewBase) {
        text +=
            " of " + ir::valueText(*input.viewBase) + (input.viewBase->requiresGrad == true ? " grad" : "");
    }
    return text + "\n";
}

/// Every field of a request, as text.
std::string requestText(const evidence::FoundRequest& found) {
    const aot::RetraceRequest& request = found.request;
    std::string text = ir::graphToJson(*request.program) + "\n";
    for (const aot::RetraceInput& input : request.inputs) {
        text += inputText(input);
    }
    for (const aot::RetraceAttribute& attribute : request.attributes) {
        text += attribute.name + (attribute.isBuffer ? " buffer " : " ") + inputText(attribute.input);
    }
    for (const auto& [symbol, value] : request.symbolHints) {
        text += symbol + "=" + std::to_string(value) + "\n";
    }
    for (const std::string& guard : request.symbolGuards) {
        text += guard + "\n";
    }
    for (const std::string& number : request.numberSymbols) {
        text += "number " + number + "\n";
    }
    for (const auto& [symbol, value] : request.floatHints) {
        text += symbol + "=" + std::to_string(value) + "\n";
    }
    for (const aot::AmbientAutocast& autocast : request.state.autocasts) {
        text += "autocast " + autocast.device + " " + std::string(ir::dtypeName(autocast.dtype)) + "\n";
    }
    for (const aot::AssignedAttribute& attribute : request.assignedAttributes) {
        text += "assigned " + attribute.name + "\n";
    }
    return text + "unbacked " + std::to_string(request.unbackedNumbers) + " " +
           std::to_string(request.unbackedFloats) + ", checkpoints " +
           std::to_string(request.earlierCheckpoints) + ", grad " +
           (request.state.gradEnabled ? "on" : "off") + (found.isGradModeAssumed ? " assumed" : "") +
           ", keeps " + (request.keepInputMutations ? "mutations" : "none") + ", " +
           std::string(base::wordOf(request.decompositions));
}

/// The request for each Dynamo graph of a log, or why there is none.
std::vector<std::string> requestsOf(const std::filesystem::path& path) {
    std::vector<std::string> requests;
    auto log = load::TraceLog::read(path);
    if (!log) {
        return requests;
    }
    session::LogSnapshot snapshot;
    snapshot.path = path;
    snapshot.content = *log;
    evidence::EarlierCheckpoints checkpoints;
    for (const session::RetraceTarget& target : session::retraceTargets(snapshot)) {
        if (!target.program) {
            continue;
        }
        std::string& text = requests.emplace_back(target.name + " " + target.program->artifact + "\n");
        const auto graph = session::loadArtifactGraph(**log, *target.program, {});
        if (!graph || !(*graph)->graph) {
            continue;
        }
        const auto request =
            session::makeRetraceRequest(snapshot, *target.program, (*graph)->graph, {}, checkpoints);
        text += request ? requestText(*request) : request.error().message;
    }
    return requests;
}

std::string writtenRecord(const std::string& event, const std::string& payload = {}) {
    return "V1121 00:13:53.025000 22725 torch/_dynamo/output_graph.py:2423] {" + event +
           R"(, "frame_id": 0, "frame_compile_id": 0, "attempt": 0)" +
           (payload.empty() ? "}\n"
                            : R"(, "has_payload": "00000000000000000000000000000000"})"
                              "\n\t" +
                                  payload + "\n");
}

std::string writtenSymbol(const std::string& name, int value) {
    return writtenRecord(R"("create_symbol": {"symbol": ")" + name + R"(", "val": ")" +
                         std::to_string(value) + R"(", "vr": "[2, int_oo]", "source": "L['x'].size()[0]"})");
}

std::string writtenGraph() {
    return writtenRecord(
        "\"dynamo_output_graph\": {}",
        "class GraphModule(torch.nn.Module):\n\t    def forward(self):\n\t        return ()");
}

using Values = std::vector<std::pair<std::string, std::int64_t>>;

/// The evidence for each graph of a log's only compile, in order.
std::vector<evidence::LogEvidence> evidencesIn(const test::TempFolder& folder, const std::string& text) {
    const load::TraceLogPtr log = *load::TraceLog::read(folder.write("l.log", text));
    std::vector<evidence::LogEvidence> found;
    for (std::uint32_t i = 0; i < log->recordCount(); ++i) {
        if (log->kind(load::RecordId(i)) == load::RecordKind::DynamoOutputGraph) {
            found.emplace_back(log, log->compileOf(load::RecordId(i)), load::RecordId(i));
        }
    }
    return found;
}

ir::GraphPtr graphOfNodes(const std::string& nodes) {
    auto graph = ir::graphFromJson(R"({"nodes": [)" + nodes + "]}");
    REQUIRE_MESSAGE(graph.ok(), graph.error().text());
    return *graph;
}

std::string nodeJson(const std::string& name, const std::string& op, const std::string& target,
                     const std::string& args, const std::string& facts) {
    return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "target": ")" + target + R"(", "args": [)" +
           args +
           R"(], "kwargs": {}, "val": {"kind": "tensor", "dtype": "float32", "shape": [2], )"
           R"("stride": [1], "device": "cpu", )" +
           facts + "}}";
}

constexpr const char* wants = R"("requires_grad": true)";
constexpr const char* wantsNone = R"("requires_grad": false)";

} // namespace

TEST_CASE("symbols count that Dynamo made on the way to its graph, not those made once it was there") {
    const test::TempFolder folder;
    const std::string start = writtenRecord("\"dynamo_start\": {}");
    const std::string joint = writtenRecord("\"aot_joint_graph\": {}", "class inner_f(torch.nn.Module):");
    const auto found =
        evidencesIn(folder, start + writtenSymbol("s1", 5) + writtenGraph() + writtenSymbol("s2", 6) + joint +
                                writtenSymbol("s3", 7) + start + writtenSymbol("s4", 8) + writtenGraph() +
                                writtenSymbol("s5", 9));
    REQUIRE(found.size() == 2);
    CHECK(found[0].symbolValues() == Values{{"s1", 5}});
    CHECK(found[1].symbolValues() == Values{{"s4", 8}});
    // An attempt that follows a restart has no "dynamo_start".
    const auto again = evidencesIn(folder, writtenSymbol("s1", 5) + writtenGraph() + writtenSymbol("s2", 6) +
                                               joint + writtenRecord("\"compilation_metrics\": {}") +
                                               writtenSymbol("s4", 8) + writtenGraph());
    REQUIRE(again.size() == 2);
    CHECK(again[1].symbolValues() == Values{{"s4", 8}});
}

TEST_CASE("of AOTAutograd's records nothing can be read, of a backend's only that they are there") {
    const test::TempFolder folder;
    const auto found = evidencesIn(
        folder, writtenGraph() + writtenRecord("\"aot_joint_graph\": {}", "class inner_f(torch.nn.Module):") +
                    writtenRecord(R"("artifact": {"name": "aot_forward_graph_fw_metadata"})",
                                  "ViewAndMutationMeta()") +
                    writtenRecord(R"("artifact": {"name": "before_pre_grad_graph"})", "class GraphModule") +
                    writtenRecord(R"("artifact": {"name": "dynamo_side_effects"})", "none"));
    REQUIRE(found.size() == 1);
    std::set<std::string> names;
    for (const load::RecordId after : found[0].after()) {
        names.insert(found[0].artifactName(after) + ":" + found[0].payload(after));
    }
    CHECK(names == std::set<std::string>{"before_pre_grad_graph:", "dynamo_side_effects:none"});
    CHECK(evidence::loggedBackend(found[0]).isInductor);
}

TEST_CASE("a program's values show whether gradient mode was on while Dynamo ran it") {
    const std::string x = nodeJson("x", "placeholder", "x", "", wants) + ",";
    const std::string y = nodeJson("y", "placeholder", "y", "", wantsNone) + ",";
    const std::string parameter =
        nodeJson("p", "get_attr", "p", "", R"("requires_grad": true, "parameter": true)") + ",";
    CHECK(evidence::shownGradMode(
              *graphOfNodes(x + nodeJson("cos", "call_method", "cos", R"({"node": "x"})", wants))) == true);
    CHECK(evidence::shownGradMode(*graphOfNodes(
              x + nodeJson("cos", "call_method", "cos", R"({"node": "x"})", wantsNone))) == false);
    CHECK(evidence::shownGradMode(*graphOfNodes(
              y + nodeJson("cos", "call_method", "cos", R"({"node": "y"})", wantsNone))) == std::nullopt);
    // The result of add_ is the parameter itself, which may be written to only without gradient mode.
    CHECK(evidence::shownGradMode(*graphOfNodes(
              parameter + y +
              nodeJson("add_", "call_method", "add_", R"({"node": "p"}, {"node": "y"})", wants))) == false);
    CHECK(evidence::shownGradMode(*graphOfNodes(
              x + nodeJson("set", "call_function", "torch._C._set_grad_enabled", "false", wantsNone) + "," +
              nodeJson("cos", "call_method", "cos", R"({"node": "x"})", wantsNone))) == std::nullopt);
}

TEST_CASE("the request is the same when everything that AOTAutograd wrote is stripped from the log" *
          test::needsCorpus()) {
    const test::TempFolder folder;
    std::size_t compared = 0;
    std::size_t stripped = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpusDir())) {
        const std::string name = entry.path().filename().string();
        if (!entry.is_regular_file() || (!name.ends_with(".log") && !name.ends_with(".log.xz"))) {
            continue;
        }
        const std::string text = test::readPlainOrXz(entry.path());
        const std::string left = test::withoutAnswers(text);
        stripped += left.size() < text.size() ? 1 : 0;
        const std::vector<std::string> whole = requestsOf(entry.path());
        const std::vector<std::string> bare = requestsOf(folder.write("stripped.log", left));
        CAPTURE(name);
        CHECK(whole.size() == bare.size());
        for (std::size_t i = 0; i < std::min(whole.size(), bare.size()); ++i) {
            CHECK(whole[i] == bare[i]);
            ++compared;
        }
    }
    CHECK(compared > 150);
    CHECK(stripped > 100);
}
