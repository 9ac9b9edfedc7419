#pragma once

#include "aotscope/aot.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "wrappers/boxed_call.h"

#include "aot/tensor_data.h"
#include "ir/graph.h"

#include "base/result.h"

#include <map>
#include <string>

/// What is behind the handles of aotscope/aot.h.

struct aotscope::Tensor::Impl {
    at::Tensor tensor;
};

struct aotscope::Graph::Impl {
    ir::GraphPtr graph;
    /// The tensors that its get_attr nodes read, by name.
    std::map<std::string, aot::TensorData, std::less<>> constants = {};
};

namespace aotscope::torch::api {

/// An undefined tensor becomes an undefined handle.
[[nodiscard]] Tensor handleOf(at::Tensor tensor);
[[nodiscard]] at::Tensor tensorOf(const Tensor& handle);
[[nodiscard]] Graph handleOf(ir::GraphPtr graph);

[[nodiscard]] c10::IValue boxed(const Value& value);
[[nodiscard]] Value unboxed(const c10::IValue& value);
[[nodiscard]] std::vector<Value> unboxed(const Values& values);

/// A note that begins with aot::pytorchSays becomes the error's pytorchMessage.
[[nodiscard]] Error errorOf(base::Error error);

/// What `work` returns, or the error that it throws: `code` for exceptions without one.
template<typename Work>
auto guarded(const char* code, const Work& work) -> Result<decltype(work())> {
    try {
        return work();
    } catch (const std::exception&) {
        return errorOf(handledError(code));
    }
}

} // namespace aotscope::torch::api
