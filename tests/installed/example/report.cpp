#include "report.h"

#include <cstdio>
#include <cstring>

using namespace aotscope;

namespace {

std::string numberText(double number) {
    char text[64];
    std::snprintf(text, sizeof text, " %.9g", number);
    return text;
}

std::string elements(const Tensor& tensor) {
    std::string text;
    if (tensor.dtype() == "int64") {
        const std::string bytes = tensor.bytes();
        for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::int64_t)) {
            std::int64_t number = 0;
            std::memcpy(&number, bytes.data() + i, sizeof number);
            text += numberText(static_cast<double>(number));
        }
        return text;
    }
    for (const float number : tensor.floats()) {
        text += numberText(number);
    }
    return text;
}

} // namespace

std::string described(const Value& value) {
    if (const auto* integer = std::get_if<std::int64_t>(&value)) {
        return "int " + std::to_string(*integer);
    }
    if (const auto* number = std::get_if<double>(&value)) {
        return "float" + numberText(*number);
    }
    const auto* tensor = std::get_if<Tensor>(&value);
    if (tensor == nullptr || !tensor->defined()) {
        return "none";
    }
    std::string sizes;
    for (const std::int64_t size : tensor->sizes()) {
        sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
    }
    return tensor->dtype() + " [" + sizes + "]" + elements(*tensor);
}

std::string relation(const Tensor& output, std::span<const Value> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (output.isSame(std::get<Tensor>(inputs[i]))) {
            return "is_input=" + std::to_string(i);
        }
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (output.sharesStorage(std::get<Tensor>(inputs[i]))) {
            return "views_input=" + std::to_string(i);
        }
    }
    return "own";
}

std::string described(const Error& error) {
    std::string text;
    for (const char each : error.pytorchMessage.empty() ? error.message : error.pytorchMessage) {
        if (each == '\n') {
            text += "\\n";
        } else if (each == '\\') {
            text += "\\\\";
        } else {
            text += each;
        }
    }
    return text;
}
