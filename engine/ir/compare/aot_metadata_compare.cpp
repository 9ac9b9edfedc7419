#include "ir/compare/aot_metadata_compare.h"

#include "ir/aot_metadata_fields.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

const char* python(bool value) {
    return value ? "True" : "False";
}

std::string python(const std::vector<std::size_t>& numbers) {
    std::string text = "[";
    for (const std::size_t number : numbers) {
        text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
    }
    return text + "]";
}

std::string python(const std::string& text) {
    return text;
}

std::string python(std::size_t number) {
    return std::to_string(number);
}

template<typename T>
std::string python(const std::optional<T>& value) {
    return value ? std::string(python(*value)) : "None";
}

std::string sizesText(const SymInts& sizes) {
    std::string text = "(";
    for (const SymInt& size : sizes) {
        text += (text.size() == 1 ? "" : ", ") + size.text();
    }
    return text + ")";
}

class Comparison {
public:
    std::vector<std::string> lines;

    template<typename T>
    void field(const std::string& name, const T& made, const T& logged) {
        if (!(made == logged)) {
            lines.push_back(name + ": made " + python(made) + ", logged " + python(logged));
        }
    }
    void tangent(const std::string& name, const TensorMeta& made, const TensorMeta& logged) {
        if (made.subclass || logged.subclass) {
            return;
        }
        field(name + ".shape", sizesText(made.shape), sizesText(logged.shape));
        if (made.stride && logged.stride) {
            field(name + ".stride", sizesText(*made.stride), sizesText(*logged.stride));
        }
        if (made.dtype != DType::Unknown && logged.dtype != DType::Unknown) {
            field(name + ".dtype", std::string(dtypeName(made.dtype)), std::string(dtypeName(logged.dtype)));
        }
        if (made.device && logged.device) {
            field(name + ".device", made.device->text(), logged.device->text());
        }
    }
};

} // namespace

std::vector<std::string> metadataDifferences(const ViewAndMutationMeta& made,
                                             const ViewAndMutationMeta& logged, bool leavesKnown) {
    Comparison comparison;
    comparison.field("len(input_info)", made.inputInfo.size(), logged.inputInfo.size());
    for (std::size_t i = 0; i < std::min(made.inputInfo.size(), logged.inputInfo.size()); ++i) {
        for (const detail::InputField& field : detail::inputFields) {
            if (leavesKnown || field.member != &InputAliasInfo::isLeaf) {
                comparison.field("input_info[" + std::to_string(i) + "]." + field.name,
                                 made.inputInfo[i].*field.member, logged.inputInfo[i].*field.member);
            }
        }
    }
    comparison.field("len(output_info)", made.outputInfo.size(), logged.outputInfo.size());
    for (std::size_t i = 0; i < std::min(made.outputInfo.size(), logged.outputInfo.size()); ++i) {
        const OutputAliasInfo& a = made.outputInfo[i];
        const OutputAliasInfo& b = logged.outputInfo[i];
        const std::string name = "output_info[" + std::to_string(i) + "].";
        comparison.field(name + "output_type", std::string(outputTypeName(a.outputType)),
                         std::string(outputTypeName(b.outputType)));
        comparison.field(name + "raw_type", a.rawType, b.rawType);
        comparison.field(name + "base_idx", a.baseIndex, b.baseIndex);
        comparison.field(name + "dynamic_dims", a.dynamicDims, b.dynamicDims);
        comparison.field(name + "requires_grad", a.requiresGrad, b.requiresGrad);
    }
    comparison.field("num_intermediate_bases", made.numIntermediateBases, logged.numIntermediateBases);
    comparison.field("keep_input_mutations", made.keepInputMutations, logged.keepInputMutations);
    // What AOTAutograd's cache keeps, and logs when it is found there, has put the tangents themselves away.
    const bool fromCache = logged.tracedTangents.empty() && !logged.tracedTangentsDescs.empty();
    if (!fromCache) {
        comparison.field("len(traced_tangents)", made.tracedTangents.size(), logged.tracedTangents.size());
    }
    for (std::size_t i = 0; i < std::min(made.tracedTangents.size(), logged.tracedTangents.size()); ++i) {
        comparison.tangent("traced_tangents[" + std::to_string(i) + "]", made.tracedTangents[i],
                           logged.tracedTangents[i]);
    }
    for (std::size_t i = 0; i < std::min(made.tracedTangentsDescs.size(), logged.tracedTangentsDescs.size());
         ++i) {
        comparison.field("traced_tangents_descs[" + std::to_string(i) + "]",
                         descriptorText(made.tracedTangentsDescs[i]),
                         descriptorText(logged.tracedTangentsDescs[i]));
    }
    comparison.field("is_train", made.isTrain, logged.isTrain);
    comparison.field("grad_enabled_mutation", made.gradEnabledMutation, logged.gradEnabledMutation);
    comparison.field("deterministic", made.deterministic, logged.deterministic);
    comparison.field("static_input_indices", made.staticInputIndices, logged.staticInputIndices);
    comparison.field(detail::backwardMutations, made.indicesOfInputsThatRequireGradWithMutationsInBackward,
                     logged.indicesOfInputsThatRequireGradWithMutationsInBackward);
    return std::move(comparison.lines);
}

} // namespace aotscope::ir
