#include "torch_module.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace aotscope::app {

namespace {

constexpr char moduleName[] = "libaotscope_torch.so";
constexpr char factoryName[] = "aotscopeMakeTorchBackend";

std::vector<std::filesystem::path> candidates() {
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
    return {libraries / "aotscope" / moduleName, libraries / moduleName, folder / moduleName};
}

base::Error missing(std::string message, std::vector<std::string> notes) {
    return {
        "run.no_torch_module",
        std::move(message),
        {},
        std::move(notes),
        "Build with AOTSCOPE_TORCH=ON after ./dev setup, or set AOTSCOPE_TORCH_MODULE to the module's path."};
}

base::Result<std::unique_ptr<session::Backend>> openModule() {
    std::vector<std::string> notes;
    for (const std::filesystem::path& path : candidates()) {
        std::error_code error;
        if (!std::filesystem::exists(path, error)) {
            notes.push_back("not at " + path.string());
            continue;
        }
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
    return missing("The module that runs graphs through LibTorch was not found.", std::move(notes));
}

} // namespace

session::BackendFactory torchBackendFactory() {
    return openModule;
}

} // namespace aotscope::app
