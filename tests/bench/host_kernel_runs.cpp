#include "kernel_runs.h"

#include "kernels/host_compiler.h"

#include <chrono>
#include <cstring>
#include <map>

namespace aotscope::bench {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Memory for the tensors of a plan: kernels that name one tensor share it.
class HostTensors {
public:
    explicit HostTensors(const kernels::FusionPlan& plan) {
        for (const kernels::FusionGroup& group : plan.groups) {
            for (const kernels::KernelParameter& parameter : group.kernel.parameters) {
                std::vector<char>& memory = m_memory[parameter.tensor];
                memory.resize(std::max(memory.size(), bytesOf(parameter)));
            }
        }
        // Small positive numbers in every dtype of floats: no denormals, which take longer.
        for (auto& [name, memory] : m_memory) {
            std::memset(memory.data(), 0x3c, memory.size());
        }
    }
    std::vector<void*> addresses(const kernels::FusedKernel& kernel) {
        std::vector<void*> addresses;
        for (const kernels::KernelParameter& parameter : kernel.parameters) {
            addresses.push_back(m_memory.at(parameter.tensor).data());
        }
        return addresses;
    }

private:
    std::map<kernels::TensorName, std::vector<char>> m_memory;
};

struct Launch {
    kernels::HostEntry entry = nullptr;
    std::vector<void*> addresses;
    kernels::KernelLaunch shape;

    void operator()() {
        std::vector<void*> parameters;
        for (void*& address : addresses) {
            parameters.push_back(static_cast<void*>(&address));
        }
        entry(parameters.data(), shape.grid, shape.block, static_cast<unsigned>(shape.dynamicSharedBytes));
    }
};

class HostRuns final : public KernelRuns {
public:
    explicit HostRuns(kernels::HostCompiler compiler) : m_compiler(std::move(compiler)) {}

    base::Result<KernelTimes> run(const kernels::FusionPlan& plan, int repeats) override {
        const auto start = Clock::now();
        const auto build = compile(plan);
        if (!build) {
            return build.error();
        }
        if (!build->library) {
            return kernels::compileError(build->messages);
        }
        KernelTimes times;
        times.compileSeconds = since(start);
        HostTensors tensors(plan);
        std::vector<Launch> launches;
        for (const kernels::FusionGroup& group : plan.groups) {
            const std::string entry = kernels::hostEntryName(group.kernel.name);
            launches.push_back({build->library->function<std::remove_pointer_t<kernels::HostEntry>>(entry),
                                tensors.addresses(group.kernel), group.kernel.launch});
            if (launches.back().entry == nullptr) {
                return base::Error{.code = "bench.no_entry", .message = "There is no " + entry + "."};
            }
        }
        for (int i = -1; i < repeats; ++i) {
            const auto begin = Clock::now();
            for (Launch& launch : launches) {
                launch();
            }
            if (i >= 0) {
                times.seconds.push_back(since(begin));
            }
        }
        return times;
    }

    base::Result<double> copyBandwidth(std::int64_t bytes) override {
        const std::vector<char> from(static_cast<std::size_t>(bytes), 1);
        std::vector<char> to(from.size());
        double best = 0;
        for (int i = 0; i < 5; ++i) {
            const auto begin = Clock::now();
            std::memcpy(to.data(), from.data(), from.size());
            best = std::max(best, 2.0 * static_cast<double>(bytes) / since(begin));
        }
        return best;
    }

private:
    base::Result<kernels::HostBuild> compile(const kernels::FusionPlan& plan) {
        kernels::HostSource source{kernels::hostPreludeText(), {}};
        for (const kernels::FusionGroup& group : plan.groups) {
            source.kernels.push_back({group.kernel.name, group.kernel.source,
                                      kernels::hostEntryText(group.kernel.name, group.kernel.source)});
        }
        kernels::HostCompileOptions options;
        options.flags = kernels::hostCompileOptions();
        return kernels::compileForHost(m_compiler, source, options);
    }

    kernels::HostCompiler m_compiler;
};

} // namespace

std::size_t bytesOf(const kernels::KernelParameter& parameter) {
    return static_cast<std::size_t>(parameter.reach()) * ir::dtypeBytes(parameter.layout.dtype);
}

base::Result<std::unique_ptr<KernelRuns>> hostRuns() {
    auto compiler = kernels::findHostCompiler();
    if (!compiler) {
        return std::move(compiler).error();
    }
    return std::unique_ptr<KernelRuns>(std::make_unique<HostRuns>(*std::move(compiler)));
}

} // namespace aotscope::bench
