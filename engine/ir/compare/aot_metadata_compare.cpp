#include "ir/compare/aot_metadata_compare.h"

#include "base/joined.h"
#include "ir/text/descriptor_text.h"

#include <algorithm>
#include <concepts>
#include <functional>
#include <set>
#include <string_view>

namespace aotscope::ir {
namespace {

using UnreadFields = std::set<std::string, std::less<>>;

const char* python(bool value) {
    return value ? "True" : "False";
}

std::string python(const std::vector<std::size_t>& numbers) {
    return "[" + base::joined(numbers) + "]";
}

std::string python(const std::string& text) {
    return text;
}

std::string python(std::size_t number) {
    return std::to_string(number);
}

std::string python(OutputType type) {
    return std::string(base::wordOf(type));
}

template<typename T>
std::string python(const std::optional<T>& value) {
    return value ? std::string(python(*value)) : "None";
}

std::string sizesText(const SymInts& sizes) {
    return "(" + base::joined(sizes) + ")";
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

/// What AOTAutograd's cache keeps, and logs when it is found there, has put the tangents themselves away.
bool arePutAway(const ViewAndMutationMeta& logged) {
    return logged.tracedTangents.empty() && !logged.tracedTangentsDescs.empty();
}

/// A list of something else than numbers.
template<typename T>
concept Structure = !std::integral<T>;

/// Compares fields that both sides have.
class Comparison {
public:
    Comparison(const ViewAndMutationMeta& logged, bool leavesKnown, DType defaultDtype)
        : m_logged(logged), m_leavesKnown(leavesKnown), m_defaultDtype(defaultDtype) {}

    std::vector<std::string> lines;

    template<base::HasMembers T>
    void members(const std::string& path, const T& made, const T& logged) {
        base::visitMembers(
            made,
            [&](const char* name, const auto& a, const auto& b) {
                if (m_leavesKnown || std::string_view(name) != "is_leaf") {
                    field(path + name, a, b);
                }
            },
            logged);
    }

private:
    template<typename T>
    void field(const std::string& name, const T& made, const T& logged) {
        if (!(made == logged) && isRead(name)) {
            lines.push_back(name + ": made " + python(made) + ", logged " + python(logged));
        }
    }
    void field(const std::string& name, std::optional<bool> made, std::optional<bool> logged) {
        if (isOfThisRelease(name, made) && isOfThisRelease(name, logged)) {
            field<std::optional<bool>>(name, made, logged);
        }
    }
    void field(const std::string& name, const InputAliasInfo& made, const InputAliasInfo& logged) {
        members(name + ".", made, logged);
    }
    void field(const std::string& name, const OutputAliasInfo& made, const OutputAliasInfo& logged) {
        members(name + ".", made, logged);
    }
    void field(const std::string& name, const AOTInput& made, const AOTInput& logged) {
        field(name, descriptorText(made), descriptorText(logged));
    }
    void field(const std::string& name, const TensorMeta& made, const TensorMeta& logged) {
        if (made.subclass || logged.subclass) {
            return;
        }
        field(name + ".shape", sizesText(made.shape), sizesText(logged.shape));
        if (made.stride && logged.stride) {
            field(name + ".stride", sizesText(*made.stride), sizesText(*logged.stride));
        }
        if (made.dtype != DType::Unknown) {
            const DType theirs = logged.dtype == DType::Unknown ? m_defaultDtype : logged.dtype;
            field(name + ".dtype", std::string(dtypeName(made.dtype)), std::string(dtypeName(theirs)));
        }
        if (made.device) {
            field(name + ".device", made.device->text(),
                  logged.device                ? logged.device->text()
                  : made.device->type == "cpu" ? made.device->text()
                                               : "cpu");
        }
    }
    void field(const std::string& name, const TangentMeta& made, const TangentMeta& logged) {
        if (!made.isSubclass && !logged.isSubclass) {
            field(name + ".unwrapped_idx", made.unwrappedIdx, logged.unwrappedIdx);
            field(name + ".memory_format", layoutText(made), layoutText(logged));
        }
    }
    template<Structure T>
    void field(const std::string& name, const std::vector<T>& made, const std::vector<T>& logged) {
        if (isRead(name)) {
            field("len(" + name + ")", made.size(), logged.size());
            items(name, made, logged);
        }
    }
    /// A list of some releases only.
    template<Structure T>
    void field(const std::string& name, const std::optional<std::vector<T>>& made,
               const std::optional<std::vector<T>>& logged) {
        if (made && logged) {
            field(name, *made, *logged);
        }
    }
    void field(const std::string& name, const std::vector<TensorMeta>& made,
               const std::vector<TensorMeta>& logged) {
        if (!arePutAway(m_logged)) {
            field<TensorMeta>(name, made, logged);
        }
    }
    void field(const std::string& name, const std::vector<AOTInput>& made,
               const std::vector<AOTInput>& logged) {
        // A length that is also that of the tangents is compared with them.
        if (isRead(name) && logged.size() != m_logged.tracedTangents.size()) {
            field("len(" + name + ")", made.size(), logged.size());
        }
        items(name, made, logged);
    }
    /// PyTorch has none of these.
    void field(const std::string& /*views*/, const std::optional<std::string>&,
               const std::optional<std::string>&) {}
    void field(const std::string& /*others*/, const std::vector<OtherField>&,
               const std::vector<OtherField>&) {}
    void field(const std::string& /*unread*/, const UnreadFields&, const UnreadFields&) {}

    template<typename T>
    void items(const std::string& name, const std::vector<T>& made, const std::vector<T>& logged) {
        for (std::size_t i = 0; i < std::min(made.size(), logged.size()); ++i) {
            field(name + "[" + std::to_string(i) + "]", made[i], logged[i]);
        }
    }
    /// Whether the log has the field, in a form that could be read.
    [[nodiscard]] bool isRead(const std::string& name) const { return !m_logged.unreadFields.contains(name); }

    const ViewAndMutationMeta& m_logged;
    bool m_leavesKnown;
    DType m_defaultDtype;
};

/// The names of set members that not all releases have.
class SetMembers {
public:
    std::vector<std::string> names;

    void operator()(const char* /*name*/, const auto& /*member*/) {}
    void operator()(const char* name, const std::optional<bool>& flag) {
        if (flag && !isOfThisRelease(name, std::nullopt)) {
            names.emplace_back(name);
        }
    }
    template<Structure T>
    void operator()(const char* name, const std::optional<std::vector<T>>& list) {
        if (list) {
            names.emplace_back(name);
        }
    }
    void operator()(const char* /*name*/, const std::vector<InputAliasInfo>& infos) { visitAll(infos); }
    void operator()(const char* /*name*/, const std::vector<OutputAliasInfo>& infos) { visitAll(infos); }

private:
    void visitAll(const auto& infos) {
        for (const auto& info : infos) {
            base::visitMembers(info, *this);
        }
    }
};

std::vector<std::string> setMembers(const ViewAndMutationMeta& metadata) {
    SetMembers set;
    base::visitMembers(metadata, set);
    return std::move(set.names);
}

} // namespace

std::vector<std::string> metadataDifferences(const ViewAndMutationMeta& made,
                                             const ViewAndMutationMeta& logged, bool leavesKnown,
                                             DType defaultDtype) {
    Comparison comparison(logged, leavesKnown, defaultDtype);
    comparison.members("", made, logged);
    return std::move(comparison.lines);
}

std::vector<std::string> metadataNotCompared(const ViewAndMutationMeta& made,
                                             const ViewAndMutationMeta& logged) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& name) {
        if (names.empty() || names.back() != name) {
            names.push_back(name);
        }
    };
    if (!made.tracedTangents.empty() && arePutAway(logged)) {
        add("traced_tangents");
    }
    const std::vector<std::string> isMade = setMembers(made);
    for (const std::string& name : setMembers(logged)) {
        if (std::ranges::find(isMade, name) == isMade.end()) {
            add(name);
        }
    }
    for (const OtherField& field : logged.otherFields) {
        add(field.path);
    }
    return names;
}

} // namespace aotscope::ir
