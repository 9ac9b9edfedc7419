#include "cuda/kernel_launch.h"

#include "base/mapped.h"
#include "base/text_search.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace aotscope::torch {

namespace {

/// LibTorch's default stream.
constexpr CudaStream* defaultStream = nullptr;

// Values of the driver's enumerations.
constexpr int attributeL2Bytes = 38;
constexpr int functionMaxDynamicShared = 8;
constexpr int jitErrorLog = 5;
constexpr int jitErrorLogBytes = 6;

/// Kernels get more only after asking.
constexpr unsigned sharedBytesWithoutAsking = 48 * 1024;

/// Device memory, freed with the last pointer to its address.
using DeviceBuffer = std::shared_ptr<const CudaAddress>;

base::Result<DeviceBuffer> allocated(const CudaDriver& driver, std::size_t bytes) {
    CudaAddress address = 0;
    AOTSCOPE_CHECK(
        driver.check(driver.allocate(&address, bytes), "allocating " + std::to_string(bytes) + " bytes"));
    return DeviceBuffer(new CudaAddress(address), [driver](const CudaAddress* held) {
        (void)driver.free(*held);
        delete held;
    });
}

/// Two events with the time between them.
class Stopwatch {
public:
    explicit Stopwatch(const CudaDriver& driver) : m_driver(driver) {}
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;
    ~Stopwatch() {
        for (CudaEvent* event : {m_start, m_end}) {
            if (event != nullptr) {
                (void)m_driver.destroyEvent(event);
            }
        }
    }

    base::Result<void> make() {
        for (CudaEvent** event : {&m_start, &m_end}) {
            AOTSCOPE_CHECK(m_driver.check(m_driver.createEvent(event, 0), "making an event"));
        }
        return {};
    }
    /// Queues the work between the events; does not wait.
    base::Result<void> queue(const std::function<base::Result<void>()>& work) {
        AOTSCOPE_CHECK(m_driver.check(m_driver.recordEvent(m_start, defaultStream), "timing"));
        AOTSCOPE_CHECK(work());
        return m_driver.check(m_driver.recordEvent(m_end, defaultStream), "timing");
    }
    /// The milliseconds of what was queued last, once it is done.
    base::Result<double> read() {
        AOTSCOPE_CHECK(m_driver.check(m_driver.awaitEvent(m_end), "running a kernel"));
        float milliseconds = 0;
        AOTSCOPE_CHECK(m_driver.check(m_driver.elapsed(&milliseconds, m_start, m_end), "reading a time"));
        return milliseconds;
    }

private:
    CudaDriver m_driver;
    CudaEvent* m_start = nullptr;
    CudaEvent* m_end = nullptr;
};

/// Repetitions that were queued one after the other. A GPU that waits for the program to queue its work would
/// be timed while it waits: so the next ones are queued while one runs, for a few milliseconds.
class TimedQueue {
public:
    explicit TimedQueue(const CudaDriver& driver) : m_driver(driver) {}

    base::Result<void> add(const std::function<base::Result<void>()>& work, bool counts) {
        if (m_used == m_watches.size()) {
            m_watches.push_back(std::make_unique<Stopwatch>(m_driver));
            AOTSCOPE_CHECK(m_watches.back()->make());
        }
        AOTSCOPE_CHECK(m_watches[m_used++]->queue(work));
        m_counting += counts ? 1 : 0;
        return m_used < m_most ? base::Result<void>() : finish();
    }
    /// Waits for all.
    base::Result<void> finish() {
        const std::size_t first = m_used - m_counting;
        for (std::size_t i = 0; i < m_used; ++i) {
            AOTSCOPE_TRY(took, m_watches[i]->read());
            if (i >= first) {
                m_times.push_back(took);
            }
            m_most =
                static_cast<std::size_t>(std::clamp(millisecondsAhead / std::max(took, 1e-3), 1.0, 16.0));
        }
        m_used = 0;
        m_counting = 0;
        return {};
    }
    [[nodiscard]] std::vector<double> take() { return std::move(m_times); }

private:
    static constexpr double millisecondsAhead = 4;

    CudaDriver m_driver;
    std::vector<std::unique_ptr<Stopwatch>> m_watches;
    std::size_t m_used = 0;
    /// How many stopwatches count: the last of those in use, because warm-ups come first.
    std::size_t m_counting = 0;
    std::size_t m_most = 1;
    std::vector<double> m_times;
};

/// What overwrites twice as much as the L2 cache holds.
base::Result<std::function<base::Result<void>()>> cacheFlush(const CudaDriver& driver, int device) {
    int handle = 0;
    int bytes = 0;
    AOTSCOPE_CHECK(driver.check(driver.device(&handle, device), "looking for the GPU"));
    AOTSCOPE_CHECK(driver.check(driver.deviceAttribute(&bytes, attributeL2Bytes, handle),
                                "asking for the size of the L2 cache"));
    const std::size_t size = 2 * static_cast<std::size_t>(std::max(bytes, 1 << 20));
    AOTSCOPE_TRY(buffer, allocated(driver, size));
    return std::function<base::Result<void>()>([driver, buffer, size] {
        return driver.check(driver.fill(*buffer, 0, size, defaultStream), "overwriting the L2 cache");
    });
}

void* addressOf(KernelArgument& argument) {
    return std::visit(
        [](auto& value) -> void* {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::vector<std::byte>>) {
                return value.data();
            } else {
                return &value;
            }
        },
        argument);
}

} // namespace

base::Result<LoadedKernel> LoadedKernel::load(const CudaDriver& driver, int device, const std::string& image,
                                              const std::string& name) {
    AOTSCOPE_CHECK(useDevice(driver, device));
    std::string log(8192, '\0');
    std::array<int, 2> options{jitErrorLog, jitErrorLogBytes};
    // The driver takes numbers in the place of pointers.
    std::array<void*, 2> values{log.data(), reinterpret_cast<void*>(log.size() - 1)}; // NOLINT
    CudaModule* module = nullptr;
    // PTX is text that ends with a zero, as the string does.
    const int code = driver.loadModule(&module, image.c_str(), options.size(), options.data(), values.data());
    if (auto loaded = driver.check(code, "loading the kernel " + name); !loaded) {
        base::Error error = std::move(loaded).error();
        const std::size_t mostNotes = error.notes.size() + 50;
        for (std::string_view rest = log.c_str(); !rest.empty() && error.notes.size() < mostNotes;) {
            if (const std::string_view line = base::takePart(rest, '\n'); !line.empty()) {
                error.notes.emplace_back(line);
            }
        }
        return error;
    }
    LoadedKernel kernel(driver, device);
    kernel.m_module = std::shared_ptr<CudaModule>(module, [driver, device](CudaModule* loaded) {
        (void)useDevice(driver, device);
        (void)driver.unloadModule(loaded);
    });
    AOTSCOPE_CHECK(driver.check(driver.moduleFunction(&kernel.m_function, module, name.c_str()),
                                "looking for the function " + name));
    return kernel;
}

base::Result<void> LoadedKernel::launch(const LaunchShape& shape,
                                        const std::vector<KernelArgument>& arguments) const {
    const auto isZero = [](unsigned size) { return size == 0; };
    if (std::ranges::any_of(shape.grid, isZero) || std::ranges::any_of(shape.block, isZero)) {
        return base::Error{.code = "cuda.launch_shape",
                           .message = "A kernel needs at least one block of one thread."};
    }
    AOTSCOPE_CHECK(useDevice(m_driver, m_device));
    if (shape.dynamicSharedBytes > sharedBytesWithoutAsking) {
        AOTSCOPE_CHECK(m_driver.check(
            m_driver.setFunctionAttribute(m_function, functionMaxDynamicShared,
                                          static_cast<int>(shape.dynamicSharedBytes)),
            "asking for " + std::to_string(shape.dynamicSharedBytes) + " bytes of shared memory"));
    }
    // The driver copies what the addresses point at before it returns.
    std::vector<KernelArgument> held = arguments;
    auto addresses = base::mapped(held, [&](KernelArgument& argument) { return addressOf(argument); });
    return m_driver.check(m_driver.launch(m_function, shape.grid[0], shape.grid[1], shape.grid[2],
                                          shape.block[0], shape.block[1], shape.block[2],
                                          shape.dynamicSharedBytes, defaultStream, addresses.data(), nullptr),
                          "launching a kernel");
}

base::Result<std::vector<double>> timeOnDevice(const CudaDriver& driver, int device,
                                               const TimedRepetitions& repetitions,
                                               const std::function<base::Result<void>()>& work,
                                               const std::function<base::Result<void>()>& before,
                                               const std::function<bool()>& stop) {
    AOTSCOPE_CHECK(useDevice(driver, device));
    std::function<base::Result<void>()> flush;
    if (repetitions.coldCache) {
        AOTSCOPE_TRY(made, cacheFlush(driver, device));
        flush = std::move(made);
    }
    TimedQueue queue(driver);
    for (int i = -repetitions.warmUps; i < repetitions.repeats && !(stop && stop()); ++i) {
        if (before) {
            AOTSCOPE_CHECK(before());
        }
        if (flush) {
            AOTSCOPE_CHECK(flush());
        }
        AOTSCOPE_CHECK(queue.add(work, i >= 0));
    }
    AOTSCOPE_CHECK(queue.finish());
    return queue.take();
}

base::Result<double> copyBandwidth(const CudaDriver& driver, int device, std::int64_t bytes, int repeats) {
    if (bytes <= 0 || repeats <= 0) {
        return base::Error{.code = "cuda.launch_shape", .message = "A copy needs at least one byte, once."};
    }
    AOTSCOPE_CHECK(useDevice(driver, device));
    const auto size = static_cast<std::size_t>(bytes);
    AOTSCOPE_TRY(from, allocated(driver, size));
    AOTSCOPE_TRY(to, allocated(driver, size));
    AOTSCOPE_TRY(times,
                 timeOnDevice(driver, device, {.warmUps = 3, .repeats = repeats, .coldCache = false}, [&] {
                     return driver.check(driver.copy(*to, *from, size, defaultStream), "copying");
                 }));
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    // Read once and written once.
    return 2.0 * static_cast<double>(bytes) / (*middle / 1000.0);
}

base::Result<void> awaitDevice(const CudaDriver& driver, int device) {
    AOTSCOPE_CHECK(useDevice(driver, device));
    return driver.check(driver.awaitStream(defaultStream), "waiting for the GPU");
}

} // namespace aotscope::torch
