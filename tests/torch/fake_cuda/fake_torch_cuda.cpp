// libtorch_cuda without a GPU: tensors on cuda:N lie in the host's memory and every operator runs on the CPU,
// so that what the engine does around runs on a GPU can be tested. A tensor on the GPU may only meet one on
// the CPU where PyTorch allows it, and memory is handed out in blocks of 512 bytes. With FAKE_CUDA_FAILS=N
// the Nth wait for the GPU reports a wrong address, as does every one after it.
#include "fake_device.h"

#include "torch_headers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <torch/library.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace at::native {
// Not in a header of their own.
TORCH_API Tensor as_strided_tensorimpl(const Tensor&, IntArrayRef, IntArrayRef, std::optional<std::int64_t>);
TORCH_API Tensor _reshape_alias(const Tensor&, IntArrayRef, IntArrayRef);
TORCH_API Tensor view(const Tensor&, IntArrayRef);
TORCH_API Tensor unfold(const Tensor&, std::int64_t, std::int64_t, std::int64_t);
TORCH_API Tensor& set_storage_cpu_(Tensor&, Storage, std::int64_t, IntArrayRef, IntArrayRef);
} // namespace at::native

namespace {

constexpr std::size_t block = 512;

std::size_t rounded(std::size_t bytes) {
    return (bytes + block - 1) / block * block;
}

thread_local c10::DeviceIndex currentDevice = 0;

c10::DeviceIndex devices() {
    const char* given = std::getenv("FAKE_CUDA_DEVICES");
    return static_cast<c10::DeviceIndex>(given != nullptr ? std::atoi(given) : 1);
}

void wait() {
    static int waits = 0;
    fake_cuda::logWait();
    const char* fails = std::getenv("FAKE_CUDA_FAILS");
    if (fails != nullptr && ++waits >= std::atoi(fails)) {
        fake_cuda::lose(700);
    }
    if (const int error = fake_cuda::lost(); error != 0) {
        const fake_cuda::ErrorWords words = fake_cuda::wordsOf(error);
        throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, error,
                                    std::string("CUDA error: ") + words.text + "\nSearch for `" +
                                        words.runtime + "' in the documentation.");
    }
}

class HostAllocator final : public c10::DeviceAllocator {
public:
    c10::DataPtr allocate(std::size_t bytes) override {
        const std::size_t size = rounded(bytes);
        void* data = size == 0 ? nullptr : std::malloc(size + block);
        if (data == nullptr) {
            return {nullptr, nullptr, &release, c10::Device(c10::kCUDA, currentDevice)};
        }
        if (!fake_cuda::take(static_cast<char*>(data) + block, size)) {
            std::free(data);
            C10_THROW_ERROR(OutOfMemoryError, "CUDA out of memory.");
        }
        const std::lock_guard lock(m_mutex);
        *static_cast<std::array<std::size_t, 2>*>(data) = {size, static_cast<std::size_t>(currentDevice)};
        stats(currentDevice).allocated_bytes[0].increase(size);
        stats(currentDevice).reserved_bytes[0].increase(size);
        return {static_cast<char*>(data) + block, data, &release, c10::Device(c10::kCUDA, currentDevice)};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }
    bool initialized() override { return true; }
    void emptyCache(c10::MempoolId_t) override {}
    void recordStream(const c10::DataPtr&, c10::Stream) override {}
    c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(m_mutex);
        return stats(device);
    }
    void resetAccumulatedStats(c10::DeviceIndex) override {}
    void resetPeakStats(c10::DeviceIndex device) override {
        const std::lock_guard lock(m_mutex);
        stats(device).allocated_bytes[0].reset_peak();
    }
    std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex) override {
        return {std::size_t{70} << 30U, std::size_t{80} << 30U};
    }

private:
    static void release(void* data);
    c10::CachingDeviceAllocator::DeviceStats& stats(c10::DeviceIndex device) {
        return m_stats.at(static_cast<std::size_t>(device));
    }
    std::mutex m_mutex;
    std::array<c10::CachingDeviceAllocator::DeviceStats, 8> m_stats;
};

HostAllocator& allocator() {
    static HostAllocator* const instance = new HostAllocator;
    return *instance;
}

void HostAllocator::release(void* data) {
    if (data != nullptr) {
        const auto [size, device] = *static_cast<std::array<std::size_t, 2>*>(data);
        fake_cuda::give(static_cast<char*>(data) + block);
        const std::lock_guard lock(allocator().m_mutex);
        allocator().m_stats.at(device).allocated_bytes[0].decrease(size);
        allocator().m_stats.at(device).reserved_bytes[0].decrease(size);
        std::free(data);
    }
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return c10::kCUDA; }
    c10::Device exchangeDevice(c10::Device device) const override {
        const c10::Device before = getDevice();
        setDevice(device);
        return before;
    }
    c10::Device getDevice() const override { return {c10::kCUDA, currentDevice}; }
    void setDevice(c10::Device device) const override { currentDevice = device.index(); }
    void uncheckedSetDevice(c10::Device device) const noexcept override { currentDevice = device.index(); }
    c10::Stream getStream(c10::Device device) const override {
        return c10::Stream(c10::Stream::DEFAULT, device);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return getStream(device); }
    c10::Stream getDefaultStream(c10::Device device) const override { return getStream(device); }
    c10::Stream exchangeStream(c10::Stream stream) const override { return getStream(stream.device()); }
    c10::DeviceIndex deviceCount() const noexcept override { return devices(); }
    void synchronizeDevice(c10::DeviceIndex) const override { wait(); }
    void record(void** event, const c10::Stream&, c10::DeviceIndex, c10::EventFlag) const override {
        *event = this->event();
    }
    void block(void*, const c10::Stream&) const override {}
    bool queryEvent(void*) const override { return true; }
    void synchronizeEvent(void*) const override { wait(); }
    void destroyEvent(void*, c10::DeviceIndex) const noexcept override {}

private:
    static void* event() {
        static int one = 0;
        return &one;
    }
};

/// Its numbers are never asked for: operators take the CPU's generator.
class Generator final : public c10::GeneratorImpl {
public:
    explicit Generator(c10::DeviceIndex device)
        : GeneratorImpl({c10::kCUDA, device}, c10::DispatchKeySet(c10::DispatchKey::CUDA)) {}
    void set_current_seed(std::uint64_t seed) override { m_state = {seed, 0}; }
    void set_offset(std::uint64_t offset) override { m_state[1] = offset; }
    std::uint64_t get_offset() const override { return m_state[1]; }
    std::uint64_t current_seed() const override { return m_state[0]; }
    std::uint64_t seed() override { return m_state[0]; }
    void set_state(const c10::TensorImpl& state) override {
        std::memcpy(m_state.data(), state.data(), sizeof m_state);
    }
    c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
        at::Tensor state = at::empty({sizeof m_state}, at::TensorOptions(c10::kByte));
        std::memcpy(state.mutable_data_ptr(), m_state.data(), sizeof m_state);
        return state.getIntrusivePtr();
    }

private:
    GeneratorImpl* clone_impl() const override { return new Generator(device().index()); }
    std::array<std::uint64_t, 2> m_state{};
};

struct Hooks final : at::CUDAHooksInterface {
    explicit Hooks(at::CUDAHooksArgs) {}
    bool hasCUDA() const override { return true; }
    bool hasCUDART() const override { return true; }
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    void init() const override {}
    c10::DeviceIndex deviceCount() const override { return devices(); }
    int getNumGPUs() const override { return devices(); }
    c10::DeviceIndex current_device() const override { return currentDevice; }
    c10::Allocator* getPinnedMemoryAllocator() const override { return c10::GetCPUAllocator(); }
    const at::Generator& getDefaultGenerator(c10::DeviceIndex device) const override {
        static const std::array<at::Generator, 8> all = [] {
            std::array<at::Generator, 8> made;
            for (c10::DeviceIndex i = 0; i < 8; ++i) {
                made.at(static_cast<std::size_t>(i)) = at::make_generator<Generator>(i);
            }
            return made;
        }();
        return all.at(static_cast<std::size_t>(device < 0 ? currentDevice : device));
    }
};

c10::DeviceIndex indexOf(const std::optional<c10::Device>& device) {
    return device && device->has_index() ? device->index() : currentDevice;
}

at::Tensor emptyHere(c10::IntArrayRef size, std::optional<c10::ScalarType> type, std::optional<c10::Layout>,
                     std::optional<c10::Device> device, std::optional<bool>,
                     std::optional<c10::MemoryFormat> format) {
    const auto before = std::exchange(currentDevice, indexOf(device));
    at::Tensor made = at::detail::empty_generic(
        size, &allocator(), c10::DispatchKeySet(c10::DispatchKey::CUDA), type.value_or(c10::kFloat), format);
    currentDevice = before;
    return made;
}

at::Tensor emptyStridedHere(c10::IntArrayRef size, c10::IntArrayRef stride,
                            std::optional<c10::ScalarType> type, std::optional<c10::Layout>,
                            std::optional<c10::Device> device, std::optional<bool>) {
    const auto before = std::exchange(currentDevice, indexOf(device));
    at::Tensor made = at::detail::empty_strided_generic(
        size, stride, &allocator(), c10::DispatchKeySet(c10::DispatchKey::CUDA), type.value_or(c10::kFloat));
    currentDevice = before;
    return made;
}

/// The elements as a tensor of the CPU that shares their memory.
at::Tensor onHost(const at::Tensor& tensor) {
    return tensor.is_cuda() ? at::from_blob(tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(),
                                            at::TensorOptions(tensor.scalar_type()))
                            : tensor;
}

at::Tensor& copyHere(at::Tensor& self, const at::Tensor& from, bool) {
    if (self.is_cuda() && from.is_cuda()) {
        fake_cuda::log("copy " + std::to_string(self.nbytes()));
        fake_cuda::work(static_cast<std::int64_t>(2 * self.nbytes() / 1000));
    }
    onHost(self).copy_(onHost(from));
    return self;
}

const at::Tensor& resizeHere(const at::Tensor& self, c10::IntArrayRef size,
                             std::optional<c10::MemoryFormat>) {
    if (self.sizes() != size) {
        at::Tensor fresh = emptyHere(size, self.scalar_type(), {}, self.device(), {}, {});
        if (fresh.nbytes() > self.storage().nbytes()) {
            self.storage().unsafeGetStorageImpl()->set_data_ptr_noswap(allocator().allocate(fresh.nbytes()));
            self.storage().unsafeGetStorageImpl()->set_nbytes(fresh.nbytes());
        }
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    }
    return self;
}

at::Tensor copyFromAndResize(const at::Tensor& from, const at::Tensor& to) {
    resizeHere(to, from.sizes(), {});
    onHost(to).copy_(onHost(from));
    return to;
}

at::Tensor& setStorage(at::Tensor& self, c10::Storage storage, std::int64_t offset, c10::IntArrayRef size,
                       c10::IntArrayRef stride) {
    return at::native::set_storage_cpu_(self, std::move(storage), offset, size, stride);
}

at::Tensor& setTensor(at::Tensor& self, const at::Tensor& source) {
    return setStorage(self, source.storage(), source.storage_offset(), source.sizes(), source.strides());
}

/// 1000 ns of the GPU's clock. With FAKE_CUDA_SIN=X, the GPU's sine is wrong by X.
void onCpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    fake_cuda::log("operator " + op.schema().name());
    fake_cuda::work(1000);
    at::native::cpu_fallback(op, stack);
    const char* wrong = std::getenv("FAKE_CUDA_SIN");
    if (wrong != nullptr && op.schema().name() == "aten::sin") {
        onHost(stack->back().toTensor()).add_(std::atof(wrong));
    }
}

const Guard guard;
const bool isRegistered = [] {
    c10::SetAllocator(c10::kCUDA, &allocator());
    c10::impl::device_guard_impl_registry[static_cast<std::size_t>(c10::kCUDA)].store(&guard);
    at::CUDAHooksRegistry()->Register("CUDAHooks",
                                      [](at::CUDAHooksArgs args) -> std::unique_ptr<at::CUDAHooksInterface> {
                                          return std::make_unique<Hooks>(args);
                                      });
    return true;
}();

} // namespace

TORCH_LIBRARY_IMPL(_, CUDA, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&onCpu>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
    library.impl("empty.memory_format", emptyHere);
    library.impl("empty_strided", emptyStridedHere);
    library.impl("copy_", copyHere);
    library.impl("resize_", resizeHere);
    library.impl("_copy_from_and_resize", copyFromAndResize);
    library.impl("set_.source_Storage_storage_offset", setStorage);
    library.impl("set_.source_Tensor", setTensor);
    library.impl("as_strided", at::native::as_strided_tensorimpl);
    library.impl("_reshape_alias", at::native::_reshape_alias);
    library.impl("view", at::native::view);
    library.impl("unfold", at::native::unfold);
}
