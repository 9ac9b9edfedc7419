#include "api/handles.h"
#include "base/mapped.h"
#include "dispatch/dtypes.h"
#include "run/execution/generator_seed.h"
#include "run/inputs/tensor_data.h"

#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>

namespace aotscope {

Result<Tensor> Tensor::fromBytes(std::string_view dtype, std::vector<std::int64_t> sizes,
                                 std::string_view bytes, bool requiresGrad) {
    return torch::api::guarded("run.unsupported_input", [&] {
        at::Tensor tensor = torch::tensorFromData({std::string(dtype), std::move(sizes), std::string(bytes)});
        tensor.requires_grad_(requiresGrad);
        return torch::api::handleOf(std::move(tensor));
    });
}

Result<Tensor> Tensor::fromFloats(std::vector<std::int64_t> sizes, std::span<const float> elements,
                                  bool requiresGrad) {
    return fromBytes("float32", std::move(sizes),
                     {reinterpret_cast<const char*>(elements.data()), elements.size_bytes()}, requiresGrad);
}

std::string Tensor::dtype() const {
    return defined() ? torch::dtypeText(m_impl->tensor.scalar_type()) : std::string();
}

std::vector<std::int64_t> Tensor::sizes() const {
    return defined() ? m_impl->tensor.sizes().vec() : std::vector<std::int64_t>();
}

std::vector<std::int64_t> Tensor::strides() const {
    return defined() ? m_impl->tensor.strides().vec() : std::vector<std::int64_t>();
}

std::int64_t Tensor::storageOffset() const {
    return defined() ? m_impl->tensor.storage_offset() : 0;
}

std::string Tensor::bytes() const {
    const c10::AutoGradMode noGrad(false);
    return defined() ? torch::tensorData(m_impl->tensor).bytes : std::string();
}

std::vector<float> Tensor::floats() const {
    if (!defined()) {
        return {};
    }
    const c10::AutoGradMode noGrad(false);
    const at::Tensor flat = m_impl->tensor.resolve_conj().resolve_neg().to(at::kFloat).contiguous();
    const auto* first = flat.const_data_ptr<float>();
    return {first, first + flat.numel()};
}

bool Tensor::requiresGrad() const {
    return defined() && m_impl->tensor.requires_grad();
}

bool Tensor::isLeaf() const {
    return defined() && m_impl->tensor.is_leaf();
}

std::string Tensor::gradFn() const {
    return defined() && m_impl->tensor.grad_fn() ? m_impl->tensor.grad_fn()->name() : std::string();
}

Tensor Tensor::grad() const {
    return defined() ? torch::api::handleOf(m_impl->tensor.grad()) : Tensor();
}

void Tensor::clearGrad() {
    if (defined()) {
        m_impl->tensor.mutable_grad().reset();
    }
}

std::uint32_t Tensor::version() const {
    return defined() ? static_cast<std::uint32_t>(m_impl->tensor._version()) : 0;
}

bool Tensor::isSame(const Tensor& other) const {
    return defined() && other.defined() && m_impl->tensor.is_same(other.m_impl->tensor);
}

bool Tensor::sharesStorage(const Tensor& other) const {
    return defined() && other.defined() && m_impl->tensor.is_alias_of(other.m_impl->tensor);
}

Tensor Tensor::base() const {
    return defined() && m_impl->tensor.is_view() ? torch::api::handleOf(at::Tensor(m_impl->tensor._base()))
                                                 : Tensor();
}

Result<Tensor> Tensor::asStrided(std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides,
                                 std::int64_t storageOffset) const {
    return torch::api::guarded("run.operator_failed", [&] {
        if (!defined()) {
            torch::fail("aot.arguments", "An undefined tensor has no views.");
        }
        return torch::api::handleOf(m_impl->tensor.as_strided(sizes, strides, storageOffset));
    });
}

Result<Done> Tensor::write(std::string_view bytes) {
    return torch::api::guarded("run.unsupported_input", [&] {
        if (!defined()) {
            torch::fail("aot.arguments", "An undefined tensor cannot be written to.");
        }
        const c10::AutoGradMode noGrad(false);
        m_impl->tensor.copy_(torch::tensorFromData({dtype(), sizes(), std::string(bytes)}));
        return Done{};
    });
}

Result<Done> backward(std::span<const Tensor> roots, std::span<const Tensor> tangents, bool retainGraph,
                      bool createGraph) {
    return torch::api::guarded("run.operator_failed", [&] {
        if (!tangents.empty() && tangents.size() != roots.size()) {
            torch::fail("aot.arguments", "There are " + std::to_string(roots.size()) + " roots and " +
                                             std::to_string(tangents.size()) + " tangents.");
        }
        const auto from = base::mapped(roots, torch::api::tensorOf);
        const auto with = base::mapped(tangents, torch::api::tensorOf);
        const c10::AutoGradMode grad(true);
        ::torch::autograd::backward(from, with, retainGraph || createGraph, createGraph);
        return Done{};
    });
}

NoGrad::NoGrad() : m_before(c10::GradMode::is_enabled()) {
    c10::GradMode::set_enabled(false);
}

NoGrad::~NoGrad() {
    c10::GradMode::set_enabled(m_before);
}

void manualSeed(std::uint64_t seed) {
    torch::seedGenerator(seed);
}

} // namespace aotscope
