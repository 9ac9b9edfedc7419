#include "ops/interpreter.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "fake/shape_environment.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace aotscope::torch::ops {

namespace {

/// A tensor input of the backward graph; symbolic sizes have their logged values.
struct Expected {
    c10::ScalarType dtype = c10::ScalarType::Undefined;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
};

std::optional<Expected> expectedOf(const ir::Graph& graph, const ir::Node& read) {
    const ir::TensorMeta* meta = ir::asTensor(read.value);
    if (meta == nullptr || !meta->stride) {
        return std::nullopt;
    }
    Expected expected;
    const auto dtype = scalarType(meta->dtype);
    auto sizes = ir::valuesOf(meta->shape, graph.symbolHints());
    auto strides = ir::valuesOf(*meta->stride, graph.symbolHints());
    if (!dtype || !sizes || !strides) {
        return std::nullopt;
    }
    expected.dtype = *dtype;
    expected.sizes = *std::move(sizes);
    expected.strides = *std::move(strides);
    return expected;
}

/// The inputs that `getitem` nodes read from the result, by position.
std::map<std::size_t, Expected> readFrom(const NodeCall& call) {
    std::map<std::size_t, Expected> places;
    for (const ir::NodeId user : call.graph.users(call.node)) {
        const ir::Node& read = call.graph.node(user);
        const auto picked = ir::pickedResult(read);
        if (auto expected = picked ? expectedOf(call.graph, read) : std::nullopt) {
            places.emplace(picked->index, *std::move(expected));
        }
    }
    return places;
}

bool fits(const Value& gradient, const Expected& expected) {
    return gradient.isTensor() && gradient.tensor().scalar_type() == expected.dtype &&
           sampledValues(gradient.tensor().sym_sizes(), 0) == expected.sizes;
}

/// The gradient in the memory format of the traced tangent.
at::Tensor coerced(const at::Tensor& gradient, const Expected& expected) {
    if (sampledValues(gradient.sym_strides(), 0) == expected.strides) {
        return gradient;
    }
    // PyTorch enforces only the memory format, not the strides (guess_tangent_strides_as_outputs is off).
    const std::vector<std::int64_t>& sizes = expected.sizes;
    const std::vector<std::int64_t>& strides = expected.strides;
    if (sizes.size() == 4 && strides == c10::get_channels_last_strides_2d(sizes)) {
        return gradient.contiguous(c10::MemoryFormat::ChannelsLast);
    }
    if (sizes.size() == 5 && strides == c10::get_channels_last_strides_3d(sizes)) {
        return gradient.contiguous(c10::MemoryFormat::ChannelsLast3d);
    }
    return gradient.contiguous();
}

} // namespace

bool isBackwardPrologue(std::string_view target) {
    // FX appends a number where a graph has several functions of one name.
    constexpr std::string_view name = "call_aot_bwd_prologue";
    const std::size_t at = target.find(name);
    if (at == std::string_view::npos || !target.starts_with("torch")) {
        return false;
    }
    const std::string_view rest = target.substr(at + name.size());
    return rest.empty() ||
           (rest.size() > 1 && rest[0] == '_' &&
            std::ranges::all_of(rest.substr(1), [](unsigned char c) { return std::isdigit(c); }));
}

namespace {

/// One argument each, or since torch 2.15 all in one tuple.
Values gradientsOf(const NodeCall& call) {
    if (call.args.size() == 4 && call.args[3].isSequence()) {
        const auto items = call.args[3].items();
        return {items.begin(), items.end()};
    }
    return {call.args.begin() + 3, call.args.end()};
}

} // namespace

Value backwardPrologue(const NodeCall& call) {
    if (call.args.size() < 3) {
        fail("ops.arguments",
             "The prologue of a compiled backward takes saved tensors, symbols, opaque objects and "
             "gradients, not " +
                 argumentTypes(call.args, call.kwargs) + ".");
    }
    Values inputs;
    for (const std::size_t part : {1, 0, 2}) {
        const auto items = call.args[part].items();
        inputs.insert(inputs.end(), items.begin(), items.end());
    }
    const std::map<std::size_t, Expected> read = readFrom(call);
    for (const Value& gradient : gradientsOf(call)) {
        const auto expected = read.find(inputs.size());
        if (expected == read.end()) {
            // An output that needs no gradient has None here.
            if (gradient.isTensor()) {
                inputs.push_back(gradient);
            }
        } else if (fits(gradient, expected->second)) {
            inputs.push_back(coerced(gradient.tensor(), expected->second));
        }
    }
    if (!read.empty() && read.rbegin()->first >= inputs.size()) {
        fail("ops.arguments", "No gradient fits the input " + std::to_string(read.rbegin()->first) +
                                  " of the backward that AOTAutograd compiled.");
    }
    return Value::list(std::move(inputs));
}

} // namespace aotscope::torch::ops
