#include "backend/pack_hook.h"

#include "dispatch/failure.h"
#include "ops/interpreter.h"

#include "hooks/hook_text.h"

#include <c10/core/GradMode.h>

#include <memory>

namespace aotscope::torch {

namespace {

std::int64_t bytesOf(const ops::Value& value) {
    std::int64_t bytes = 0;
    ops::forEachTensor(value, [&](const at::Tensor& tensor) {
        bytes += tensor.defined() ? static_cast<std::int64_t>(tensor.nbytes()) : 0;
    });
    return bytes;
}

ops::Value run(const ir::Graph& graph, ops::Value argument, const aot::TraceRules& rules) {
    const c10::AutoGradMode noGradients(false);
    return ops::Interpreter(rules).run(graph, {std::move(argument)});
}

} // namespace

PackHook packHook(std::string_view text, const aot::TraceRules& rules) {
    auto read = hooks::readHookText(text);
    if (!read) {
        fail(read.error().code, "The saved-tensors hooks cannot be read: " + read.error().message);
    }
    return [graphs = read->graphs, rules](const at::Tensor& tensor) {
        const auto packed = std::make_shared<const ops::Value>(run(*graphs.pack, ops::Value(tensor), rules));
        const auto unpack = [graphs, packed, rules, sizes = tensor.sizes().vec(),
                             type = tensor.scalar_type()] {
            const ops::Value value = run(*graphs.unpack, *packed, rules);
            const auto* unpacked = value.as<at::Tensor>();
            if (unpacked == nullptr || unpacked->sizes() != sizes || unpacked->scalar_type() != type) {
                fail("hooks.round_trip", "The unpack hook does not return a tensor of the shape and dtype "
                                         "of the one that was packed.");
            }
            return *unpacked;
        };
        return PackedTensor{unpack, bytesOf(*packed)};
    };
}

} // namespace aotscope::torch
