#include "trace/tangent_metas.h"

namespace aotscope::torch {

namespace {

bool isOfMutatedInput(const ir::AOTInput& descriptor) {
    const auto* tangent = descriptor.as<ir::TangentAOTInput>();
    return tangent != nullptr && tangent->output->as<ir::InputMutationAOTOutput>() != nullptr;
}

} // namespace

std::vector<ir::TangentMeta> tangentMetasWithoutDuplicates(const ir::ViewAndMutationMeta& before,
                                                           const std::vector<ir::AOTInput>& tangents) {
    std::vector<ir::TangentMeta> metas;
    for (const ir::AOTInput& tangent : tangents) {
        if (isOfMutatedInput(tangent)) {
            metas.push_back({.layout = ir::TangentLayout{{}, {}, "contiguous_format"}});
        }
    }
    for (std::size_t i = 0; i < before.tracedTangentsDescs.size(); ++i) {
        if (!isOfMutatedInput(before.tracedTangentsDescs[i])) {
            metas.push_back(before.subclassTangentMeta->at(i));
        }
    }
    return metas;
}

std::vector<ir::TangentMeta> tangentMetasWithBases(const ir::ViewAndMutationMeta& before,
                                                   const ir::ViewAndMutationMeta& meta) {
    std::vector<ir::TangentMeta> metas = *meta.subclassTangentMeta;
    for (std::size_t i = 0; i < metas.size(); ++i) {
        if (isOfMutatedInput(meta.tracedTangentsDescs[i])) {
            metas[i].unwrappedIdx = 0;
        } else if (i < before.subclassTangentMeta->size()) {
            metas[i] = before.subclassTangentMeta->at(i);
        }
    }
    return metas;
}

std::optional<std::vector<std::optional<ir::SourceLocation>>>
sourcesOfTangents(const ir::GraphContents& joint, const std::vector<ir::AOTInput>& tangents) {
    const auto output = joint.output();
    if (!output || joint.node(*output).args.empty()) {
        return std::nullopt;
    }
    const ir::Arguments* items = ir::itemsOf(joint.node(*output).args[0]);
    if (items == nullptr) {
        return std::nullopt;
    }
    const ir::Arguments& returned = *items;
    std::vector<std::optional<ir::SourceLocation>> sources;
    bool isAnyKnown = false;
    for (const ir::AOTInput& tangent : tangents) {
        std::optional<ir::SourceLocation>& source = sources.emplace_back();
        const auto* of = std::get_if<ir::TangentAOTInput>(&tangent.value);
        const auto* plain = of == nullptr ? nullptr : std::get_if<ir::PlainAOTOutput>(&of->output->value);
        if (plain == nullptr || static_cast<std::size_t>(plain->idx) >= returned.size()) {
            continue;
        }
        if (const auto* node = returned[static_cast<std::size_t>(plain->idx)].as<ir::NodeId>()) {
            isAnyKnown = true;
            source = joint.node(*node).origin ? joint.node(*node).origin->source : std::nullopt;
        }
    }
    return isAnyKnown ? std::optional(std::move(sources)) : std::nullopt;
}

} // namespace aotscope::torch
