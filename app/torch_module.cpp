#include "torch_module.h"

#include "engine_module.h"
#include "remote/remote_backend.h"

#include "base/log.h"
#include "passes/op_facts.h"

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
#include <variant>

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
template<typename Answer>
bool hasLost(const base::Result<Answer>& answer) {
    if constexpr (requires { isLost(answer->error); }) {
        return answer ? isLost(answer->error) : isLost(answer.error());
    } else {
        return !answer && isLost(answer.error());
    }
}

bool holdsOne(std::initializer_list<ir::GraphPtr> graphs) {
    return std::ranges::any_of(
        graphs, [](const ir::GraphPtr& graph) { return graph && passes::canEndProcess(*graph); });
}

/// Where a call is to be answered.
struct CallPlace {
    session::DeviceChoice device = {};
    /// The release of LibTorch; nothing: the first one that was opened.
    std::optional<aot::TorchVersion> torch = {};
    /// A kernel could end its process.
    bool canEnd = false;
    /// It runs a kernel whose source a person may have edited.
    bool isEdited = false;
};

/// A run's; of a call that runs nothing, where it does not matter.
template<typename Call>
base::Result<CallPlace> placeOf([[maybe_unused]] const Call& call) {
    if constexpr (requires { call.options.device; }) {
        return CallPlace{.device = call.options.device, .canEnd = holdsOne({call.graph})};
    } else {
        return CallPlace();
    }
}
base::Result<CallPlace> placeOf(const session::ReferenceCall& call) {
    return CallPlace{.device = call.options.device, .canEnd = holdsOne({call.graph, call.against})};
}
base::Result<CallPlace> placeOf(const session::HookErrorsCall& call) {
    return CallPlace{.device = call.request.options.device,
                     .canEnd = holdsOne({call.request.forward, call.request.backward})};
}
base::Result<CallPlace> placeOf(const session::RerunRequest& request) {
    AOTSCOPE_TRY(device, session::rerunDevice(request));
    // A kernel's source that a person edited may do anything, so it runs in a separate process, as
    // everything on a GPU does. The generated source runs there too, since the two runs are compared and
    // share their inputs.
    return CallPlace{.device = device.isCuda() ? device : request.run.device,
                     .canEnd = holdsOne({request.graph}),
                     .isEdited = request.kernel.has_value()};
}
base::Result<CallPlace> placeOf(const session::RetraceCall& call) {
    const aot::RetraceRequest& request = call.request;
    return CallPlace{.torch = request.torch, .canEnd = request.numbers && holdsOne({request.program})};
}
base::Result<CallPlace> placeOf(const session::FunctionCall& call) {
    const auto& [request, function, options] = call.request;
    return CallPlace{
        .device = options.device,
        .torch = request.torch,
        .canEnd = holdsOne({request.program, function.graph, function.forward(), function.backward()})};
}

/// A backend for each module that a call needs, one in a separate process for all that runs on a GPU, and one
/// for graphs of which a node can end its process: a kernel that reads a wrong address ends only that
/// process, and LibTorch is there without CUDA for all else. Called by one thread at a time, like every
/// backend, and by others while a trace is paused; an open backend is never moved.
class ReleaseBackends final : public session::Backend {
public:
    /// The first one opened; if there is none, the program's own.
    base::Result<session::Backend*> any() {
        {
            const std::lock_guard lock(m_opening);
            if (m_first != nullptr) {
                return m_first;
            }
        }
        return of({});
    }

protected:
    void answerAny(const session::AnyCall& call, base::Progress progress) override {
        std::visit([&](const auto& asked) { asked.answer = answerTo(asked.call, std::move(progress)); },
                   call);
    }

private:
    /// What a child process is for: runs on a GPU, graphs with a node that can end the process that runs it,
    /// kernels whose source a person may have edited.
    enum class ChildUse { Gpu, Guarded, Kernels };

    template<typename Call, typename Answer = base::Result<typename Call::Answer>>
    Answer answerTo(const Call& call, base::Progress progress) {
        if constexpr (std::is_same_v<Call, session::DescriptionCall>) {
            if (m_first == nullptr) {
                return std::string("LibTorch, opened by the first run or re-trace");
            }
        }
        AOTSCOPE_TRY(place, placeOf(call));
        const auto& [device, torch, canEnd, isEdited] = place;
        if (!device.isCuda() && !isEdited && !canEnd) {
            AOTSCOPE_TRY(backend, torch ? of(torch) : any());
            return backend->answer(call, std::move(progress));
        }
        const ChildUse use = device.isCuda() ? ChildUse::Gpu
                             : isEdited      ? ChildUse::Kernels
                                             : ChildUse::Guarded;
        AOTSCOPE_TRY(backend, childFor(use, torch));
        Answer answer = backend->answer(call, std::move(progress));
        if (use == ChildUse::Gpu && hasLost(answer)) {
            backend->endProcess();
        }
        return answer;
    }

    /// With `m_opening` held. Found once: looking at the file system for each call takes as long as tracing a
    /// small program does. A module that is built later is used from the next start on.
    base::Result<std::filesystem::path> moduleFor(std::optional<aot::TorchVersion> torch) {
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
    base::Result<session::Backend*> of(std::optional<aot::TorchVersion> torch) {
        const std::lock_guard lock(m_opening);
        AOTSCOPE_TRY(path, moduleFor(torch));
        BackendPtr& backend = m_byModule[path];
        if (!backend) {
            const bool isInChild = m_first != nullptr || isAlwaysInChild();
            AOTSCOPE_TRY(opened, isInChild ? base::Result<BackendPtr>(childWith(path)) : openModule(path));
            backend = std::move(opened);
            m_first = m_first != nullptr ? m_first : backend.get();
            base::logInfo("aotscope.session",
                          path.string() + (isInChild ? " opens in a child process" : " opened"));
        }
        return backend.get();
    }

    /// The same in a child process.
    base::Result<remote::RemoteBackend*> childFor(ChildUse use, std::optional<aot::TorchVersion> torch) {
        const std::lock_guard lock(m_opening);
        AOTSCOPE_TRY(path, moduleFor(torch));
        std::unique_ptr<remote::RemoteBackend>& backend = m_children[{use, path}];
        if (!backend) {
            backend = childWith(path);
            if (use != ChildUse::Kernels) {
                base::logInfo("aotscope.session",
                              path.string() + " opens in a child process " +
                                  (use == ChildUse::Gpu ? "for the GPU" : "that may end"));
            }
        }
        return backend.get();
    }

    /// Calls come from several lanes of a session.
    std::mutex m_opening;
    std::map<std::optional<aot::TorchVersion>, std::filesystem::path> m_modules;
    std::map<std::filesystem::path, BackendPtr> m_byModule;
    std::map<std::pair<ChildUse, std::filesystem::path>, std::unique_ptr<remote::RemoteBackend>> m_children;
    session::Backend* m_first = nullptr;
};

/// With only one module there is nothing to choose: it is opened now, to report its errors at once.
base::Result<BackendPtr> makeBackend() {
    auto backend = std::make_unique<ReleaseBackends>();
    if (!hasModuleOfARelease()) {
        AOTSCOPE_CHECK(backend->any());
    }
    return BackendPtr(std::move(backend));
}

} // namespace

session::BackendFactory torchBackendFactory() {
    return makeBackend;
}

} // namespace aotscope::app
