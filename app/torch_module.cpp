#include "torch_module.h"

#include "engine_module.h"
#include "remote/remote_backend.h"

#include "base/log.h"
#include "passes/crash_facts.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

namespace aotscope::app {

namespace {

using BackendPtr = std::unique_ptr<session::Backend>;

/// Whether even the first module is opened in a child process.
bool isAlwaysInChild() {
    const char* engine = std::getenv("AOTSCOPE_ENGINE");
    return engine != nullptr && std::string_view(engine) == "child";
}

/// An engine in a separate process, with that module.
std::unique_ptr<remote::RemoteBackend> childWith(const std::filesystem::path& module) {
    std::error_code error;
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    return std::make_unique<remote::RemoteBackend>(
        remote::EngineProgram{executable.parent_path() / "aotscope-engine", {module.string()}});
}

/// Whether an answer says that its process can do nothing more on the GPU.
bool isLost(const std::optional<base::Error>& error) {
    return error && error->code == "cuda.lost";
}
bool hasLost(const session::RunSnapshot& run) {
    return isLost(run.error);
}
bool hasLost(const session::ReferenceSnapshot& compared) {
    return isLost(compared.error);
}
bool hasLost(const session::KernelCheck& check) {
    return isLost(check.error);
}
bool hasLost(const session::HookErrors& /*errors*/) {
    return false;
}
bool hasLost(const session::RerunResult& /*result*/) {
    return false;
}
bool hasLost(const steps::CallRecord& record) {
    return isLost(record.error);
}

/// A backend for each module that a call needs, one in a separate process for all that runs on a GPU, and one
/// for graphs of which a node can end its process: a kernel that reads a wrong address ends only that
/// process, and LibTorch is there without CUDA for all else. Called by one thread at a time, like every
/// backend, and by others while a trace is paused; an open backend is never moved.
class ReleaseBackends final : public session::Backend {
public:
    std::string description() const override {
        return m_first != nullptr ? m_first->description() : "LibTorch, opened by the first run or re-trace";
    }
    base::Result<session::RunSnapshot> run(const ir::Graph& graph, const session::RunOptions& options,
                                           base::Progress progress) override {
        return on(options.device, {}, passes::canEndProcess(graph), [&](session::Backend& backend) {
            return backend.run(graph, options, std::move(progress));
        });
    }
    base::Result<session::ReferenceSnapshot> compareWithReference(const ir::Graph& graph,
                                                                  const ir::Graph& against,
                                                                  const session::RunOptions& options,
                                                                  base::Progress progress) override {
        const bool canEnd = passes::canEndProcess(graph) || passes::canEndProcess(against);
        return on(options.device, {}, canEnd, [&](session::Backend& backend) {
            return backend.compareWithReference(graph, against, options, std::move(progress));
        });
    }
    base::Result<session::KernelCheck> checkKernels(const ir::Graph& graph,
                                                    const session::RunOptions& options,
                                                    base::Progress progress) override {
        return on(options.device, {}, passes::canEndProcess(graph), [&](session::Backend& backend) {
            return backend.checkKernels(graph, options, std::move(progress));
        });
    }
    base::Result<session::HookErrors> measureHooks(const session::HookErrorsRequest& request,
                                                   base::Progress progress) override {
        const bool canEnd = holdsOne({request.forward, request.backward});
        return on(request.options.device, {}, canEnd, [&](session::Backend& backend) {
            return backend.measureHooks(request, std::move(progress));
        });
    }
    base::Result<session::RerunResult> rerun(const session::RerunRequest& request,
                                             base::Progress progress) override {
        const auto device = session::rerunDevice(request);
        if (!device) {
            return device.error();
        }
        const bool needsGpu = device->isCuda() || request.run.device.isCuda();
        // A kernel's source that a person edited may do anything, so it runs in a separate process, as
        // everything on a GPU does. The generated source runs there too, since the two runs are compared and
        // share their inputs.
        if (request.kernel && !needsGpu) {
            auto backend = forKernels();
            return backend ? (*backend)->rerun(request, std::move(progress)) : std::move(backend).error();
        }
        return on(needsGpu && !device->isCuda() ? request.run.device : *device, {}, holdsOne({request.graph}),
                  [&](session::Backend& backend) { return backend.rerun(request, std::move(progress)); });
    }
    base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                             const session::TracePauses& pauses,
                                             base::Progress progress) override {
        if (request.numbers && holdsOne({request.program})) {
            auto guarded = ofGuarded(request.torch);
            return guarded ? (*guarded)->retrace(request, pauses, std::move(progress))
                           : std::move(guarded).error();
        }
        auto backend = of(request.torch);
        return backend ? (*backend)->retrace(request, pauses, std::move(progress))
                       : std::move(backend).error();
    }
    base::Result<steps::CallRecord> call(const session::CallRequest& request, const steps::StepPauses& pauses,
                                         base::Progress progress) override {
        const bool canEnd = holdsOne({request.request.program, request.function.graph,
                                      request.function.forward(), request.function.backward()});
        return on(request.options.device, request.request.torch, canEnd, [&](session::Backend& backend) {
            return backend.call(request, pauses, std::move(progress));
        });
    }
    base::Result<std::vector<std::string>> operatorSchemas() const override {
        auto backend = any();
        return backend ? (*backend)->operatorSchemas() : std::move(backend).error();
    }
    base::Result<std::vector<session::CoverageRow>> coverage() const override {
        auto backend = any();
        return backend ? (*backend)->coverage() : std::move(backend).error();
    }
    session::DeviceList devices() const override {
        auto backend = any();
        if (!backend) {
            session::DeviceList none;
            none.noGpu = backend.error().message;
            return none;
        }
        return (*backend)->devices();
    }

    /// The first one opened; if there is none, the program's own.
    base::Result<session::Backend*> any() const {
        {
            const std::lock_guard lock(m_opening);
            if (m_first != nullptr) {
                return m_first;
            }
        }
        return of({});
    }

private:
    static bool holdsOne(std::initializer_list<ir::GraphPtr> graphs) {
        return std::ranges::any_of(
            graphs, [](const ir::GraphPtr& graph) { return graph && passes::canEndProcess(*graph); });
    }

    /// Makes a call on the backend for a device. `canEnd`: a kernel could end its process.
    template<typename Call, typename Answer = std::invoke_result_t<Call, session::Backend&>>
    Answer on(session::DeviceChoice device, std::optional<aot::TorchVersion> torch, bool canEnd,
              Call&& call) {
        if (!device.isCuda() && canEnd) {
            auto guarded = ofGuarded(torch);
            return guarded ? call(**guarded) : Answer(std::move(guarded).error());
        }
        if (!device.isCuda()) {
            auto backend = torch ? of(torch) : any();
            return backend ? call(**backend) : Answer(std::move(backend).error());
        }
        auto backend = ofGpu(torch);
        if (!backend) {
            return std::move(backend).error();
        }
        Answer answer = call(**backend);
        if (answer ? hasLost(*answer) : isLost(answer.error())) {
            (*backend)->endProcess();
        }
        return answer;
    }

    /// With `m_opening` held. Found once: looking at the file system for each call takes as long as tracing a
    /// small program does. A module that is built later is used from the next start on.
    base::Result<std::filesystem::path> moduleFor(std::optional<aot::TorchVersion> torch) const {
        if (const auto known = m_modules.find(torch); known != m_modules.end()) {
            return known->second;
        }
        auto found = findModule(torch);
        if (found) {
            m_modules.emplace(torch, *found);
        }
        return found;
    }

    /// The one whose LibTorch is of that release, as far as there is a module.
    base::Result<session::Backend*> of(std::optional<aot::TorchVersion> torch) const {
        const std::lock_guard lock(m_opening);
        auto path = moduleFor(torch);
        if (!path) {
            return std::move(path).error();
        }
        BackendPtr& backend = m_byModule[*path];
        if (!backend) {
            const bool isInChild = m_first != nullptr || isAlwaysInChild();
            auto opened = isInChild ? base::Result<BackendPtr>(childWith(*path)) : openModule(*path);
            if (!opened) {
                return std::move(opened).error();
            }
            backend = std::move(opened).value();
            m_first = m_first != nullptr ? m_first : backend.get();
            base::logInfo("aotscope.session",
                          path->string() + (isInChild ? " opens in a child process" : " opened"));
        }
        return backend.get();
    }

    /// The same for runs on a GPU.
    base::Result<remote::RemoteBackend*> ofGpu(std::optional<aot::TorchVersion> torch) const {
        const std::lock_guard lock(m_opening);
        auto path = moduleFor(torch);
        if (!path) {
            return std::move(path).error();
        }
        std::unique_ptr<remote::RemoteBackend>& backend = m_gpuByModule[*path];
        if (!backend) {
            backend = childWith(*path);
            base::logInfo("aotscope.session", path->string() + " opens in a child process for the GPU");
        }
        return backend.get();
    }

    /// The same for graphs with a node that can end the process that runs it.
    base::Result<session::Backend*> ofGuarded(std::optional<aot::TorchVersion> torch) const {
        const std::lock_guard lock(m_opening);
        auto path = moduleFor(torch);
        if (!path) {
            return std::move(path).error();
        }
        BackendPtr& backend = m_guardedByModule[*path];
        if (!backend) {
            backend = childWith(*path);
            base::logInfo("aotscope.session", path->string() + " opens in a child process that may end");
        }
        return backend.get();
    }

    base::Result<session::Backend*> forKernels() {
        const std::lock_guard lock(m_opening);
        if (!m_forKernels) {
            auto path = moduleFor({});
            if (!path) {
                return std::move(path).error();
            }
            m_forKernels = childWith(*path);
        }
        return m_forKernels.get();
    }

    /// Calls come from several lanes of a session.
    mutable std::mutex m_opening;
    BackendPtr m_forKernels;
    /// Found and opened by const functions too: that is no change that a caller sees.
    mutable std::map<std::optional<aot::TorchVersion>, std::filesystem::path> m_modules;
    mutable std::map<std::filesystem::path, BackendPtr> m_byModule;
    mutable std::map<std::filesystem::path, std::unique_ptr<remote::RemoteBackend>> m_gpuByModule;
    mutable std::map<std::filesystem::path, BackendPtr> m_guardedByModule;
    mutable session::Backend* m_first = nullptr;
};

/// With only one module there is nothing to choose: it is opened now, to report its errors at once.
base::Result<BackendPtr> makeBackend() {
    auto backend = std::make_unique<ReleaseBackends>();
    if (!hasModuleOfARelease()) {
        if (auto opened = backend->any(); !opened) {
            return std::move(opened).error();
        }
    }
    return BackendPtr(std::move(backend));
}

} // namespace

session::BackendFactory torchBackendFactory() {
    return makeBackend;
}

} // namespace aotscope::app
