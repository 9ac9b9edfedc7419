#include "ops/binding_types.h"

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

Parameter::Type parameterType(const TypeParts& parts) {
    using Type = Parameter::Type;
    switch (parts.base->kind()) {
    case c10::TypeKind::TensorType:
        return parts.isList ? Type::TensorList : Type::Tensor;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType:
        return parts.isList ? Type::IntList : Type::Int;
    case c10::TypeKind::FloatType:
        return parts.isList ? Type::FloatList : Type::Float;
    case c10::TypeKind::NumberType:
        return parts.isList ? Type::ScalarList : Type::Scalar;
    case c10::TypeKind::BoolType:
        return parts.isList ? Type::BoolList : Type::Bool;
    case c10::TypeKind::ComplexType:
        return Type::Complex;
    case c10::TypeKind::StringType:
        return Type::String;
    case c10::TypeKind::ScalarTypeType:
        return Type::DType;
    case c10::TypeKind::LayoutType:
        return Type::Layout;
    case c10::TypeKind::MemoryFormatType:
        return Type::MemoryFormat;
    case c10::TypeKind::DeviceObjType:
        return Type::Device;
    case c10::TypeKind::GeneratorType:
        return Type::Generator;
    default:
        return Type::Other;
    }
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
    std::string text;
    const c10::TypeKind kind = parts.base->kind();
    if (parts.isList) {
        text = kind == c10::TypeKind::SymIntType   ? "SymIntArrayRef"
               : kind == c10::TypeKind::IntType    ? "IntArrayRef"
               : kind == c10::TypeKind::TensorType ? "TensorList"
               : kind == c10::TypeKind::NumberType ? "ScalarList"
               : kind == c10::TypeKind::FloatType  ? "ArrayRef<double>"
                                                   : "ArrayRef<" + parts.base->str() + ">";
        if (size) {
            text += "[" + std::to_string(*size) + "]";
        }
    } else {
        text = kind == c10::TypeKind::IntType      ? "int64_t"
               : kind == c10::TypeKind::FloatType  ? "double"
               : kind == c10::TypeKind::StringType ? "c10::string_view"
               : kind == c10::TypeKind::NumberType ? "Scalar"
                                                   : parts.base->str();
    }
    return text + (parts.isOptional ? "?" : "");
}

} // namespace aotscope::torch::ops
