// Duplicates and aliased inputs, compared with the state of AOTDedupeWrapper and AOTSyntheticBaseWrapper that
// PyTorch recorded.
#include "golden_units.h"

#include "aot/input_aliases.h"

using namespace aotscope;
using test::Json;

namespace {

aot::TracedArgument tensorArgument(std::size_t index, std::size_t tensor, std::size_t storage) {
    aot::TracedArgument argument{"PlainAOTInput(idx=" + std::to_string(index) + ")", aot::TracedTensor{}};
    argument.tensor->tensor = tensor;
    argument.tensor->storage = storage;
    argument.tensor->meta.dtype = ir::DType::Float32;
    argument.tensor->meta.shape = {4};
    argument.tensor->meta.stride = ir::SymInts{1};
    argument.tensor->meta.storageOffset = 0;
    return argument;
}

ir::SymInts sizes(const Json& json) {
    ir::SymInts list;
    for (const Json& size : json) {
        list.emplace_back(size.get<std::int64_t>());
    }
    return list;
}

std::vector<ir::InputAliasInfo> inputInfo(const Json& list) {
    Json metadata{{"input_info", list},
                  {"output_info", Json::array()},
                  {"num_intermediate_bases", 0},
                  {"keep_input_mutations", false},
                  {"traced_tangents", Json::array()},
                  {"traced_tangents_descs", Json::array()},
                  {"is_train", false},
                  {"deterministic", false},
                  {"static_input_indices", Json::array()},
                  {"indices_of_inputs_that_requires_grad_with_mutations_in_bw", Json::array()}};
    return test::goldenMetadata(metadata).inputInfo;
}

/// The arguments before the wrapper; `synthetic_base_info` says which share memory and how.
std::vector<aot::TracedArgument> argumentsOf(const Json& info) {
    std::vector<aot::TracedArgument> arguments;
    for (const Json& entry : info) {
        const std::size_t i = arguments.size();
        if (entry.is_number()) {
            arguments.push_back(tensorArgument(i, i, 100 + i));
            continue;
        }
        arguments.push_back(tensorArgument(i, i, entry["synthetic_base_index"]));
        aot::TracedTensor& tensor = *arguments.back().tensor;
        tensor.meta.shape = sizes(entry["view"]["shape"]);
        tensor.meta.stride = sizes(entry["view"]["stride"]);
        tensor.meta.storageOffset = entry["view"]["storage_offset"].get<std::int64_t>();
        tensor.requiresGrad = entry["view"]["requires_grad"];
        tensor.isView = true;
    }
    return arguments;
}

void checkBases(const Json& unit) {
    const Json& recorded = unit["wrappers"]["AOTSyntheticBaseWrapper"];
    const Json& info = unit["synthetic_base_info"];
    const std::vector<aot::TracedArgument> arguments = argumentsOf(info);
    const auto before = inputInfo(recorded["old_input_info"]);
    const auto step = aot::mergeViewInputs(arguments, before, {}, recorded["trace_joint"], false);
    REQUIRE(step.ok());
    CHECK(step->applies == recorded["needs_post_compile"]);
    const auto& wrapper = std::get<aot::AOTSyntheticBaseWrapper>(step->wrapper);
    CHECK(wrapper.oldInputInfo == before);
    CHECK(Json(wrapper.aliasedArgIdxWithMetadataMutations) ==
          recorded["aliased_arg_idx_with_metadata_mutations"]);
    REQUIRE(wrapper.syntheticBaseInfo.size() == info.size());
    for (std::size_t i = 0; i < info.size(); ++i) {
        if (info[i].is_number()) {
            CHECK(std::get<std::size_t>(wrapper.syntheticBaseInfo[i]) == info[i]);
            continue;
        }
        const auto& view = std::get<aot::ViewOfBase>(wrapper.syntheticBaseInfo[i]);
        CHECK(view.base == info[i]["synthetic_base_index"]);
        CHECK(view.size == sizes(info[i]["view"]["shape"]));
        CHECK(view.stride == sizes(info[i]["view"]["stride"]));
        CHECK(view.storageOffset == ir::SymInt(info[i]["view"]["storage_offset"].get<std::int64_t>()));
        CHECK(view.requiresGrad == info[i]["view"]["requires_grad"]);
    }
    // An exported function has no wrapper that could do this.
    const auto refused = aot::mergeViewInputs(arguments, before, {}, true, true);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == "trace.export");
}

void checkDuplicates(const test::GoldenUnit& golden) {
    const Json& recorded = golden.unit["wrappers"]["AOTDedupeWrapper"];
    std::vector<aot::TracedArgument> arguments;
    std::vector<ir::InputAliasInfo> before;
    for (const Json& kept : recorded["add_dupe_map"]) {
        const std::size_t tensor = kept;
        arguments.push_back(tensorArgument(arguments.size(), tensor, tensor));
        before.push_back(golden.function.metadata.inputInfo.at(tensor));
    }
    const auto step = aot::dedupeArguments(arguments, before, false);
    REQUIRE(step.ok());
    CHECK(step->applies == recorded["needs_post_compile"]);
    const auto& wrapper = std::get<aot::AOTDedupeWrapper>(step->wrapper);
    CHECK(Json(wrapper.keepArgMask) == recorded["keep_arg_mask"]);
    CHECK(Json(wrapper.addDupeMap) == recorded["add_dupe_map"]);
    CHECK_FALSE(aot::dedupeArguments(arguments, before, true).ok());
}

void checkIdle(const test::GoldenUnit& golden) {
    std::vector<aot::TracedArgument> arguments;
    for (std::size_t i = 0; i < golden.function.metadata.inputInfo.size(); ++i) {
        arguments.push_back(tensorArgument(i, i, i));
    }
    const auto& before = golden.function.metadata.inputInfo;
    const auto deduped = aot::dedupeArguments(arguments, before, false);
    const auto merged = aot::mergeViewInputs(arguments, before, {}, golden.function.joint, false);
    REQUIRE(deduped.ok());
    REQUIRE(merged.ok());
    const Json& recorded = golden.unit["wrappers"];
    CHECK(deduped->applies == recorded["AOTDedupeWrapper"]["needs_post_compile"]);
    CHECK(merged->applies == recorded["AOTSyntheticBaseWrapper"]["needs_post_compile"]);
    CHECK(std::get<aot::AOTSyntheticBaseWrapper>(merged->wrapper).traceJoint ==
          recorded["AOTSyntheticBaseWrapper"]["trace_joint"]);
}

} // namespace

TEST_CASE("duplicates and aliased inputs are dealt with as PyTorch recorded it" * test::needsCorpus()) {
    int bases = 0;
    int duplicates = 0;
    test::forEachGoldenUnit([&](const test::GoldenUnit& golden) {
        INFO(golden.where);
        const Json& recorded = golden.unit["wrappers"];
        if (recorded["AOTSyntheticBaseWrapper"]["needs_post_compile"] == true) {
            checkBases(golden.unit);
            ++bases;
        } else if (recorded["AOTDedupeWrapper"]["needs_post_compile"] == true) {
            checkDuplicates(golden);
            ++duplicates;
        } else {
            checkIdle(golden);
        }
    });
    CHECK(bases >= 2);
    CHECK(duplicates >= 2);
}

TEST_CASE("a tensor passed twice that nobody mutates is a tensor of its own to the trace") {
    const std::vector<aot::TracedArgument> arguments = {tensorArgument(0, 0, 0), tensorArgument(1, 0, 0)};
    const auto step = aot::dedupeArguments(arguments, std::vector<ir::InputAliasInfo>(2), false);
    REQUIRE(step.ok());
    CHECK_FALSE(step->applies);
    CHECK(step->reason.find("PlainAOTInput(idx=1)") != std::string::npos);
}

TEST_CASE("inputs in one storage that do not overlap need no base") {
    std::vector<aot::TracedArgument> arguments = {tensorArgument(0, 0, 0), tensorArgument(1, 1, 0)};
    std::vector<ir::InputAliasInfo> before(2);
    before[0].mutatesData = true;
    arguments[1].tensor->meta.storageOffset = 4;
    const auto apart = aot::mergeViewInputs(arguments, before, {}, false, false);
    REQUIRE(apart.ok());
    CHECK_FALSE(apart->applies);

    // The columns 0 to 1 and 2 to 3 of one matrix lie among each other, but share nothing.
    for (std::size_t i = 0; i < 2; ++i) {
        arguments[i].tensor->meta.shape = {3, 2};
        arguments[i].tensor->meta.stride = ir::SymInts{4, 1};
        arguments[i].tensor->meta.storageOffset = static_cast<std::int64_t>(2 * i);
    }
    const auto columns = aot::mergeViewInputs(arguments, before, {}, false, false);
    REQUIRE(columns.ok());
    CHECK_FALSE(columns->applies);

    arguments[1].tensor->meta.storageOffset = 1;
    const auto overlapping = aot::mergeViewInputs(arguments, before, {}, false, false);
    REQUIRE(overlapping.ok());
    CHECK(overlapping->applies);
    CHECK_FALSE(std::get<aot::AOTSyntheticBaseWrapper>(overlapping->wrapper).bases.front().isViewBase);

    // With autograd PyTorch refuses views that it cannot relate, and views of other dtypes in any case.
    const auto unrelated = aot::mergeViewInputs(arguments, before, {}, true, false);
    REQUIRE_FALSE(unrelated.ok());
    CHECK(unrelated.error().code == "trace.alias");
    arguments[1].tensor->meta.dtype = ir::DType::Int32;
    const auto otherDtypes = aot::mergeViewInputs(arguments, before, {}, false, false);
    REQUIRE_FALSE(otherDtypes.ok());
    CHECK(otherDtypes.error().notes.front().ends_with("input mutations on views with different dtypes."));
}

TEST_CASE("a view on a base whose sizes change is among the outputs of the graph") {
    std::vector<aot::TracedArgument> arguments = {tensorArgument(0, 0, 0), tensorArgument(1, 1, 0),
                                                  tensorArgument(2, 2, 1)};
    std::vector<ir::InputAliasInfo> before(3);
    before[0].mutatesData = true;
    before[1].mutatesMetadata = true;
    before[2].mutatesMetadata = true;
    const auto step = aot::mergeViewInputs(arguments, before, {}, false, false);
    REQUIRE(step.ok());
    const auto& wrapper = std::get<aot::AOTSyntheticBaseWrapper>(step->wrapper);
    CHECK(wrapper.aliasedArgIdxWithMetadataMutations == std::vector<std::size_t>{1});
    CHECK(std::get<std::size_t>(wrapper.syntheticBaseInfo[2]) == 1);
}
