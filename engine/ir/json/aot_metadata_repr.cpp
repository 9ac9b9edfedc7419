#include "base/joined.h"
#include "ir/json/aot_metadata_json.h"
#include "ir/python_literal.h"
#include "ir/text/descriptor_text.h"

#include <concepts>
#include <set>

namespace aotscope::ir {
namespace {

std::string repr(bool value) {
    return value ? "True" : "False";
}

std::string repr(std::size_t number) {
    return std::to_string(number);
}

std::string repr(const AOTInput& descriptor) {
    return descriptorText(descriptor);
}

/// Members of OutputType count from 1.
std::string repr(OutputType type) {
    return "<OutputType." + std::string(base::wordOf(type)) + ": " +
           std::to_string(static_cast<int>(type) + 1) + ">";
}

std::string tuple(const SymInts& sizes) {
    return "(" + base::joined(sizes) + (sizes.size() == 1 ? ",)" : ")");
}

std::string repr(const TangentMeta& tangent) {
    const std::string index = std::to_string(tangent.unwrappedIdx);
    if (tangent.isSubclass) {
        return "SubclassCreationMeta(flat_tensor_start_idx=" + index + ")";
    }
    std::string format = "None";
    if (tangent.layout) {
        const TangentLayout& layout = *tangent.layout;
        format = "MemoryFormatMeta(size=" + (layout.size ? tuple(*layout.size) : "None") +
                 ", stride=" + (layout.stride ? tuple(*layout.stride) : "None") + ", memory_format=" +
                 (layout.memoryFormat.empty() ? "None" : "torch." + layout.memoryFormat) + ")";
    }
    return "PlainTensorMeta(unwrapped_idx=" + index + ", memory_format=" + format + ")";
}

/// As the innermost frame of a traceback.
std::string repr(const std::optional<SourceLocation>& source) {
    return source ? pythonString("  File \"" + source->file + "\", line " + std::to_string(source->line) +
                                 ", in " + source->function + "\n    " + source->code + "\n")
                  : "None";
}

std::string repr(const CollectiveInput& input) {
    return "(" + std::to_string(input.input) + ", (" + base::joined(input.attributes, ", ", pythonString) +
           (input.attributes.size() == 1 ? ",))" : "))");
}

/// As FakeTensor prints itself: what is the default is left out.
std::string repr(const TensorMeta& tensor) {
    std::string text = "FakeTensor(...";
    if (tensor.device && tensor.device->type != "cpu") {
        text += ", device='" + tensor.device->text() + "'";
    }
    text += ", size=" + tuple(tensor.shape);
    if (tensor.dtype != DType::Float32 && tensor.dtype != DType::Unknown) {
        text += ", dtype=torch." + std::string(dtypeName(tensor.dtype));
    }
    return text + ")";
}

/// Between the items of a list; those of long ones are on lines of their own.
template<typename T>
constexpr const char* separator = ", ";
template<typename T>
requires std::same_as<T, InputAliasInfo> || std::same_as<T, OutputAliasInfo>
constexpr const char* separator<T> = ",\n    ";
template<typename T>
requires std::same_as<T, TensorMeta> || std::same_as<T, TangentMeta> ||
    std::same_as<T, std::optional<SourceLocation>>
constexpr const char* separator<T> = ",\n        ";

/// The listed members as the arguments of a call.
class MembersRepr {
public:
    template<base::HasMembers T>
    static std::string write(const T& value, const std::string& className, const std::string& between) {
        MembersRepr members;
        base::visitMembers(value, members);
        members.m_arguments.insert(members.m_arguments.end(), members.m_last.begin(), members.m_last.end());
        return className + "(" + base::joined(members.m_arguments, between) + ")";
    }

    void operator()(const char* name, const auto& value) { add(name, repr(value)); }
    /// raw_type
    void operator()(const char* name, const std::string& type) { add(name, "<class '" + type + "'>"); }
    void operator()(const char* name, std::optional<bool> flag) {
        if (isOfThisRelease(name, flag)) {
            add(name, flag ? repr(*flag) : "None");
        }
    }
    void operator()(const char* name, std::optional<std::size_t> number) {
        add(name, number ? repr(*number) : "None");
    }
    /// A set.
    void operator()(const char* name, const std::optional<std::vector<std::size_t>>& numbers) {
        add(name, !numbers ? "None" : numbers->empty() ? "set()" : "{" + items(*numbers) + "}");
    }
    template<typename T>
    void operator()(const char* name, const std::vector<T>& list) {
        add(name, "[" + items(list) + "]");
    }
    template<typename T>
    void operator()(const char* name, const std::optional<std::vector<T>>& list) {
        if (list) {
            // PyTorch declares the sources last.
            constexpr bool isLast = std::same_as<T, std::optional<SourceLocation>>;
            (isLast ? m_last : m_arguments).push_back(std::string(name) + "=[" + items(*list) + "]");
        }
    }
    /// PyTorch has none of these.
    void operator()(const char* /*views*/, const std::optional<std::string>&) {}
    void operator()(const char* /*others*/, const std::vector<OtherField>&) {}
    void operator()(const char* /*unread*/, const std::set<std::string, std::less<>>&) {}

private:
    void add(const std::string& name, const std::string& text) { m_arguments.push_back(name + "=" + text); }
    template<typename T>
    static std::string items(const std::vector<T>& list) {
        return base::joined(list, separator<T>, [](const T& item) { return itemRepr(item); });
    }
    static std::string itemRepr(const auto& item) { return repr(item); }
    static std::string itemRepr(const InputAliasInfo& input) {
        return write(input, "InputAliasInfo", ",\n        ");
    }
    static std::string itemRepr(const OutputAliasInfo& output) {
        return write(output, "OutputAliasInfo", ",\n        ");
    }

    std::vector<std::string> m_arguments;
    std::vector<std::string> m_last;
};

} // namespace

std::string metadataToRepr(const ViewAndMutationMeta& metadata) {
    return MembersRepr::write(metadata, "ViewAndMutationMeta", ",\n    ");
}

} // namespace aotscope::ir
