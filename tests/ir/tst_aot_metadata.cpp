#include "support/corpus_case.h"

#include "ir/compare/aot_metadata_compare.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/python_repr.h"
#include "load/trace_log.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

Json read(std::string_view repr) {
    const auto json = ir::jsonFromRepr(repr);
    REQUIRE_MESSAGE(json.ok(), (json.ok() ? "" : json.error().text()));
    return Json::parse(*json);
}

/// Artifacts of a log, in file order.
std::vector<std::string> loggedTexts(const std::filesystem::path& path, std::string_view artifact) {
    std::vector<std::string> found;
    if (!std::filesystem::exists(path)) {
        return found;
    }
    const auto log = load::TraceLog::read(path);
    REQUIRE(log.ok());
    for (std::uint32_t record = 0; record < (*log)->recordCount(); ++record) {
        if ((*log)->artifactName(load::RecordId(record)) == artifact) {
            found.push_back((*log)->payload(load::RecordId(record)));
        }
    }
    return found;
}

constexpr const char* metadataName = "aot_forward_graph_fw_metadata";

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
    // pprint breaks long strings.
    CHECK(read("['  File '\n  '\"a.py\", '\n 'line 1', None]") ==
          Json::array({"  File \"a.py\", line 1", nullptr}));
    CHECK(read("('a' 'b')") == Json("ab"));
    CHECK(read("{<E.A: 'a'>: T(<function f at 0x1>)}") ==
          Json({{R"({"enum":"E.A"})", {{"repr", "T(<function f at 0x1>)"}}}}));
}

TEST_CASE("a value of unknown form is kept as text with its place, and those around it are read") {
    const auto found = ir::readRepr("Info(a=1,\n     b=[2, ~x (y, 'z, ]'), 3],\n     c=$5, d=True)");
    REQUIRE_MESSAGE(found.ok(), (found.ok() ? "" : found.error().text()));
    CHECK(Json::parse(found->json) == Json({{"_class", "Info"},
                                            {"a", 1},
                                            {"b", Json::array({2, {{"repr", "~x (y, 'z, ]')"}}, 3})},
                                            {"c", {{"repr", "$5"}}},
                                            {"d", true}}));
    REQUIRE(found->unread.size() == 2);
    CHECK(found->unreadCount == 2);
    CHECK(found->unread[0].path == "b[1]");
    CHECK(found->unread[0].line == 2);
    CHECK(found->unread[0].column == 12);
    CHECK(found->unread[1].path == "c");
    CHECK(found->unread[1].line == 3);

    // What is nested deeper than is read stays text too.
    const auto deep = ir::readRepr("Info(a=" + std::string(300, '[') + std::string(300, ']') + ", b=2)");
    REQUIRE(deep.ok());
    CHECK(deep->unreadCount == 1);
    CHECK(Json::parse(deep->json)["b"] == 2);
}

TEST_CASE("hostile text takes no more time than its length asks for") {
    const auto repeated = [](const char* part) {
        std::string text = "[";
        for (int i = 0; i < 200'000; ++i) {
            text += part;
        }
        return text;
    };
    for (const char* part : {"<, ", "~, ", "(", "[~, ", "'\\'", "{1: ", "a(", "x=", "\"\\", "(a)"}) {
        INFO(part);
        CHECK_FALSE(ir::jsonFromRepr(repeated(part)).ok());
    }
    CHECK_FALSE(ir::jsonFromRepr(std::string((32U << 20U) + 1, ' ')).ok());
    std::string wide = "[{";
    for (int i = 0; i < 50'000; ++i) {
        wide += std::to_string(i) + ": 1, ";
    }
    const auto kept = ir::readRepr(wide + "}]");
    REQUIRE(kept.ok());
    CHECK(kept->unreadCount == 1);
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
        const std::vector<std::string> reprs = loggedTexts(test::corpusTrace(program), metadataName);
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

TEST_CASE("metadata of every corpus log of every release is read, no part of it lost" * test::needsCorpus()) {
    std::size_t read = 0;
    std::size_t withNewFields = 0;
    for (const char* folder : {"traces", "traces-2.15"}) {
        if (!std::filesystem::exists(test::corpusDir() / folder)) {
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(test::corpusDir() / folder)) {
            const std::string file = entry.path().filename().string();
            if (!file.ends_with(".log") && !file.ends_with(".log.xz")) {
                continue;
            }
            INFO(file);
            for (const std::string& text : loggedTexts(entry.path(), metadataName)) {
                const auto found = ir::readRepr(text);
                REQUIRE_MESSAGE(found.ok(), (found.ok() ? "" : found.error().text()));
                CHECK(found->unreadCount == 0);
                const auto metadata = ir::metadataFromRepr(text);
                REQUIRE(metadata.ok());
                CHECK(metadata->unreadFields.empty());
                CHECK(metadata->subclassInpMeta);
                CHECK(metadata->subclassFwGraphOutMeta);
                CHECK(metadata->subclassTangentMeta);
                // Each release's own fields, and none twice.
                const bool isNew = text.find("act_input_paths") != std::string::npos;
                CHECK(metadata->isTrain.has_value() != isNew);
                CHECK(metadata->actInputPaths.has_value() == isNew);
                for (const ir::InputAliasInfo& input : metadata->inputInfo) {
                    CHECK(input.mutationIsShallowCopyData.has_value() == isNew);
                }
                for (const ir::OutputAliasInfo& output : metadata->outputInfo) {
                    CHECK(output.requiresGradForBackward.has_value() == isNew);
                }
                const auto again = ir::metadataFromJson(ir::metadataToJson(*metadata));
                REQUIRE(again.ok());
                CHECK(again->otherFields == metadata->otherFields);
                CHECK(again->subclassTangentMeta == metadata->subclassTangentMeta);
                CHECK(again->tangentSourceStackTraces == metadata->tangentSourceStackTraces);
                ++read;
                withNewFields += isNew ? 1 : 0;
            }
            for (const std::string& text :
                 loggedTexts(entry.path(), "aot_forward_graph_fw_subclass_metadata")) {
                const auto record = ir::readRepr(text);
                REQUIRE(record.ok());
                CHECK(record->unreadCount == 0);
            }
        }
    }
    CHECK(read > 70);
    const bool hasNew = std::filesystem::exists(test::corpusDir() / "traces-2.15");
    CHECK((!hasNew || withNewFields > 70));
}

TEST_CASE("the fields that torch 2.15 added say how tangents lie and which line made them" *
          test::needsCorpus()) {
    const auto path = test::corpusDir() / "traces-2.15/mlp_sgd/dedicated_log_torch_trace_mlp_sgd.log";
    if (!std::filesystem::exists(path)) {
        return;
    }
    const std::vector<std::string> texts = loggedTexts(path, metadataName);
    REQUIRE(!texts.empty());
    const auto metadata = ir::metadataFromRepr(texts.front());
    REQUIRE(metadata.ok());
    REQUIRE(metadata->subclassTangentMeta);
    REQUIRE(metadata->subclassTangentMeta->size() == 1);
    const std::optional<ir::TangentLayout>& layout = metadata->subclassTangentMeta->front().layout;
    REQUIRE(layout);
    CHECK(layout->size == ir::SymInts{ir::SymInt(8), ir::SymInt(4)});
    CHECK(layout->stride == ir::SymInts{ir::SymInt(4), ir::SymInt(1)});
    CHECK(layout->memoryFormat.empty());
    REQUIRE(metadata->tangentSourceStackTraces);
    const std::optional<ir::SourceLocation>& source = metadata->tangentSourceStackTraces->front();
    REQUIRE(source);
    CHECK(source->file.ends_with("zoo.py"));
    CHECK(source->line == 115);
    CHECK(source->function == "forward");
    CHECK(source->code == "return self.fc2(self.act(self.fc1(x)))");
    const auto rng = std::ranges::find(metadata->otherFields, "graphsafe_rng_device", &ir::OtherField::path);
    REQUIRE(rng != metadata->otherFields.end());
    CHECK(rng->text == "None");
}

TEST_CASE("a field of another release is kept, a missing one is not compared") {
    const char* text = "ViewAndMutationMeta(input_info=[InputAliasInfo(is_leaf=True, new_flag=<Mode.X: 2>)], "
                       "output_info=7, num_intermediate_bases=1, brand_new=Thing(a='b', c=torch.float32))";
    const auto metadata = ir::metadataFromRepr(text);
    REQUIRE(metadata.ok());
    CHECK(metadata->numIntermediateBases == 1);
    REQUIRE(metadata->inputInfo.size() == 1);
    CHECK(metadata->inputInfo[0].isLeaf);
    CHECK(metadata->otherFields ==
          std::vector<ir::OtherField>{{"input_info[0].new_flag", "Mode.X"},
                                      {"output_info", "7"},
                                      {"brand_new", "Thing(a='b', c=torch.float32)"}});
    CHECK(metadata->unreadFields.contains("output_info"));
    CHECK(metadata->unreadFields.contains("input_info[0].mutates_data"));

    ir::ViewAndMutationMeta made;
    made.inputInfo.resize(1);
    made.inputInfo[0].isLeaf = true;
    made.inputInfo[0].mutatesData = true;
    made.inputInfo[0].mutationIsShallowCopyData = false;
    made.outputInfo.resize(3);
    made.isTrain = true;
    CHECK(ir::metadataDifferences(made, *metadata) ==
          std::vector<std::string>{"num_intermediate_bases: made 0, logged 1"});
    CHECK(ir::metadataNotCompared(made, *metadata) ==
          std::vector<std::string>{"input_info[0].new_flag", "output_info", "brand_new"});
}

TEST_CASE("an output without its class is written without it") {
    const auto metadata = ir::metadataFromJson(
        R"({"output_info": [{"output_type": {"enum": "OutputType.is_input"}, "raw_tipe": "FunctionalTensor"}]})");
    REQUIRE(metadata.ok());
    const auto again = ir::metadataFromJson(ir::metadataToJson(*metadata));
    REQUIRE(again.ok());
    CHECK(again->otherFields == metadata->otherFields);
    CHECK(again->unreadFields.contains("output_info[0].raw_type"));
}

TEST_CASE("fields of one release are compared where both sides have them") {
    ir::ViewAndMutationMeta made;
    made.inputInfo.resize(1);
    made.outputInfo.resize(1);
    made.inputInfo[0].mutationIsShallowCopyData = false;
    made.outputInfo[0].requiresGradForBackward = true;
    made.outputInfo[0].rawType = "FunctionalTensor";
    made.subclassInpMeta.emplace(1);
    made.subclassFwGraphOutMeta.emplace(1);
    made.subclassTangentMeta = {{false, 0, ir::TangentLayout{{}, {}, "contiguous_format"}}};
    made.tangentSourceStackTraces = {{ir::SourceLocation{"a.py", 3, "f", "x"}}};
    made.actInputPaths.emplace();
    ir::ViewAndMutationMeta logged = made;
    CHECK(ir::metadataDifferences(made, logged).empty());
    CHECK(ir::metadataNotCompared(made, logged).empty());
    logged.inputInfo[0].mutationIsShallowCopyData = true;
    logged.outputInfo[0].requiresGradForBackward = false;
    logged.subclassTangentMeta->front().layout =
        ir::TangentLayout{ir::SymInts{ir::SymInt(2)}, ir::SymInts{ir::SymInt(1)}, {}};
    logged.tangentSourceStackTraces->front() = std::nullopt;
    logged.actInputPaths->push_back({2, {"inner"}});
    logged.subclassInpMeta->front().unwrappedIdx = 4;
    logged.subclassFwGraphOutMeta->pop_back();
    CHECK(ir::metadataDifferences(made, logged) ==
          std::vector<std::string>{
              "input_info[0].mutation_is_shallow_copy_data: made False, logged True",
              "output_info[0].requires_grad_for_backward: made True, logged False",
              "subclass_inp_meta[0].unwrapped_idx: made 0, logged 4",
              "len(subclass_fw_graph_out_meta): made 1, logged 0",
              "subclass_tangent_meta[0].memory_format: made (size=None, stride=None, "
              "memory_format=contiguous_format), logged (size=(2), stride=(1), memory_format=None)",
              "tangent_source_stack_traces[0]: made a.py:3 in f, logged None",
              "len(act_input_paths): made 0, logged 1"});
    made.subclassTangentMeta.reset();
    CHECK(ir::metadataNotCompared(made, logged) == std::vector<std::string>{"subclass_tangent_meta"});
    const auto written = ir::metadataFromRepr(ir::metadataToRepr(logged));
    REQUIRE(written.ok());
    CHECK(ir::metadataDifferences(logged, *written).empty());
    CHECK(ir::metadataNotCompared(logged, *written).empty());
    CHECK(written->actInputPaths == logged.actInputPaths);
}

TEST_CASE("a difference names the field and both sides") {
    ir::ViewAndMutationMeta made;
    made.inputInfo.resize(2);
    made.outputInfo.resize(1);
    ir::ViewAndMutationMeta logged = made;
    CHECK(ir::metadataDifferences(made, logged).empty());
    logged.inputInfo[1].isLeaf = true;
    logged.outputInfo[0].baseIdx = 1;
    logged.staticInputIndices = {0, 1};
    CHECK(ir::metadataDifferences(made, logged) ==
          std::vector<std::string>{"input_info[1].is_leaf: made False, logged True",
                                   "output_info[0].base_idx: made None, logged 1",
                                   "static_input_indices: made [], logged [0, 1]"});
    CHECK(ir::metadataDifferences(made, logged, false).size() == 2);
}

TEST_CASE("what a tangent's text leaves out is the default") {
    const auto logged =
        ir::metadataFromRepr("ViewAndMutationMeta(traced_tangents=[FakeTensor(..., size=(2,))])");
    REQUIRE(logged.ok());
    ir::ViewAndMutationMeta made = *logged;
    ir::TensorMeta& tangent = made.tracedTangents.front();
    tangent.dtype = ir::DType::Float32;
    tangent.device = ir::Device::parse("cpu");
    CHECK(ir::metadataDifferences(made, *logged).empty());
    tangent.dtype = ir::DType::BFloat16;
    CHECK(ir::metadataDifferences(made, *logged, true, ir::DType::BFloat16).empty());
    tangent.device = ir::Device::parse("cuda:0");
    CHECK(ir::metadataDifferences(made, *logged) ==
          std::vector<std::string>{"traced_tangents[0].dtype: made bfloat16, logged float32",
                                   "traced_tangents[0].device: made cuda:0, logged cpu"});
}

TEST_CASE("tangents that a cached compile has put away are no difference") {
    ir::ViewAndMutationMeta made;
    made.tracedTangents.resize(1);
    made.tracedTangentsDescs.emplace_back(ir::TangentAOTInput{ir::AOTOutput(ir::PlainAOTOutput{0})});
    ir::ViewAndMutationMeta logged = made;
    CHECK(ir::metadataNotCompared(made, logged).empty());
    logged.tracedTangents.clear();
    CHECK(ir::metadataDifferences(made, logged).empty());
    CHECK(ir::metadataNotCompared(made, logged) == std::vector<std::string>{"traced_tangents"});
    // Their descriptors are there, one for each.
    logged.tracedTangentsDescs.push_back(made.tracedTangentsDescs.front());
    CHECK(ir::metadataDifferences(made, logged) ==
          std::vector<std::string>{"len(traced_tangents_descs): made 1, logged 2"});
    logged.tracedTangentsDescs.clear();
    CHECK(ir::metadataDifferences(made, logged) ==
          std::vector<std::string>{"len(traced_tangents): made 1, logged 0"});
}
