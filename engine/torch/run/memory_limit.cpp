#include "run/memory_limit.h"

#include "torch_headers.h"

#include <atomic>
#include <fstream>
#include <limits>
#include <memory>
#include <string>

namespace aotscope::torch {

namespace {

constexpr std::int64_t noLimit = std::numeric_limits<std::int64_t>::max();

/// LibTorch keeps one CPU allocator for the process; this is it, with its counters.
class LimitedAllocator final : public c10::Allocator {
public:
    explicit LimitedAllocator(c10::Allocator* inner) : m_inner(inner) {}

    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes > static_cast<std::size_t>(noLimit)) {
            refuse(bytes);
        }
        const auto wanted = static_cast<std::int64_t>(bytes);
        const std::int64_t used = m_used.fetch_add(wanted) + wanted;
        if (used < 0 || used > m_limit.load()) {
            m_used.fetch_sub(wanted);
            refuse(bytes);
        }
        try {
            auto block = std::make_unique<Block>(Block{m_inner->allocate(bytes), wanted, this});
            void* data = block->data.get();
            const c10::Device device = block->data.device();
            return {data, block.release(), &LimitedAllocator::release, device};
        } catch (...) {
            m_used.fetch_sub(wanted);
            throw;
        }
    }
    void copy_data(void* to, const void* from, std::size_t bytes) const override {
        default_copy_data(to, from, bytes);
    }

    void allow(std::int64_t bytes) {
        const std::int64_t used = m_used.load();
        m_limit.store(bytes > noLimit - used ? noLimit : used + bytes);
    }

private:
    struct Block {
        c10::DataPtr data;
        std::int64_t bytes;
        LimitedAllocator* owner;
    };

    static void release(void* context) {
        const std::unique_ptr<Block> block(static_cast<Block*>(context));
        block->owner->m_used.fetch_sub(block->bytes);
    }
    [[noreturn]] static void refuse(std::size_t bytes) {
        C10_THROW_ERROR(OutOfMemoryError,
                        "not enough memory: " + std::to_string(bytes) + " bytes were asked for");
    }

    c10::Allocator* m_inner;
    std::atomic<std::int64_t> m_used = 0;
    std::atomic<std::int64_t> m_limit = noLimit;
};

LimitedAllocator& allocator() {
    // Never destroyed: tensors that outlive static destruction still give their memory back through it.
    static LimitedAllocator* const instance = new LimitedAllocator(c10::GetDefaultCPUAllocator()); // NOLINT
    return *instance;
}

} // namespace

void installMemoryLimit() {
    c10::SetCPUAllocator(&allocator(), 1);
}

std::int64_t availableMemory() {
    std::ifstream in("/proc/meminfo");
    std::string key;
    std::int64_t kilobytes = 0;
    std::string unit;
    while (in >> key >> kilobytes) {
        if (key == "MemAvailable:") {
            return kilobytes * 1024;
        }
        std::getline(in, unit);
    }
    return noLimit;
}

MemoryLimit::MemoryLimit(std::int64_t bytes) {
    allocator().allow(bytes);
}

MemoryLimit::~MemoryLimit() {
    allocator().allow(noLimit);
}

} // namespace aotscope::torch
