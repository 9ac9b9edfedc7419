#pragma once

#include "command_line.h"
#include "program.h"
#include "selection.h"

#include "aot/functorch_config.h"
#include "aot/versions/torch_version.h"
#include "contract/devices.h"
#include "contract/partition_snapshot.h"
#include "hooks/hook_plan.h"
#include "ir/symbolic/expression.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Options that several commands have. What an option sets must outlive the command.
namespace aotscope::cli {

/// Adds `--id`.
void addIdOption(Command command, std::string& id);
/// Adds `FILE…` for logs and graph files, and `--id`.
void addFileOptions(Command command, std::vector<std::filesystem::path>& files, std::string& id);
/// Adds `FILE…`, `--id`, `--kind` (also `--graph`) and `--section`.
void addGraphOptions(Command command, GraphRequest& request);
/// Adds `--device cpu|cuda|cuda:N`. `help` begins its help: the device's use.
Option addDeviceOption(Command command, session::DeviceChoice& device, const std::string& help = "Device");
/// Adds `--explain`: after each verdict what was compared, under which configuration and tolerance, and what
/// was not.
Option addExplainOption(Command command, bool& explain);
/// Adds the repeatable `--config NAME=VALUE`: options of PyTorch that override the file's.
void addConfigOption(Command command, std::vector<aot::ConfigSetting>& settings);
/// Adds `--torch VERSION` with the known releases in its help, which begins with `help`.
void addTorchOption(Command command, std::optional<aot::TorchVersion>& torch,
                    const std::string& help = "Compile by the rules of this release instead of the one that "
                                              "made the file; see the command rules");

/// How a person wants a joint graph split.
struct SplitOptions {
    /// "auto", "default", "min-cut"
    std::string partitioner = "auto";
    /// Names of nodes.
    std::vector<std::string> save = {};
    std::vector<std::string> recompute = {};
    /// Choices without a member here.
    session::PartitionChoices others = {};

    [[nodiscard]] session::PartitionChoices choices() const;
};
/// Adds `--partitioner`.
void addPartitionerOption(Command command, SplitOptions& split, const std::string& help);
/// Adds `--budget`.
void addBudgetOption(Command command, SplitOptions& split, const std::string& help);
/// Adds `--solver`, `--runtime`, `--config` and `--torch`.
void addCostOptions(Command command, session::PartitionChoices& choices);
/// Adds `--input`: which joint graph is split.
void addInputOption(Command command, std::string& input, const std::string& help);
/// Adds `--mode` of saved-tensors hooks.
void addHookModeOption(Command command, std::string& mode, const std::string& help);

/// The value of `--runtime` and of PyTorch's activation_memory_budget_runtime_estimator: what was chosen,
/// else what the configuration says.
[[nodiscard]] std::string_view runtimeName(const std::optional<session::RuntimeSource>& chosen,
                                           const aot::FunctorchConfig& config);

/// The sides of "NAME=VALUE". Throws Failure for a text without a name or "="; `wrong` ends its message.
[[nodiscard]] std::pair<std::string, std::string> namedValue(const std::string& text, const char* wrong);
/// The values that `--symbol` gives ("s0=8"). Throws Failure for any other text.
[[nodiscard]] ir::SymbolBindings symbolsFrom(const std::vector<std::string>& texts);

/// The plan of several `--hook NAME=FILTER` (a name, a file, logged, recompute or none) and a `--mode`;
/// nothing without any. Throws Failure for an unknown hook or a file that cannot be read.
[[nodiscard]] std::optional<hooks::HookPlan> planOf(Program& program, const std::vector<std::string>& hooks,
                                                    const std::string& mode);
/// The text of a hook of the library or of a file. Throws as planOf.
[[nodiscard]] std::string hookText(Program& program, const std::string& hook);

} // namespace aotscope::cli
