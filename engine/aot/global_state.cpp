#include "aot/global_state.h"

#include <utility>

namespace aotscope::aot {

namespace {

std::string onOrOff(bool value) {
    return value ? "on" : "off";
}

std::string reducedSumsText(ReducedSums sums) {
    switch (sums) {
    case ReducedSums::Allowed:
        return "on";
    case ReducedSums::NotAllowed:
        return "off";
    case ReducedSums::NeitherNorSplit:
        return "off, nor split-K";
    }
    return {};
}

std::string autocastText(const std::vector<AmbientAutocast>& autocasts) {
    std::string text;
    for (const AmbientAutocast& autocast : autocasts) {
        text += (text.empty() ? "" : ", ") + autocast.device + " in " +
                std::string(ir::dtypeName(autocast.dtype));
    }
    return text.empty() ? "off" : text;
}

} // namespace

std::vector<StateFact> stateFacts(const GlobalState& state) {
    const GlobalState usual;
    std::vector<StateFact> facts;
    const auto add = [&facts](std::string name, std::string value, bool isDefault,
                              std::string notFollowed = {}) {
        facts.push_back({std::move(name), std::move(value), isDefault,
                         isDefault ? std::string() : std::move(notFollowed)});
    };
    add("torch.get_default_dtype()", std::string(ir::dtypeName(state.defaultDtype)),
        state.defaultDtype == usual.defaultDtype);
    add("grad mode", onOrOff(state.gradEnabled), state.gradEnabled);
    add("inference mode", onOrOff(state.inferenceMode), !state.inferenceMode,
        "graphs are the same as under no_grad, and calls are made under no_grad");
    add("autocast", autocastText(state.autocasts), state.autocasts.empty());
    add("autocast's cache", onOrOff(state.autocastCache), state.autocastCache);
    add("deterministic algorithms",
        onOrOff(state.deterministic) + (state.deterministicWarnOnly ? ", warn only" : ""),
        !state.deterministic && !state.deterministicWarnOnly);
    add("torch.utils.deterministic.fill_uninitialized_memory", onOrOff(state.fillUninitializedMemory),
        state.fillUninitializedMemory);
    add("torch.backends.cuda.matmul.allow_tf32", onOrOff(state.allowTf32), !state.allowTf32);
    add("torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction", reducedSumsText(state.fp16Sums),
        state.fp16Sums == usual.fp16Sums);
    add("torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction", reducedSumsText(state.bf16Sums),
        state.bf16Sums == usual.bf16Sums);
    add("torch.backends.cuda.matmul.fp32_precision", std::to_string(state.matmulPrecision),
        state.matmulPrecision == usual.matmulPrecision, "runs use LibTorch's default");
    add("torch.get_num_threads()", state.threads ? std::to_string(*state.threads) : "unknown", true);
    add("__torch_function__ of subclasses", onOrOff(state.torchFunction), state.torchFunction,
        "Dynamo's graph calls plain tensors");
    add("__torch_function__", onOrOff(!state.torchFunctionAllDisabled), !state.torchFunctionAllDisabled,
        "Dynamo's graph calls plain tensors");
    return facts;
}

std::string stateLine(const StateFact& fact) {
    return fact.name + ": " + fact.value +
           (fact.notFollowed.empty() ? "" : " (not followed: " + fact.notFollowed + ")");
}

std::vector<std::string> stateLines(const GlobalState& state) {
    std::vector<std::string> lines;
    for (const StateFact& fact : stateFacts(state)) {
        if (!fact.isDefault) {
            lines.push_back(stateLine(fact));
        }
    }
    return lines;
}

} // namespace aotscope::aot
