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

} // namespace aotscope::aot
