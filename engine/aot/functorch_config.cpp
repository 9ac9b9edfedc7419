#include "aot/functorch_config.h"

#include "aot/backward_autocast.h"
#include "aot/versions/versions.h"

#include "base/member_count.h"
#include "base/numbers.h"
#include "base/text_search.h"
#include "base/trimmed.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace aotscope::aot {
namespace {

using Config = FunctorchConfig;
using Json = nlohmann::ordered_json;

bool isBackwardAutocast(std::string_view text) {
    return backwardAutocastsFrom(text).has_value();
}

constexpr auto options = std::to_array<ConfigOption>({
    {"functionalize_rng_ops", &Config::functionalizeRngOps, touches::all},
    {"fake_tensor_allow_meta", &Config::fakeTensorAllowMeta, touches::trace},
    {"debug_assert", &Config::debugAssert, touches::call, "*"},
    {"debug_partitioner", &Config::debugPartitioner},
    {"decompose_custom_triton_ops", &Config::decomposeCustomTritonOps, touches::trace},
    {"static_weight_shapes", &Config::staticWeightShapes, touches::trace},
    {"treat_parameters_as_free_to_save", &Config::treatParametersAsFreeToSave, touches::partition, "*"},
    {"cse", &Config::cse, touches::partition, "*"},
    {.name = "unsafe_treat_script_objects_as_zero_size",
     .member = &Config::scriptObjectsHaveZeroSize,
     .touches = touches::partition,
     .since = {2, 15}},
    {"enable_autograd_cache", &Config::enableAutogradCache},
    {"autograd_cache_allow_custom_autograd_functions", &Config::cacheAllowsCustomFunctions},
    {"bundled_autograd_cache", &Config::bundledAutogradCache},
    {"bypass_autograd_cache_key", &Config::bypassAutogradCacheKey},
    {"autograd_cache_normalize_inputs", &Config::cacheNormalizesInputs},
    {"check_custom_op_aliasing", &Config::checkCustomOpAliasing, touches::call},
    {"error_on_custom_op_aliasing", &Config::errorOnCustomOpAliasing, touches::call},
    {"enable_remote_autograd_cache", &Config::enableRemoteAutogradCache},
    {"view_replay_for_aliased_outputs", &Config::viewReplayForAliasedOutputs, touches::call},
    {"max_dist_from_bw", &Config::maxDistFromBw, touches::partition, "*"},
    {"ban_recompute_used_far_apart", &Config::banUsedFarApart, touches::partition, "*"},
    {"ban_recompute_long_fusible_chains", &Config::banLongFusibleChains, touches::partition, "*"},
    {"ban_recompute_materialized_backward", &Config::banMaterializedBackward, touches::partition, "*"},
    {"ban_recompute_not_in_allowlist", &Config::banNotInAllowlist, touches::partition, "*"},
    {"ban_recompute_reductions", &Config::banReductions, touches::partition, "*"},
    {"recompute_views", &Config::recomputeViews, touches::partition, "*"},
    {"is_non_builtin_to_include", &Config::isNonBuiltinToInclude, touches::partition, "*"},
    {"remat_using_tags_for_fwd_loss_bwd_graph", &Config::rematUsingTags, touches::trace},
    {"activation_memory_budget", &Config::activationMemoryBudget, touches::partition, "*"},
    {.name = "activation_memory_budget_require_full_coverage",
     .member = &Config::budgetRequiresFullCoverage,
     .touches = touches::partition,
     .followed = "*",
     .since = {2, 15}},
    {.name = "activation_memory_budget_runtime_estimator",
     .member = &Config::budgetRuntimeEstimator,
     .touches = touches::partition,
     .followed = "flops testing",
     .isUnderBudget = true},
    {.name = "activation_memory_budget_solver",
     .member = &Config::budgetSolver,
     .touches = touches::partition,
     .followed = "dp greedy ilp dp_knapsack_sliding_hirschberg dynamic_memory_budget_dp",
     .isUnderBudget = true},
    {"visualize_memory_budget_pareto", &Config::visualizeMemoryBudgetPareto},
    {"memory_budget_pareto_dir", &Config::memoryBudgetParetoDir},
    {"aggressive_recomputation", &Config::aggressiveRecomputation, touches::partition, "*"},
    {"enable_activation_offloading", &Config::enableActivationOffloading, touches::partition},
    {"activation_offload_separate_stream", &Config::offloadSeparateStream, touches::partition},
    {"activation_offload_sink_wait", &Config::offloadSinkWait, touches::partition},
    {"activation_reload_prefetch", &Config::reloadPrefetch, touches::partition},
    {.name = "activation_offload_cpu_gpu_bw",
     .member = &Config::offloadBandwidth,
     .touches = touches::partition,
     .since = {2, 15}},
    {"fake_tensor_allow_unsafe_data_ptr_access", &Config::allowUnsafeDataPtrAccess},
    {.name = "unlift_effect_tokens",
     .member = &Config::unliftEffectTokens,
     .touches = touches::trace | touches::partition,
     .followed = "*",
     // It is on either way: who set it tells by which operators the trace is decomposed.
     .touchesBySetter = touches::trace},
    {.name = "custom_op_default_layout_constraint",
     .member = &Config::customOpLayoutConstraint,
     .words = "needs_exact_strides needs_fixed_stride_order flexible_layout"},
    {"fake_tensor_crossref", &Config::fakeTensorCrossref},
    {"fake_tensor_propagate_real_tensors", &Config::propagateRealTensors, touches::trace},
    {.name = "backward_pass_autocast",
     .member = &Config::backwardPassAutocast,
     .touches = touches::trace,
     .followed = "*",
     .accepts = isBackwardAutocast},
    {"donated_buffer", &Config::donatedBuffer, touches::partition | touches::call, "*"},
    {"torch_compile_graph_format", &Config::graphFormat},
    {"generate_fake_kernels_from_real_mismatches", &Config::generateFakeKernels, touches::trace},
    {"fake_tensor_prefer_device_type", &Config::preferDeviceType, touches::trace},
    {"graphsafe_rng_functionalization", &Config::graphsafeRngFunctionalization, touches::partition},
    {"force_non_lazy_backward_lowering", &Config::forceNonLazyBackwardLowering},
    {"_test_disable_functionalization", &Config::testDisableFunctionalization},
    {"strict_autograd_cache", &Config::strictAutogradCache},
    {"unsafe_allow_optimization_of_collectives", &Config::unsafeOptimizationOfCollectives, touches::partition,
     "*"},
    {"disable_guess_zero_tangent_for_mutated_input_subclass", &Config::noZeroTangentForMutatedSubclass,
     touches::trace},
    {.name = "guess_tangent_strides_as_outputs",
     .member = &Config::guessTangentStridesAsOutputs,
     .touches = touches::trace,
     .followed = "*",
     .changedTo = "True"},
    {"_sync_decision_cross_ranks", &Config::syncDecisionCrossRanks, touches::partition},
    {.name = "_sync_cache_decision_cross_ranks",
     .member = &Config::syncCacheDecisionCrossRanks,
     .since = {2, 15}},
    {.name = "saved_tensors_hooks_filtering_mode",
     .member = &Config::savedTensorsHooksFilteringMode,
     .touches = touches::partition,
     .followed = "*",
     .words = "donated no_static all"},
    {"joint_custom_pass", &Config::jointCustomPass, touches::partition},
    {"force_autograd_cache", &Config::forceAutogradCache},
    {"selective_decompose", &Config::selectiveDecompose, touches::trace},
    {.name = "enable_complex_wrapper",
     .member = &Config::enableComplexWrapper,
     .touches = touches::partition,
     .since = {2, 15}},
    {"torch._inductor.config.fallback_random", &Config::inductorFallbackRandom, touches::trace, "*"},
    {"torch._inductor.config.enable_auto_functionalized_v2", &Config::inductorAutoFunctionalizedV2,
     touches::trace},
    {"torch._inductor.config.joint_graph_constant_folding", &Config::inductorJointConstantFolding,
     touches::partition},
    {"torch._inductor.config.pattern_matcher", &Config::inductorPatternMatcher, touches::partition},
    {"torch._inductor.config.joint_custom_pre_pass", &Config::inductorJointPrePass, touches::partition},
    {"torch._inductor.config.joint_custom_post_pass", &Config::inductorJointPostPass, touches::partition},
    {"torch._inductor.config.post_grad_fusion_options", &Config::inductorPostGradFusion, touches::partition},
    {"torch._inductor.config.freezing", &Config::inductorFreezing, touches::call},
    {"torch._inductor.config.fallback_embedding_bag_byte_unpack", &Config::inductorEmbeddingBagFallback,
     touches::trace},
    {"torch._inductor.config.decompose_shard_dim_alltoall", &Config::inductorShardDimAlltoall,
     touches::trace},
});
// Each member but unknown, chosen, ofBackend and assumed.
static_assert(options.size() + 4 == base::memberCount<Config>);

constexpr std::string_view functorchPrefix = "torch._functorch.config.";

/// Python's text for a text member: words in quotes, values of other kinds as they are.
std::string quoted(const std::string& text) {
    const bool isValue = text == "None" || text == "True" || text == "False" || text.starts_with('[') ||
                         text.starts_with('{') || text.starts_with('<');
    return isValue ? text : "'" + text + "'";
}

std::string numberText(double number) {
    // Python writes 1.0, not 1.
    return Json(number).dump();
}

std::optional<bool> flagFrom(std::string_view text) {
    if (text == "True" || text == "true" || text == "1") {
        return true;
    }
    if (text == "False" || text == "false" || text == "0") {
        return false;
    }
    return std::nullopt;
}

/// JSON's null, true and false as Python writes them.
std::string valueText(std::string text) {
    const bool wasQuoted = !text.empty() && (text.front() == '\'' || text.front() == '"');
    text = std::string(base::unquoted(text));
    if (wasQuoted) {
        return text;
    }
    return text == "null" ? "None" : text == "true" ? "True" : text == "false" ? "False" : text;
}

base::Error wrongValue(const ConfigOption& option, std::string_view text, std::string_view kind) {
    return {.code = "aot.config_option",
            .message =
                "\"" + std::string(text) + "\" is no value of the option " + std::string(option.name) + ".",
            .hint = "It can be " + std::string(kind) + "."};
}

/// `text` is trimmed. Nothing: set.
std::optional<base::Error> set(Config& config, const ConfigOption& option, const std::string& text) {
    const auto setTo = [&](auto member, const auto& value,
                           std::string_view kind) -> std::optional<base::Error> {
        if (!value) {
            return wrongValue(option, text, kind);
        }
        config.*member = *value;
        return std::nullopt;
    };
    if (const auto* flag = std::get_if<bool Config::*>(&option.member)) {
        return setTo(*flag, flagFrom(text), "True or False");
    }
    if (const auto* whole = std::get_if<std::int64_t Config::*>(&option.member)) {
        return setTo(*whole, base::wholeNumber<std::int64_t>(text), "a whole number");
    }
    if (const auto* number = std::get_if<double Config::*>(&option.member)) {
        return setTo(*number, base::wholeNumber<double>(text), "a number");
    }
    const std::optional<std::string> value = valueText(text);
    if (!option.words.empty() && !base::hasWord(option.words, *value)) {
        return wrongValue(option, text, "one of: " + std::string(option.words));
    }
    if (option.accepts != nullptr && !option.accepts(*value)) {
        return wrongValue(option, text,
                          "same_as_forward, off, or a list such as [{\"device_type\": \"cpu\"}]");
    }
    return setTo(std::get<std::string Config::*>(option.member), value, {});
}

/// Up to five options whose names have a part in common with this name.
std::string nearNames(std::string_view name) {
    std::string near;
    int count = 0;
    for (const ConfigOption& option : options) {
        const bool isNear =
            option.name.find(name) != std::string_view::npos ||
            (name.size() >= 4 && option.name.find(name.substr(0, 4)) != std::string_view::npos);
        if (isNear && count++ < 5) {
            near += (near.empty() ? "" : ", ") + std::string(option.name);
        }
    }
    return near.empty() ? "`open --config` lists the options." : "Perhaps one of: " + near + ".";
}

} // namespace

std::span<const ConfigOption> configOptions() {
    return options;
}

std::vector<const ConfigOption*> shownOptions(const FunctorchConfig& config, TorchVersion release) {
    std::vector<const ConfigOption*> shown;
    for (const ConfigOption& option : options) {
        if (option.since <= rulesVersion(release) || !isDefault(config, option, release)) {
            shown.push_back(&option);
        }
    }
    return shown;
}

const ConfigOption* tryConfigOption(std::string_view name) {
    if (name.starts_with(functorchPrefix)) {
        name.remove_prefix(functorchPrefix.size());
    }
    const auto* const found = std::ranges::find(options, name, &ConfigOption::name);
    return found == options.end() ? nullptr : found;
}

std::vector<const ConfigOption*> assumedOptions(const FunctorchConfig& config, unsigned touched) {
    const bool isBudgetSolved = config.activationMemoryBudget > 0 && config.activationMemoryBudget < 1;
    std::vector<const ConfigOption*> found;
    for (const std::string& name : config.assumed) {
        const ConfigOption* option = tryConfigOption(name);
        if (option != nullptr && !config.chosen.contains(name) &&
            (option->touches & option->touchesBySetter & touched) != 0 &&
            (isBudgetSolved || !option->isUnderBudget)) {
            found.push_back(option);
        }
    }
    return found;
}

FunctorchConfig defaultConfig(TorchVersion release) {
    const TorchVersion nearest = rulesVersion(release);
    Config config;
    for (const ConfigOption& option : options) {
        if (!option.changedTo.empty() && option.changed <= nearest) {
            set(config, option, std::string(option.changedTo));
        }
    }
    return config;
}

std::string optionText(const FunctorchConfig& config, const ConfigOption& option) {
    if (const auto* flag = std::get_if<bool Config::*>(&option.member)) {
        return config.*(*flag) ? "True" : "False";
    }
    if (const auto* whole = std::get_if<std::int64_t Config::*>(&option.member)) {
        return std::to_string(config.*(*whole));
    }
    if (const auto* number = std::get_if<double Config::*>(&option.member)) {
        return numberText(config.*(*number));
    }
    return quoted(config.*std::get<std::string Config::*>(option.member));
}

bool isDefault(const FunctorchConfig& config, const ConfigOption& option, TorchVersion release) {
    return optionText(config, option) == optionText(defaultConfig(release), option);
}

bool isFollowed(const FunctorchConfig& config, const ConfigOption& option, TorchVersion release) {
    return option.touches == touches::nothing || option.followed == "*" ||
           isDefault(config, option, release) ||
           base::hasWord(option.followed, base::unquoted(optionText(config, option)));
}

base::Result<void> setOption(FunctorchConfig& config, std::string_view name, std::string_view text) {
    const ConfigOption* option = tryConfigOption(name);
    if (option == nullptr) {
        return base::Error{.code = "aot.config_option",
                           .message = "There is no option \"" + std::string(name) + "\".",
                           .hint = nearNames(name)};
    }
    if (auto wrong = set(config, *option, std::string(base::trimmed(text)))) {
        return *std::move(wrong);
    }
    return {};
}

base::Result<ConfigSetting> configSettingFrom(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        return base::Error{.code = "aot.config_option",
                           .message = "\"" + std::string(text) + "\" sets no option.",
                           .hint = "Write NAME=VALUE, as in activation_memory_budget=0.5."};
    }
    ConfigSetting setting{std::string(base::trimmed(text.substr(0, equals))),
                          std::string(base::trimmed(text.substr(equals + 1)))};
    FunctorchConfig any;
    AOTSCOPE_CHECK(setOption(any, setting.name, setting.text));
    setting.name = tryConfigOption(setting.name)->name;
    return setting;
}

base::Result<FunctorchConfig> withSettings(FunctorchConfig config, std::span<const ConfigSetting> settings) {
    for (const ConfigSetting& setting : settings) {
        AOTSCOPE_CHECK(setOption(config, setting.name, setting.text));
        config.chosen.emplace(tryConfigOption(setting.name)->name);
    }
    return config;
}

} // namespace aotscope::aot
