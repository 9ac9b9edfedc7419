#include "wrappers/written_inputs.h"

#include <variant>

namespace aotscope::torch {

std::vector<bool> writtenArguments(const aot::CompiledFunction& function, std::size_t count) {
    const auto applied = [&]<typename Wrapper>() -> const Wrapper* {
        const aot::WrapperStep* step = aot::findWrapper<Wrapper>(function.wrappers);
        return step != nullptr && step->applies ? &std::get<Wrapper>(step->wrapper) : nullptr;
    };
    const auto* dedupe = applied.operator()<aot::AOTDedupeWrapper>();
    const auto* bases = applied.operator()<aot::AOTSyntheticBaseWrapper>();
    std::vector<bool> written(count, false);
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t place = dedupe != nullptr ? dedupe->addDupeMap.at(i) : i;
        if (bases != nullptr) {
            const auto& argument = bases->syntheticBaseInfo.at(place);
            if (std::holds_alternative<aot::ViewOfBase>(argument)) {
                written[i] = true;
                continue;
            }
            place = std::get<std::size_t>(argument);
        }
        const std::vector<ir::InputAliasInfo>& inputs = function.metadata.inputInfo;
        written[i] = place >= inputs.size() || inputs[place].mutatesData || inputs[place].mutatesMetadata ||
                     inputs[place].mutatesStorageMetadata;
    }
    return written;
}

} // namespace aotscope::torch
