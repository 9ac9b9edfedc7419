#pragma once

#include "aot/versions/torch_version.h"
#include "contract/backend.h"

#include "base/result.h"

#include <filesystem>
#include <memory>
#include <optional>

/// The LibTorch modules: where they are, and how one is opened. They lie beside the executable
/// (../lib/aotscope, ../lib, its own folder), those of other releases in torch-2.11/ there;
/// AOTSCOPE_TORCH_MODULE names one to use instead.
namespace aotscope::app {

/// The module of the release whose rules apply, if it is there, else the program's own. Error:
/// run.no_torch_module (says where it looked and what to do).
[[nodiscard]] base::Result<std::filesystem::path> findModule(std::optional<aot::TorchVersion> torch);

/// Whether there is the module of a release besides the program's own, so that there is a choice.
[[nodiscard]] bool hasModuleOfARelease();

/// Opens a module for good: LibTorch does not survive being unloaded, and a process can hold only one. Error:
/// run.no_torch_module.
[[nodiscard]] base::Result<std::unique_ptr<session::Backend>> openModule(const std::filesystem::path& path);

} // namespace aotscope::app
