#include "stepping/caller_state.h"

#include "dispatch/failure.h"
#include "run/execution/generator_seed.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"
#include "stepping/frame_checkpoint.h"
#include "wrappers/argument_places.h"

#include <ATen/native/Resize.h>
#include <c10/core/GradMode.h>

#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <optional>
#include <string>

namespace aotscope::torch {

namespace {

namespace autograd = ::torch::autograd;

} // namespace

/// The bytes of one storage.
struct CallerState::Elements {
    c10::Storage storage;
    at::Tensor copy;
};

struct CallerState::TensorState {
    at::Tensor tensor;
    c10::Storage storage;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> strides;
    std::int64_t offset = 0;
    /// Nothing: an inference tensor, which counts no versions.
    std::optional<std::uint32_t> version;
    bool requiresGrad = false;
    at::Tensor grad;
    decltype(autograd::AutogradMeta::grad_fn_) gradFn;
    std::uint32_t outputNumber = 0;
    std::optional<std::uint32_t> viewVersion;

    explicit TensorState(const at::Tensor& from);
    void restoreMetadata() const;
    void restoreAutograd() const;
    [[nodiscard]] std::optional<std::uint32_t> versionNow() const;
};

CallerState::TensorState::TensorState(const at::Tensor& from) : tensor(from) {
    if (tensor.has_storage()) {
        storage = tensor.storage();
        sizes = tensor.sizes().vec();
        strides = tensor.strides().vec();
        offset = tensor.storage_offset();
    }
    version = versionNow();
    const autograd::AutogradMeta* meta = autograd::impl::get_autograd_meta(tensor);
    if (meta != nullptr) {
        // grad_fn() regenerates the node of a view whose base was written to.
        (void)tensor.grad_fn();
        requiresGrad = meta->requires_grad_;
        grad = meta->grad_;
        gradFn = meta->grad_fn_;
        outputNumber = meta->output_nr_;
        const auto* view = autograd::impl::get_view_autograd_meta(tensor);
        if (view != nullptr && view->has_bw_view()) {
            viewVersion = view->get_attr_version();
        }
    }
}

std::optional<std::uint32_t> CallerState::TensorState::versionNow() const {
    return tensor.is_inference() ? std::nullopt
                                 : std::optional(autograd::impl::version_counter(tensor).current_version());
}

void CallerState::TensorState::restoreMetadata() const {
    if (!storage) {
        return;
    }
    at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
    if (impl->storage().unsafeGetStorageImpl() != storage.unsafeGetStorageImpl()) {
        impl->set_storage_keep_dtype(storage);
    }
    if (tensor.sizes() != sizes || tensor.strides() != strides || tensor.storage_offset() != offset) {
        impl->set_sizes_and_strides(sizes, strides, offset);
    }
}

void CallerState::TensorState::restoreAutograd() const {
    if (autograd::AutogradMeta* meta = autograd::impl::get_autograd_meta(tensor)) {
        meta->requires_grad_ = requiresGrad;
        meta->grad_ = grad;
        meta->grad_fn_ = gradFn;
        meta->output_nr_ = outputNumber;
        if (viewVersion) {
            autograd::impl::get_view_autograd_meta(tensor)->set_attr_version(*viewVersion);
        }
    }
}

CallerState::CallerState(const CallerTensors& callers, const aot::CompiledFunction& function)
    : m_generator(generatorState()), m_gradMode(c10::GradMode::is_enabled()) {
    const std::vector<bool> written = writtenArguments(function, callers.arguments.size());
    for (std::size_t i = 0; i < callers.arguments.size(); ++i) {
        const bool mayBeWritten = written[i] || callers.writesBetweenCalls;
        const at::Tensor& argument = callers.arguments[i];
        if (argument.defined()) {
            add(argument, mayBeWritten);
            if (argument.is_view()) {
                add(at::Tensor(argument._base()), mayBeWritten);
            }
        }
    }
    for (const CallerLeaf& leaf : callers.leaves) {
        add(leaf.tensor, callers.writesBetweenCalls);
    }
}

CallerState::~CallerState() = default;

void CallerState::add(const at::Tensor& tensor, bool mayBeWritten) {
    m_tensors.emplace_back(tensor);
    m_storages.insert(storageIn(tensor));
    if (mayBeWritten) {
        addElements(tensor);
    }
    // Backward adds to a gradient that exists.
    if (const at::Tensor grad = m_tensors.back().grad; grad.defined()) {
        m_tensors.emplace_back(grad);
        addElements(grad);
    }
}

bool CallerState::hasElements(const c10::Storage& storage) const {
    return std::ranges::any_of(m_elements, [&](const Elements& elements) {
        return elements.storage.unsafeGetStorageImpl() == storage.unsafeGetStorageImpl();
    });
}

void CallerState::addElements(const at::Tensor& tensor) {
    if (tensor.has_storage() && !hasElements(tensor.storage())) {
        m_elements.push_back({tensor.storage(), bytesOf(tensor.storage())});
    }
}

void CallerState::restore() const {
    for (std::size_t i = 0; i < m_tensors.size(); ++i) {
        const TensorState& state = m_tensors[i];
        if (state.versionNow() != state.version && (!state.storage || !hasElements(state.storage))) {
            fail("step.not_restored",
                 "The call wrote to a tensor that its metadata names as only read (tensor " +
                     std::to_string(i) +
                     " of its arguments and gradients), so the state before it cannot be restored.");
        }
    }
    for (const Elements& elements : m_elements) {
        c10::StorageImpl* storage = elements.storage.unsafeGetStorageImpl();
        const auto bytes = static_cast<std::size_t>(elements.copy.numel());
        if (storage->nbytes() != bytes) {
            if (storage->device_type() != c10::kCPU) {
                fail("step.not_restored",
                     "The call changed the size of memory on the GPU, so the state before "
                     "it cannot be restored.");
            }
            at::native::resize_bytes_cpu(storage, bytes);
        }
        if (bytes > 0 && storage->data() != nullptr) {
            storageBytes(elements.storage).copy_(elements.copy);
        }
    }
    for (const TensorState& state : m_tensors) {
        state.restoreMetadata();
    }
    for (const TensorState& state : m_tensors) {
        state.restoreAutograd();
    }
    // Last, because all that is above could count.
    for (const TensorState& state : m_tensors) {
        if (state.version) {
            c10::VariableVersion counter = autograd::impl::version_counter(state.tensor);
            counter.set_version(*state.version);
        }
    }
    setGeneratorState(m_generator);
    c10::GradMode::set_enabled(m_gradMode);
}

void CallerState::forEachCopied(const std::function<void(const c10::StorageImpl*)>& visit) const {
    for (const Elements& elements : m_elements) {
        visit(elements.storage.unsafeGetStorageImpl());
    }
}

std::int64_t CallerState::bytes() const {
    std::int64_t sum = 0;
    for (const Elements& elements : m_elements) {
        sum += elements.copy.numel();
    }
    return sum;
}

} // namespace aotscope::torch
