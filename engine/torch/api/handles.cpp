#include "api/handles.h"

#include "aot/pytorch_message.h"
#include "base/mapped.h"
#include "base/overloaded.h"

#include <algorithm>

namespace aotscope {

std::string Error::text() const {
    std::string text = code + ": " + message;
    for (const std::string& note : notes) {
        text += "\n  " + note;
    }
    if (!pytorchMessage.empty()) {
        text += "\n  " + std::string(aot::pytorchSays) + pytorchMessage;
    }
    if (!hint.empty()) {
        text += "\n  " + hint;
    }
    return text;
}

namespace torch::api {

Tensor handleOf(at::Tensor tensor) {
    return tensor.defined() ? Tensor(std::make_shared<Tensor::Impl>(Tensor::Impl{std::move(tensor)}))
                            : Tensor();
}

at::Tensor tensorOf(const Tensor& handle) {
    return handle.defined() ? handle.impl()->tensor : at::Tensor();
}

Graph handleOf(ir::GraphPtr graph) {
    return Graph(std::make_shared<const Graph::Impl>(Graph::Impl{.graph = std::move(graph)}));
}

c10::IValue boxed(const Value& value) {
    return std::visit(base::Overloaded{[](std::monostate) { return c10::IValue(); },
                                       [](const Tensor& tensor) { return c10::IValue(tensorOf(tensor)); },
                                       [](auto number) { return c10::IValue(number); }},
                      value);
}

Value unboxed(const c10::IValue& value) {
    if (value.isTensor()) {
        return value.toTensor().defined() ? Value(handleOf(value.toTensor())) : Value();
    }
    if (value.isBool()) {
        return value.toBool();
    }
    if (value.isInt()) {
        return value.toInt();
    }
    if (value.isDouble()) {
        return value.toDouble();
    }
    if (value.isSymInt()) {
        return value.toSymInt().guard_int(__FILE__, __LINE__);
    }
    if (!value.isNone()) {
        fail("aot.unsupported", "A result of type " + value.tagKind() + " cannot be handed to the caller.",
             "Return tensors and numbers.");
    }
    return {};
}

std::vector<Value> unboxed(const Values& values) {
    return base::mapped(values, [&](const c10::IValue& value) { return unboxed(value); });
}

Error errorOf(base::Error error) {
    Error made;
    made.code = std::move(error.code);
    made.message = std::move(error.message);
    made.hint = std::move(error.hint);
    for (std::string& note : error.notes) {
        if (note.starts_with(aot::pytorchSays)) {
            made.pytorchMessage = note.substr(aot::pytorchSays.size());
        } else {
            made.notes.push_back(std::move(note));
        }
    }
    if (!error.place.node.empty()) {
        made.notes.push_back("at the node " + error.place.node);
    }
    if (error.place.line != 0) {
        made.notes.push_back("in line " + std::to_string(error.place.line) + ", column " +
                             std::to_string(error.place.column));
    }
    return made;
}

} // namespace torch::api

} // namespace aotscope
