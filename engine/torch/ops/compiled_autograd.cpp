#include "ops/compiled_autograd.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "ops/autograd_nodes.h"

#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/dynamo/compiled_autograd.h>

#include <c10/core/GradMode.h>

namespace aotscope::torch::ops {

namespace {

namespace dynamo = ::torch::dynamo::autograd;
using c10::IValue;
using c10::TypeKind;
using ::torch::autograd::variable_list;

constexpr std::string_view validateOutputs = "validate_outputs";

/// An enumerator by its number: packed arguments hold a dtype as 6.
template<typename Enum>
IValue enumerator(const Value& value) {
    return value.is<Enum>() ? IValue(*value.as<Enum>()) : IValue(value.integer());
}

IValue packed(const Value& value, const c10::TypePtr& type);

IValue packedTuple(const Value& value, const c10::TypePtr& type) {
    const auto elements = type->expectRef<c10::TupleType>().elements();
    if (!value.isSequence() || value.items().size() != elements.size()) {
        fail("ops.type", "A value of type " + value.typeName() + " does not fit " + type->str() + ".");
    }
    std::vector<IValue> items;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        items.push_back(packed(value.items()[i], elements[i]));
    }
    return c10::ivalue::Tuple::create(std::move(items));
}

IValue packedList(const Value& value, const c10::TypePtr& type) {
    const c10::TypePtr wanted = type->expectRef<c10::ListType>().getElementType();
    if (wanted->kind() == TypeKind::SymIntType || !value.isSequence()) {
        return toIValue(value, type, std::nullopt, false);
    }
    c10::impl::GenericList list(wanted);
    for (const Value& item : value.items()) {
        list.push_back(packed(item, wanted));
    }
    return list;
}

/// A saved argument as LibTorch's IValuePacker packs it.
IValue packed(const Value& value, const c10::TypePtr& type) {
    switch (type->kind()) {
    case TypeKind::OptionalType:
        return value.isNone() ? IValue()
                              : packed(value, type->expectRef<c10::OptionalType>().getElementType());
    case TypeKind::TupleType:
        return packedTuple(value, type);
    case TypeKind::ListType:
        return packedList(value, type);
    case TypeKind::IntType:
        return value.integer();
    case TypeKind::ScalarTypeType:
        return enumerator<c10::ScalarType>(value);
    case TypeKind::LayoutType:
        return enumerator<c10::Layout>(value);
    case TypeKind::MemoryFormatType:
        return enumerator<c10::MemoryFormat>(value);
    default:
        return toIValue(value, type, std::nullopt, false);
    }
}

variable_list gradients(const Value& value) {
    return base::mapped(value.items(),
                        [](const Value& item) { return item.isNone() ? at::Tensor() : item.tensor(); });
}

Value gradientList(variable_list tensors) {
    auto items = base::mapped(
        tensors, [&](at::Tensor& tensor) { return tensor.defined() ? Value(std::move(tensor)) : Value(); });
    return Value::list(std::move(items));
}

/// `validate_outputs`: checks the gradients that a node returned against the metadata of the next node's
/// inputs, and casts and reduces them to match, as autograd's engine does.
Value validated(const Values& args) {
    using Metadata = std::vector<std::optional<::torch::autograd::InputMetadata>>;
    using Packer = dynamo::IValuePacker<Metadata>;
    const Metadata metadata = Packer::unpack(packed(args[1], Packer::packed_type()));
    variable_list outputs = gradients(args[0]);
    ::torch::autograd::validate_outputs(metadata, outputs,
                                        [](const std::string& message) { return message; });
    return gradientList(std::move(outputs));
}

/// Whether AccumulateGrad adds in place to an existing gradient. LibTorch's own function cannot do this here:
/// it checks for the Batched key of the old vmap, which also marks the tensors of a trace.
bool accumulatesInPlace(std::string_view name, const Values& args) {
    return name == "AccumulateGrad" && !c10::GradMode::is_enabled() && args[2].isTensor() &&
           args[2].tensor().layout() == c10::kStrided && !args.front().items().empty() &&
           args.front().items().front().isTensor();
}

Value accumulatedInPlace(const Values& args) {
    at::Tensor gradient = args[2].tensor();
    gradient.add_(args.front().items().front().tensor());
    return Value::list({gradient});
}

} // namespace

std::optional<std::string_view> autogradNodeOf(std::string_view target) {
    for (const std::string_view prefix :
         {"torch__dynamo_compiled_autograd_ops_", "torch._dynamo.compiled_autograd.ops."}) {
        if (!target.starts_with(prefix)) {
            continue;
        }
        target.remove_prefix(prefix.size());
        // Hand-written node classes have their full C++ names.
        for (const std::string_view scope : {"torch_autograd_", "torch::autograd::"}) {
            if (target.starts_with(scope)) {
                target.remove_prefix(scope.size());
            }
        }
        return target;
    }
    return std::nullopt;
}

bool knowsAutogradNode(std::string_view name) {
    return name == validateOutputs || findAutogradNode(name) != nullptr;
}

Value callAutogradNode(std::string_view name, const Values& args) {
    const bool validates = name == validateOutputs;
    const AutogradNode* node = validates ? nullptr : findAutogradNode(name);
    if (!validates && node == nullptr) {
        fail("ops.unknown_function",
             "LibTorch has no autograd node " + std::string(name) +
                 ": the program that was compiled registered it.",
             "The logged graphs can still be viewed.");
    }
    const std::size_t wanted = 1 + (validates ? 1 : node->saved.size());
    if (args.size() != wanted || !args.front().isSequence()) {
        fail("ops.arguments", "The autograd node " + std::string(name) + " takes a list of gradients and " +
                                  std::to_string(wanted - 1) + " saved values, not " +
                                  argumentTypes(args, {}) + ".");
    }
    if (validates) {
        return validated(args);
    }
    if (accumulatesInPlace(name, args)) {
        return accumulatedInPlace(args);
    }
    std::vector<IValue> saved;
    for (std::size_t i = 0; i < node->saved.size(); ++i) {
        saved.push_back(packed(args[i + 1], node->saved[i]));
    }
    return gradientList(node->backward(gradients(args.front()), saved));
}

} // namespace aotscope::torch::ops
