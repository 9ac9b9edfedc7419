#include "fake/window_sizes.h"

#include <algorithm>
#include <string_view>

namespace aotscope::torch {

namespace {

/// What slides: one entry per dimension, or one for all.
struct Window {
    std::vector<c10::SymInt> kernel;
    std::vector<c10::SymInt> stride;
    std::vector<c10::SymInt> padding;
    std::vector<c10::SymInt> dilation;
    std::vector<c10::SymInt> outputPadding;
    bool transposed = false;
    bool roundUp = false;
};

std::vector<c10::SymInt> numbers(const c10::IValue& value) {
    std::vector<c10::SymInt> list;
    if (value.isList()) {
        for (const c10::IValue& item : value.toListRef()) {
            list.push_back(item.toSymInt());
        }
    }
    return list;
}

c10::SymInt at(const std::vector<c10::SymInt>& list, std::size_t dimension, std::int64_t otherwise) {
    return list.empty() ? c10::SymInt(otherwise) : list[std::min(dimension, list.size() - 1)];
}

c10::SymInt slid(const c10::SymInt& size, const Window& window, std::size_t dimension) {
    const c10::SymInt stride = at(window.stride, dimension, 1);
    const c10::SymInt padding = at(window.padding, dimension, 0);
    const c10::SymInt reach = at(window.dilation, dimension, 1) * (at(window.kernel, dimension, 1) - 1);
    if (window.transposed) {
        return (size - 1) * stride - padding * 2 + reach + at(window.outputPadding, dimension, 0) + 1;
    }
    const c10::SymInt room = size + padding * 2 - reach - 1 + (window.roundUp ? stride - 1 : c10::SymInt(0));
    return room / stride + 1;
}

bool read(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments, Window& window) {
    bool slides = false;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& name = schema.arguments()[i].name();
        const c10::IValue& value = arguments[i];
        if (name == "weight" && value.isTensor() && value.toTensor().defined() &&
            value.toTensor().dim() > 2) {
            const auto sizes = value.toTensor().sym_sizes();
            window.kernel.assign(sizes.begin() + 2, sizes.end());
            slides = true;
        } else if (name == "kernel_size") {
            window.kernel = numbers(value);
            slides = true;
        } else if (name == "stride") {
            window.stride = numbers(value);
        } else if (name == "padding") {
            window.padding = numbers(value);
        } else if (name == "dilation") {
            window.dilation = numbers(value);
        } else if (name == "output_padding") {
            window.outputPadding = numbers(value);
        } else if (name == "transposed" && value.isBool()) {
            window.transposed = value.toBool();
        } else if (name == "ceil_mode" && value.isBool()) {
            window.roundUp = value.toBool();
        }
    }
    if (window.stride.empty()) {
        window.stride = window.kernel;
    }
    return slides;
}

} // namespace

WindowSizes windowSizes(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                        ShapeEnvironment& environment) {
    const std::string_view name = op.operator_name().name;
    const bool slides = name == "aten::convolution" || name.find("_pool") != std::string_view::npos;
    Window window;
    if (!slides || !arguments[0].isTensor() || !arguments[0].toTensor().defined() ||
        !read(op.schema(), arguments, window)) {
        return {};
    }
    const auto sizes = arguments[0].toTensor().sym_sizes();
    WindowSizes found{sizes.size() - std::min(window.kernel.size(), sizes.size()), {}};
    for (std::size_t d = found.first; d < sizes.size(); ++d) {
        const c10::SymInt size =
            asSymbolic(sizes[d]) == nullptr ? sizes[d] : slid(sizes[d], window, d - found.first);
        const SymbolicNode* node = asSymbolic(size);
        if (node == nullptr) {
            found.sizes.push_back(size);
            continue;
        }
        std::vector<double> values;
        for (std::size_t k = 0; k < environment.variants(); ++k) {
            values.push_back(node->value(k));
        }
        // A size of the result, not arithmetic of the program.
        found.sizes.push_back(environment.make(node->expression(), std::move(values), {}));
    }
    return found;
}

} // namespace aotscope::torch
