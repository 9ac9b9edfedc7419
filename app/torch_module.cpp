#include "torch_module.h"

#include "aot/versions/versions.h"
#include "base/log.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace aotscope::app {

namespace {

constexpr char moduleName[] = "libaotscope_torch.so";
constexpr char factoryName[] = "aotscopeMakeTorchBackend";

using Paths = std::vector<std::filesystem::path>;

/// Where a module may be; `release` is the folder of another release's module ("torch-2.11"), empty for the
/// program's own.
Paths candidates(const std::string& release) {
    if (const char* given = std::getenv("AOTSCOPE_TORCH_MODULE"); given != nullptr && *given != '\0') {
        return {given};
    }
    std::error_code error;
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        return {};
    }
    const std::filesystem::path folder = executable.parent_path();
    const std::filesystem::path libraries = folder.parent_path() / "lib";
    return {libraries / "aotscope" / release / moduleName, libraries / release / moduleName,
            folder / release / moduleName};
}

std::optional<std::filesystem::path> firstThere(const Paths& paths) {
    const auto found = std::ranges::find_if(paths, [](const std::filesystem::path& path) {
        std::error_code error;
        return std::filesystem::exists(path, error);
    });
    return found == paths.end() ? std::nullopt : std::optional(*found);
}

base::Error missing(std::string message, std::vector<std::string> notes) {
    return {
        "run.no_torch_module",
        std::move(message),
        {},
        std::move(notes),
        "Build with AOTSCOPE_TORCH=ON after ./dev setup, or set AOTSCOPE_TORCH_MODULE to the module's path."};
}

base::Result<std::unique_ptr<session::Backend>> openModule(const std::filesystem::path& path) {
    // Never unloaded: LibTorch does not survive that.
    void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module == nullptr) {
        return missing("The module that runs graphs through LibTorch cannot be opened.", {dlerror()});
    }
    void* symbol = dlsym(module, factoryName);
    if (symbol == nullptr) {
        return missing(path.string() + " is not a module of this program.", {dlerror()});
    }
    const auto make = reinterpret_cast<session::Backend* (*)()>(symbol);
    return std::unique_ptr<session::Backend>(make());
}

/// The module of the release whose rules apply, if it is there, else the program's own.
base::Result<std::filesystem::path> moduleFor(std::optional<aot::TorchVersion> torch) {
    if (torch) {
        const std::string release = "torch-" + aot::torchVersionText(aot::rulesVersion(*torch));
        if (const auto own = firstThere(candidates(release))) {
            return *own;
        }
    }
    const Paths paths = candidates({});
    if (const auto found = firstThere(paths)) {
        return *found;
    }
    std::vector<std::string> notes;
    for (const std::filesystem::path& path : paths) {
        notes.push_back("not at " + path.string());
    }
    return missing("The module that runs graphs through LibTorch was not found.", std::move(notes));
}

/// Opens the module that the first call needs. Called by one thread at a time, like every backend.
class LazyBackend final : public session::Backend {
public:
    std::string description() const override {
        return m_backend ? m_backend->description() : "LibTorch, opened by the first run or re-trace";
    }
    base::Result<session::RunSnapshot> run(const ir::Graph& graph, const session::RunOptions& options,
                                           base::Progress progress) override {
        auto backend = open({});
        return backend ? (*backend)->run(graph, options, std::move(progress)) : std::move(backend).error();
    }
    base::Result<aot::RetraceResult> retrace(const aot::RetraceRequest& request,
                                             const session::TracePauses& pauses,
                                             base::Progress progress) override {
        auto backend = open(request.torch);
        return backend ? (*backend)->retrace(request, pauses, std::move(progress))
                       : std::move(backend).error();
    }
    base::Result<steps::CallRecord> call(const session::CallRequest& request, const steps::StepPauses& pauses,
                                         base::Progress progress) override {
        auto backend = open(request.request.torch);
        return backend ? (*backend)->call(request, pauses, std::move(progress)) : std::move(backend).error();
    }
    std::vector<std::string> operatorSchemas() const override {
        auto backend = open({});
        return backend ? (*backend)->operatorSchemas() : std::vector<std::string>();
    }
    std::vector<session::CoverageRow> coverage() const override {
        auto backend = open({});
        return backend ? (*backend)->coverage() : std::vector<session::CoverageRow>();
    }

    base::Result<session::Backend*> open(std::optional<aot::TorchVersion> torch) const {
        if (!m_backend) {
            auto path = moduleFor(torch);
            if (!path) {
                return std::move(path).error();
            }
            auto opened = openModule(*path);
            if (!opened) {
                return std::move(opened).error();
            }
            m_backend = std::move(opened).value();
            base::logInfo("aotscope.session", "backend: " + m_backend->description());
        }
        return m_backend.get();
    }

private:
    /// Opened by const functions too: that is no change that a caller sees.
    mutable std::unique_ptr<session::Backend> m_backend;
};

/// With one module only there is nothing to choose, and its errors are told at once.
base::Result<std::unique_ptr<session::Backend>> makeBackend() {
    auto backend = std::make_unique<LazyBackend>();
    const auto others = [] {
        return std::ranges::any_of(aot::knownVersions(), [](aot::TorchVersion version) {
            return firstThere(candidates("torch-" + aot::torchVersionText(version))).has_value();
        });
    };
    if (std::getenv("AOTSCOPE_TORCH_MODULE") != nullptr || !others()) {
        if (auto opened = backend->open({}); !opened) {
            return std::move(opened).error();
        }
    }
    return std::unique_ptr<session::Backend>(std::move(backend));
}

} // namespace

session::BackendFactory torchBackendFactory() {
    return makeBackend;
}

} // namespace aotscope::app
