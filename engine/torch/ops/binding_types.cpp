#include "ops/binding_types.h"

#include <algorithm>
#include <iterator>

namespace aotscope::torch::ops {

TypeParts partsOf(c10::TypePtr type) {
    TypeParts parts;
    if (type->kind() == c10::TypeKind::OptionalType) {
        parts.isOptional = true;
        type = type->expectRef<c10::OptionalType>().getElementType();
    }
    if (type->kind() == c10::TypeKind::ListType) {
        parts.isList = true;
        type = type->expectRef<c10::ListType>().getElementType();
        if (type->kind() == c10::TypeKind::OptionalType) {
            parts.itemsOptional = true;
            type = type->expectRef<c10::OptionalType>().getElementType();
        }
    }
    parts.base = std::move(type);
    return parts;
}

namespace {

/// A type of a schema as a parameter's and in the bindings' signatures, alone and in a list; without a text,
/// as the schema names it.
struct BindingType {
    c10::TypeKind kind;
    Parameter::Type type;
    Parameter::Type listType;
    std::string_view text = {};
    std::string_view listText = {};
};
using Type = Parameter::Type;
constexpr BindingType bindingTypes[] = {
    {c10::TypeKind::TensorType, Type::Tensor, Type::TensorList, "", "TensorList"},
    {c10::TypeKind::IntType, Type::Int, Type::IntList, "int64_t", "IntArrayRef"},
    {c10::TypeKind::SymIntType, Type::Int, Type::IntList, "", "SymIntArrayRef"},
    {c10::TypeKind::FloatType, Type::Float, Type::FloatList, "double", "ArrayRef<double>"},
    {c10::TypeKind::NumberType, Type::Scalar, Type::ScalarList, "Scalar", "ScalarList"},
    {c10::TypeKind::BoolType, Type::Bool, Type::BoolList},
    {c10::TypeKind::ComplexType, Type::Complex, Type::Complex},
    {c10::TypeKind::StringType, Type::String, Type::String, "c10::string_view"},
    {c10::TypeKind::ScalarTypeType, Type::DType, Type::DType},
    {c10::TypeKind::LayoutType, Type::Layout, Type::Layout},
    {c10::TypeKind::MemoryFormatType, Type::MemoryFormat, Type::MemoryFormat},
    {c10::TypeKind::DeviceObjType, Type::Device, Type::Device},
    {c10::TypeKind::GeneratorType, Type::Generator, Type::Generator},
};

BindingType bindingTypeOf(c10::TypeKind kind) {
    const auto* found = std::ranges::find(bindingTypes, kind, &BindingType::kind);
    return found == std::end(bindingTypes) ? BindingType{kind, Type::Other, Type::Other} : *found;
}

} // namespace

Parameter::Type parameterType(const TypeParts& parts) {
    const BindingType known = bindingTypeOf(parts.base->kind());
    return parts.isList ? known.listType : known.type;
}

std::string yamlType(const TypeParts& parts, std::optional<std::int32_t> size) {
    std::string text = parts.base->kind() == c10::TypeKind::NumberType ? "Scalar" : parts.base->str();
    if (parts.isList) {
        text += parts.itemsOptional ? "?" : "";
        text += "[" + (size ? std::to_string(*size) : "") + "]";
    }
    return text + (parts.isOptional ? "?" : "");
}

std::string bindingType(const TypeParts& parts, std::optional<std::int32_t> size) {
    const BindingType known = bindingTypeOf(parts.base->kind());
    std::string text(parts.isList ? known.listText : known.text);
    if (text.empty()) {
        text = parts.isList ? "ArrayRef<" + parts.base->str() + ">" : parts.base->str();
    }
    text += parts.isList && size ? "[" + std::to_string(*size) + "]" : "";
    return text + (parts.isOptional ? "?" : "");
}

} // namespace aotscope::torch::ops
