#include "wrappers/argument_places.h"

namespace aotscope::torch {

ArgumentPlace placeOf(const aot::CompiledFunction& function, std::size_t argument) {
    const auto* dedupe = aot::appliedWrapper<aot::AOTDedupeWrapper>(function.wrappers);
    const auto* bases = aot::appliedWrapper<aot::AOTSyntheticBaseWrapper>(function.wrappers);
    const std::size_t own = dedupe == nullptr ? argument : dedupe->addDupeMap.at(argument);
    if (bases == nullptr) {
        return {own};
    }
    const auto& merged = bases->syntheticBaseInfo.at(own);
    const auto* view = std::get_if<aot::ViewOfBase>(&merged);
    return {view == nullptr ? std::get<std::size_t>(merged) : view->base, view, bases};
}

std::vector<bool> writtenArguments(const aot::CompiledFunction& function, std::size_t count) {
    const std::vector<ir::InputAliasInfo>& inputs = function.metadata.inputInfo;
    std::vector<bool> written(count);
    for (std::size_t i = 0; i < count; ++i) {
        const ArgumentPlace place = placeOf(function, i);
        written[i] = place.view != nullptr || place.input >= inputs.size() ||
                     inputs[place.input].mutatesData || inputs[place.input].mutatesMetadata ||
                     inputs[place.input].mutatesStorageMetadata;
    }
    return written;
}

} // namespace aotscope::torch
