#include "ir/compare/aot_metadata_compare.h"

#include "ir/aot_metadata_fields.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>
#include <functional>
#include <set>

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

std::string layoutText(const TangentMeta& tangent) {
    if (!tangent.layout) {
        return "None";
    }
    const TangentLayout& layout = *tangent.layout;
    return "(size=" + (layout.size ? sizesText(*layout.size) : "None") +
           ", stride=" + (layout.stride ? sizesText(*layout.stride) : "None") +
           ", memory_format=" + (layout.memoryFormat.empty() ? "None" : layout.memoryFormat) + ")";
}

std::string python(const CollectiveInput& input) {
    std::string text = std::to_string(input.input);
    for (const std::string& attribute : input.attributes) {
        text += "." + attribute;
    }
    return text;
}

std::string python(const std::optional<SourceLocation>& source) {
    return source ? source->file + ":" + std::to_string(source->line) + " in " + source->function
                  : std::string("None");
}

/// Compares fields that both sides have.
class Comparison {
public:
    explicit Comparison(const ViewAndMutationMeta& logged) : m_unread(logged.unreadFields) {}

    std::vector<std::string> lines;

    template<typename T>
    void field(const std::string& name, const T& made, const T& logged) {
        if (!(made == logged) && isRead(name)) {
            lines.push_back(name + ": made " + python(made) + ", logged " + python(logged));
        }
    }
    /// Whether the log has the field, in a form that could be read.
    [[nodiscard]] bool isRead(const std::string& name) const {
        return m_unread.empty() || !m_unread.contains(name);
    }
    /// A field of some releases only.
    template<typename T>
    void optional(const std::string& name, const std::optional<T>& made, const std::optional<T>& logged) {
        if (made && logged) {
            field(name, *made, *logged);
        }
    }
    template<typename T, typename Each>
    void list(const std::string& name, const std::vector<T>& made, const std::vector<T>& logged,
              const Each& compare) {
        if (!isRead(name)) {
            return;
        }
        field("len(" + name + ")", made.size(), logged.size());
        for (std::size_t i = 0; i < std::min(made.size(), logged.size()); ++i) {
            compare(name + "[" + std::to_string(i) + "]", made[i], logged[i]);
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
    void tangentMeta(const std::string& name, const TangentMeta& made, const TangentMeta& logged) {
        if (!made.isSubclass && !logged.isSubclass) {
            field(name + ".unwrapped_idx", made.unwrappedIndex, logged.unwrappedIndex);
            field(name + ".memory_format", layoutText(made), layoutText(logged));
        }
    }

private:
    const std::set<std::string, std::less<>>& m_unread;
};

} // namespace

std::vector<std::string> metadataDifferences(const ViewAndMutationMeta& made,
                                             const ViewAndMutationMeta& logged, bool leavesKnown) {
    Comparison comparison(logged);
    comparison.list("input_info", made.inputInfo, logged.inputInfo,
                    [&](const std::string& name, const InputAliasInfo& a, const InputAliasInfo& b) {
                        for (const detail::InputField& field : detail::inputFields) {
                            if (leavesKnown || field.member != &InputAliasInfo::isLeaf) {
                                comparison.field(name + "." + field.name, a.*field.member, b.*field.member);
                            }
                        }
                        comparison.optional(name + "." + detail::shallowCopy, a.mutationIsShallowCopyData,
                                            b.mutationIsShallowCopyData);
                    });
    comparison.list("output_info", made.outputInfo, logged.outputInfo,
                    [&](const std::string& name, const OutputAliasInfo& a, const OutputAliasInfo& b) {
                        comparison.field(name + ".output_type", std::string(base::wordOf(a.outputType)),
                                         std::string(base::wordOf(b.outputType)));
                        comparison.field(name + ".raw_type", a.rawType, b.rawType);
                        comparison.field(name + ".base_idx", a.baseIndex, b.baseIndex);
                        comparison.field(name + ".dynamic_dims", a.dynamicDims, b.dynamicDims);
                        comparison.field(name + ".requires_grad", a.requiresGrad, b.requiresGrad);
                        comparison.optional(name + "." + detail::gradForBackward, a.requiresGradForBackward,
                                            b.requiresGradForBackward);
                    });
    comparison.field("num_intermediate_bases", made.numIntermediateBases, logged.numIntermediateBases);
    comparison.field("keep_input_mutations", made.keepInputMutations, logged.keepInputMutations);
    // What AOTAutograd's cache keeps, and logs when it is found there, has put the tangents themselves away.
    const bool fromCache = logged.tracedTangents.empty() && !logged.tracedTangentsDescs.empty();
    if (!fromCache) {
        comparison.list("traced_tangents", made.tracedTangents, logged.tracedTangents,
                        [&](const std::string& name, const TensorMeta& a, const TensorMeta& b) {
                            comparison.tangent(name, a, b);
                        });
    }
    for (std::size_t i = 0; i < std::min(made.tracedTangentsDescs.size(), logged.tracedTangentsDescs.size());
         ++i) {
        comparison.field("traced_tangents_descs[" + std::to_string(i) + "]",
                         descriptorText(made.tracedTangentsDescs[i]),
                         descriptorText(logged.tracedTangentsDescs[i]));
    }
    if (made.tangentMetas && logged.tangentMetas) {
        comparison.list(detail::tangentMetas, *made.tangentMetas, *logged.tangentMetas,
                        [&](const std::string& name, const TangentMeta& a, const TangentMeta& b) {
                            comparison.tangentMeta(name, a, b);
                        });
    }
    if (made.tangentSources && logged.tangentSources) {
        comparison.list(detail::tangentSources, *made.tangentSources, *logged.tangentSources,
                        [&](const std::string& name, const auto& a, const auto& b) {
                            comparison.field(name, python(a), python(b));
                        });
    }
    comparison.optional("is_train", made.isTrain, logged.isTrain);
    comparison.field("grad_enabled_mutation", made.gradEnabledMutation, logged.gradEnabledMutation);
    comparison.field("deterministic", made.deterministic, logged.deterministic);
    comparison.field("static_input_indices", made.staticInputIndices, logged.staticInputIndices);
    comparison.field(detail::backwardMutations, made.indicesOfInputsThatRequireGradWithMutationsInBackward,
                     logged.indicesOfInputsThatRequireGradWithMutationsInBackward);
    if (made.collectiveInputs && logged.collectiveInputs) {
        comparison.list(detail::collectiveInputs, *made.collectiveInputs, *logged.collectiveInputs,
                        [&](const std::string& name, const CollectiveInput& a, const CollectiveInput& b) {
                            comparison.field(name, python(a), python(b));
                        });
    }
    return std::move(comparison.lines);
}

namespace {

template<typename T, typename Is>
bool anyOf(const std::vector<T>& items, const Is& is) {
    return std::ranges::any_of(items, is);
}

} // namespace

std::vector<std::string> metadataNotCompared(const ViewAndMutationMeta& made,
                                             const ViewAndMutationMeta& logged) {
    std::vector<std::string> names;
    const auto add = [&](const char* name, bool isLogged, bool isMade) {
        if (isLogged && !isMade) {
            names.emplace_back(name);
        }
    };
    const auto hasShallow = [](const InputAliasInfo& input) {
        return input.mutationIsShallowCopyData.has_value();
    };
    const auto hasGrad = [](const OutputAliasInfo& output) {
        return output.requiresGradForBackward.has_value();
    };
    add(detail::shallowCopy, anyOf(logged.inputInfo, hasShallow), anyOf(made.inputInfo, hasShallow));
    add(detail::gradForBackward, anyOf(logged.outputInfo, hasGrad), anyOf(made.outputInfo, hasGrad));
    add(detail::tangentMetas, logged.tangentMetas.has_value(), made.tangentMetas.has_value());
    add(detail::tangentSources, logged.tangentSources.has_value(), made.tangentSources.has_value());
    add("is_train", logged.isTrain.has_value(), made.isTrain.has_value());
    add(detail::collectiveInputs, logged.collectiveInputs.has_value(), made.collectiveInputs.has_value());
    for (const OtherField& field : logged.otherFields) {
        if (names.empty() || names.back() != field.path) {
            names.push_back(field.path);
        }
    }
    return names;
}

} // namespace aotscope::ir
