#include "aot/wrapper_step.h"

#include <array>

namespace aotscope::aot {

std::string_view wrapperName(const Wrapper& wrapper) {
    // In the order of the variant.
    constexpr std::array<std::string_view, 9> names = {"AOTDedupeWrapper",
                                                       "AOTSyntheticBaseWrapper",
                                                       "EffectTokensWrapper",
                                                       "AOTDispatchSubclassWrapper",
                                                       "FunctionalizedRngRuntimeWrapper",
                                                       "FakifiedOutWrapper",
                                                       "AOTDispatchAutograd",
                                                       "RuntimeWrapper",
                                                       "DebugAssertWrapper"};
    static_assert(names.size() == std::variant_size_v<Wrapper>);
    return names.at(wrapper.index());
}

std::span<const std::string_view> sourceSections(const Wrapper& wrapper) {
    constexpr static std::array<std::string_view, 1> dedupe = {"dedup_wrapper"};
    constexpr static std::array<std::string_view, 1> syntheticBase = {"synthetic_base_wrapper"};
    constexpr static std::array<std::string_view, 1> effectTokens = {"effect_tokens_wrapper"};
    constexpr static std::array<std::string_view, 3> subclass = {
        "subclass_wrapper", "backward_subclass_unwrap", "backward_subclass_wrapper"};
    constexpr static std::array<std::string_view, 1> rng = {"functionalized_rng_wrapper"};
    constexpr static std::array<std::string_view, 5> autograd = {
        "backward_prologue", "backward_epilogue", "compiled_function_forward", "compiled_function_backward",
        "compiled_fn_wrapper"};
    constexpr static std::array<std::string_view, 3> runtime = {"mutation_epilogue", "output_alias_wrapper",
                                                                "runtime_wrapper_orchestration"};
    constexpr static std::array<std::string_view, 1> debugAssert = {"debug_assert_wrapper"};
    // In the order of the variant.
    constexpr static std::array<std::span<const std::string_view>, 9> sections = {
        dedupe, syntheticBase, effectTokens, subclass, rng, {}, autograd, runtime, debugAssert};
    static_assert(sections.size() == std::variant_size_v<Wrapper>);
    return sections.at(wrapper.index());
}

} // namespace aotscope::aot
