#include "support/corpus_case.h"

#include "ir/compare/aot_metadata_compare.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/python_repr.h"
#include "load/trace_log.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

Json read(std::string_view repr) {
    const auto json = ir::jsonFromRepr(repr);
    REQUIRE_MESSAGE(json.ok(), (json.ok() ? "" : json.error().text()));
    return Json::parse(*json);
}

/// Metadata that a log holds, in file order.
std::vector<std::string> loggedReprs(const std::string& program) {
    std::vector<std::string> found;
    const auto path = test::corpusTrace(program);
    if (!std::filesystem::exists(path)) {
        return found;
    }
    const auto log = load::TraceLog::read(path);
    REQUIRE(log.ok());
    for (std::uint32_t record = 0; record < (*log)->recordCount(); ++record) {
        if ((*log)->artifactName(load::RecordId(record)) == "aot_forward_graph_fw_metadata") {
            found.push_back((*log)->payload(load::RecordId(record)));
        }
    }
    return found;
}

ir::ViewAndMutationMeta metadataOf(const Json& unit) {
    const Json& json =
        unit.contains("fw_metadata") ? unit["fw_metadata"] : unit["partitions"]["default"]["fw_metadata"];
    const auto metadata = ir::metadataFromJson(json.dump());
    REQUIRE_MESSAGE(metadata.ok(), (metadata.ok() ? "" : metadata.error().text()));
    return *metadata;
}

} // namespace

TEST_CASE("a repr reads as the golden files write it") {
    CHECK(read("Info(a=True, b=None, c=[1, -2], d=set(), e={0, 1}, f={'k': 1.5})") ==
          Json({{"_class", "Info"},
                {"a", true},
                {"b", nullptr},
                {"c", {1, -2}},
                {"d", Json::array()},
                {"e", {0, 1}},
                {"f", {{"k", 1.5}}}}));
    CHECK(read("<OutputType.is_input: 3>") == Json({{"enum", "OutputType.is_input"}}));
    CHECK(read("<class 'torch._subclasses.functional_tensor.FunctionalTensor'>") ==
          Json({{"type", "FunctionalTensor"}}));
    CHECK(read("FakeTensor(..., device='cuda:0', size=(s0, 5*s77, (s1//2)), dtype=torch.int64)") ==
          Json({{"kind", "tensor"},
                {"shape", {{{"symint", "s0"}}, {{"symint", "5*s77"}}, {{"symint", "(s1//2)"}}}},
                {"dtype", "int64"},
                {"device", "cuda:0"}}));
    CHECK(read("torch.Size([3, 3])") == Json({3, 3}));
    CHECK(read("(3,)") == Json({3}));
}

TEST_CASE("text that is no repr is refused with its place") {
    for (const char* text : {"", "Info(a=", "[1, 2", "Info(a=1) b", "{1: 2", "'open", "<class 'x"}) {
        const auto json = ir::jsonFromRepr(text);
        INFO(text);
        REQUIRE_FALSE(json.ok());
        CHECK(json.error().code == "ir.repr_syntax");
        CHECK(json.error().place.line == 1);
    }
    CHECK_FALSE(ir::jsonFromRepr(std::string(5'000, '[')).ok());
    const auto other = ir::metadataFromRepr("ViewAndMutationMeta(input_info=3)");
    REQUIRE_FALSE(other.ok());
    CHECK(other.error().code == "ir.metadata_form");
}

TEST_CASE("logs and golden files of one program tell the same metadata, and it survives being written" *
          test::needsCorpus()) {
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::string file = entry.path().filename().string();
        if (file.find(".json") == std::string::npos) {
            continue;
        }
        const std::string program = file.substr(0, file.find('.'));
        const std::vector<std::string> reprs = loggedReprs(program);
        const Json golden = Json::parse(test::readPlainOrXz(entry.path()));
        const bool sameUnits = golden["units"].size() == reprs.size();
        for (std::size_t i = 0; i < golden["units"].size(); ++i) {
            INFO(program, " unit ", i);
            const Json& unit = golden["units"][i];
            if (!unit.contains("fw_metadata") && !unit.contains("partitions")) {
                continue;
            }
            const ir::ViewAndMutationMeta metadata = metadataOf(unit);
            const auto fromJson = ir::metadataFromJson(ir::metadataToJson(metadata));
            REQUIRE(fromJson.ok());
            CHECK(ir::metadataDifferences(*fromJson, metadata) == std::vector<std::string>());
            const auto fromRepr = ir::metadataFromRepr(ir::metadataToRepr(metadata));
            REQUIRE(fromRepr.ok());
            CHECK(ir::metadataDifferences(*fromRepr, metadata) == std::vector<std::string>());
            if (sameUnits) {
                const auto logged = ir::metadataFromRepr(reprs[i]);
                REQUIRE_MESSAGE(logged.ok(), (logged.ok() ? "" : logged.error().text()));
                CHECK(ir::metadataDifferences(*logged, metadata) == std::vector<std::string>());
                ++compared;
            }
        }
    }
    CHECK(compared > 50);
}

TEST_CASE("a difference names the field and both sides") {
    ir::ViewAndMutationMeta made;
    made.inputInfo.resize(2);
    made.outputInfo.resize(1);
    ir::ViewAndMutationMeta logged = made;
    CHECK(ir::metadataDifferences(made, logged).empty());
    logged.inputInfo[1].isLeaf = true;
    logged.outputInfo[0].baseIndex = 1;
    logged.staticInputIndices = {0, 1};
    CHECK(ir::metadataDifferences(made, logged) ==
          std::vector<std::string>{"input_info[1].is_leaf: made False, logged True",
                                   "output_info[0].base_idx: made None, logged 1",
                                   "static_input_indices: made [], logged [0, 1]"});
    CHECK(ir::metadataDifferences(made, logged, false).size() == 2);
}

TEST_CASE("tangents that a cached compile has put away are no difference") {
    ir::ViewAndMutationMeta made;
    made.tracedTangents.resize(1);
    made.tracedTangentsDescs.emplace_back(ir::TangentAOTInput{ir::AOTOutput(ir::PlainAOTOutput{0})});
    ir::ViewAndMutationMeta logged = made;
    logged.tracedTangents.clear();
    CHECK(ir::metadataDifferences(made, logged).empty());
    logged.tracedTangentsDescs.clear();
    CHECK(ir::metadataDifferences(made, logged) ==
          std::vector<std::string>{"len(traced_tangents): made 1, logged 0"});
}
