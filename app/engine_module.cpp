#include "engine_module.h"

#include "aot/versions/versions.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>
#include <utility>
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
    return {"run.no_torch_module",
            std::move(message),
            {},
            std::move(notes),
            "Install the package with the LibTorch module, or set AOTSCOPE_TORCH_MODULE to its path."};
}

} // namespace

base::Result<std::unique_ptr<session::Backend>> openModule(const std::filesystem::path& path) {
    // Never unloaded.
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

bool hasModuleOfARelease() {
    return std::getenv("AOTSCOPE_TORCH_MODULE") == nullptr &&
           std::ranges::any_of(aot::knownVersions(), [](aot::TorchVersion version) {
               return firstThere(candidates("torch-" + aot::torchVersionText(version))).has_value();
           });
}

base::Result<std::filesystem::path> findModule(std::optional<aot::TorchVersion> torch) {
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

} // namespace aotscope::app
