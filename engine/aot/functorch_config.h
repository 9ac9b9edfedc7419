#pragma once

#include "aot/versions/torch_version.h"

#include "base/result.h"

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

/// PyTorch's options that AOTAutograd and the partitioner read: all of `torch._functorch.config`, and those
/// of Inductor's configuration that bear on them. A log holds their values, a person can choose others.
namespace aotscope::aot {

/// One member for each option, with the default of torch 2.11. Texts hold a word ("donated") or, for options
/// that take several kinds of values, Python's text ("None", "True", a list as JSON). What an option does
/// stands in torch/_functorch/config.py; its name, the defaults of other releases and whether it is followed
/// here in configOptions().
struct FunctorchConfig {
    // The trace.
    bool functionalizeRngOps = false;
    bool fakeTensorAllowMeta = true;
    bool decomposeCustomTritonOps = true;
    bool staticWeightShapes = true;
    bool rematUsingTags = true;
    bool unliftEffectTokens = false;
    std::string customOpLayoutConstraint = "needs_exact_strides";
    bool propagateRealTensors = false;
    bool generateFakeKernels = false;
    /// "same_as_forward", "off", or a list of the arguments of `torch.amp.autocast` as JSON.
    std::string backwardPassAutocast = "same_as_forward";
    std::string preferDeviceType = "None";
    bool noZeroTangentForMutatedSubclass = false;
    bool guessTangentStridesAsOutputs = false;
    bool selectiveDecompose = false;
    bool enableComplexWrapper = false;
    bool allowUnsafeDataPtrAccess = true;
    std::string fakeTensorCrossref = "False";
    bool testDisableFunctionalization = true;

    // The partition.
    bool treatParametersAsFreeToSave = true;
    bool cse = true;
    bool scriptObjectsHaveZeroSize = false;
    std::int64_t maxDistFromBw = 1000;
    bool banUsedFarApart = true;
    bool banLongFusibleChains = true;
    bool banMaterializedBackward = true;
    bool banNotInAllowlist = true;
    bool banReductions = true;
    bool recomputeViews = false;
    bool isNonBuiltinToInclude = false;
    double activationMemoryBudget = 1.0;
    bool budgetRequiresFullCoverage = true;
    std::string budgetRuntimeEstimator = "flops";
    std::string budgetSolver = "dp";
    bool aggressiveRecomputation = false;
    bool enableActivationOffloading = false;
    bool offloadSeparateStream = false;
    bool offloadSinkWait = false;
    bool reloadPrefetch = false;
    double offloadBandwidth = 50.0;
    bool unsafeOptimizationOfCollectives = false;
    bool syncDecisionCrossRanks = false;
    bool graphsafeRngFunctionalization = true;
    std::string jointCustomPass = "None";
    std::string savedTensorsHooksFilteringMode = "donated";

    // Calls.
    bool debugAssert = false;
    bool donatedBuffer = true;
    bool viewReplayForAliasedOutputs = true;
    bool checkCustomOpAliasing = true;
    bool errorOnCustomOpAliasing = false;

    // Neither graphs nor numbers.
    bool debugPartitioner = false;
    bool enableAutogradCache = true;
    bool cacheAllowsCustomFunctions = false;
    bool bundledAutogradCache = false;
    bool bypassAutogradCacheKey = false;
    bool cacheNormalizesInputs = true;
    std::string enableRemoteAutogradCache = "None";
    bool visualizeMemoryBudgetPareto = false;
    std::string memoryBudgetParetoDir = "None";
    std::string graphFormat = "svg";
    bool forceNonLazyBackwardLowering = false;
    bool strictAutogradCache = false;
    bool syncCacheDecisionCrossRanks = false;
    bool forceAutogradCache = false;

    // Inductor's (torch._inductor.config).
    bool inductorFallbackRandom = false;
    bool inductorAutoFunctionalizedV2 = true;
    bool inductorJointConstantFolding = true;
    bool inductorPatternMatcher = true;
    bool inductorFreezing = false;
    std::string inductorJointPrePass = "None";
    std::string inductorJointPostPass = "None";
    std::string inductorPostGradFusion = "{}";
    bool inductorEmbeddingBagFallback = false;
    bool inductorShardDimAlltoall = false;

    /// Options of another release, which are not known here, with their text in Python.
    std::map<std::string, std::string> unknown = {};
    /// The options that a person chose; the others are the log's, or the release's defaults.
    std::set<std::string> chosen = {};
    /// Options that the backend sets for its own calls, as Inductor does.
    std::set<std::string> ofBackend = {};
    /// Options that the log cannot tell, so that the release's defaults are assumed, or of which it does not
    /// tell whether the backend set them for its own call, which is assumed.
    std::set<std::string> assumed = {};

    friend bool operator==(const FunctorchConfig&, const FunctorchConfig&) = default;
};

/// What an option can change.
namespace touches {
inline constexpr unsigned nothing = 0;
/// The joint or inference graph, and the metadata of its trace.
inline constexpr unsigned trace = 1;
/// The halves: what is saved, and the graphs.
inline constexpr unsigned partition = 2;
/// What a call does at run time.
inline constexpr unsigned call = 4;
inline constexpr unsigned all = trace | partition | call;
} // namespace touches

struct ConfigOption {
    using Member = std::variant<bool FunctorchConfig::*, std::int64_t FunctorchConfig::*,
                                double FunctorchConfig::*, std::string FunctorchConfig::*>;

    /// "cse"; those of other modules with the module: "torch._inductor.config.freezing".
    std::string_view name;
    Member member;
    unsigned touches = touches::nothing;
    /// The values that are followed, apart from the default, with spaces between them: "True False"; "*":
    /// all.
    std::string_view followed = "";
    /// Words that a text may be, with spaces between them; empty: any text.
    std::string_view words = "";
    /// Whether a text is a value; null: any is.
    bool (*accepts)(std::string_view text) = nullptr;
    /// The first release that has it.
    TorchVersion since = {2, 11};
    /// The default of releases from `changed` on, if it is another one.
    std::string_view changedTo = "";
    TorchVersion changed = {2, 15};
    /// It is read only where a part of the memory is the budget.
    bool isUnderBudget = false;
    /// Which of what it touches hangs on who set it, the process or its backend.
    unsigned touchesBySetter = touches::all;
};

/// All options, in the order of torch/_functorch/config.py; then those of other modules.
[[nodiscard]] std::span<const ConfigOption> configOptions();
/// Those that the release has, and others that have another value than their default.
[[nodiscard]] std::vector<const ConfigOption*> shownOptions(const FunctorchConfig& config,
                                                            TorchVersion release);
/// Flags of aot::touches in words: "trace, call"; "nothing".
[[nodiscard]] std::string touchesText(unsigned touched);
/// Null: there is none. The name may begin with "torch._functorch.config.".
[[nodiscard]] const ConfigOption* tryConfigOption(std::string_view name);

/// The defaults of the release whose rules apply to graphs of `release`.
[[nodiscard]] FunctorchConfig defaultConfig(TorchVersion release);

/// An option's value as Python writes it: True, 0.5, 'donated', None.
[[nodiscard]] std::string optionText(const FunctorchConfig& config, const ConfigOption& option);
/// Whether the value is the default of the release.
[[nodiscard]] bool isDefault(const FunctorchConfig& config, const ConfigOption& option, TorchVersion release);
/// Whether the engine does what the value asks for; true for options that change no graph and no number.
[[nodiscard]] bool isFollowed(const FunctorchConfig& config, const ConfigOption& option,
                              TorchVersion release);

/// The options that touch it, that the log does not tell and that nobody chose. Those that decide nothing
/// under this configuration are left out.
[[nodiscard]] std::vector<const ConfigOption*> assumedOptions(const FunctorchConfig& config,
                                                              unsigned touched);

/// Sets an option from text: Python's or JSON's (True, true, 0.5, 'off', "off", off). Errors:
/// aot.config_option (no such option: names some that are near; not a value of it: names what is).
[[nodiscard]] base::Result<void> setOption(FunctorchConfig& config, std::string_view name,
                                           std::string_view text);

/// A choice of a person: NAME=VALUE.
struct ConfigSetting {
    std::string name;
    std::string text;
    friend bool operator==(const ConfigSetting&, const ConfigSetting&) = default;
};
/// From "cse=False". Errors: aot.config_option.
[[nodiscard]] base::Result<ConfigSetting> configSettingFrom(std::string_view text);
/// With these choices, which are noted in FunctorchConfig::chosen. Errors: those of setOption.
[[nodiscard]] base::Result<FunctorchConfig> withSettings(FunctorchConfig config,
                                                         std::span<const ConfigSetting> settings);

/// What a verdict holds for, a line each: the options that have another value than the release's default and
/// can change what the verdict is about ("activation_memory_budget = 0.0 (from the log)"), with those that
/// are not followed ("selective_decompose = True (from the log), which is not followed").
[[nodiscard]] std::vector<std::string> configurationLines(const FunctorchConfig& config, TorchVersion release,
                                                          unsigned touched);
/// The same as sentences, one of all options that differ and one of each that the log does not have; empty:
/// all have the defaults of the release.
[[nodiscard]] std::string configurationNote(const FunctorchConfig& config, TorchVersion release,
                                            unsigned touched);

} // namespace aotscope::aot
