#pragma once

#include "ir/dtype.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What a function is compiled with.
namespace aotscope::aot {

/// Which operators are decomposed while tracing.
enum class DecompositionTable : std::uint8_t {
    /// None beyond what autograd itself does (backend aot_eager).
    None,
    /// torch._decomp.core_aten_decompositions()
    Core,
    /// Inductor's choice (select_decomp_table)
    Inductor
};

/// "none", "core", "inductor"
[[nodiscard]] std::string_view decompositionTableName(DecompositionTable table);
[[nodiscard]] std::optional<DecompositionTable> decompositionTableFromName(std::string_view name);

/// `torch.autocast` around the call that was compiled.
struct AmbientAutocast {
    /// "cpu", "cuda", …
    std::string device;
    ir::DType dtype = ir::DType::BFloat16;
    friend bool operator==(const AmbientAutocast&, const AmbientAutocast&) = default;
};

/// AOTAutograd's export: a graph for others to compile. No wrapper stands around it, so that what wrappers do
/// for compiled functions is banned.
struct ExportOptions {
    /// Called as the program is (`aot_export_joint_simple`): neither changed inputs nor outputs that share
    /// memory. A joint graph has tangents then. Else `aot_export_module`.
    bool simple = false;
    /// Forward and backward, from the loss; else the forward alone, under no_grad.
    bool joint = false;
    /// Which output is the loss: of joint graphs that are not simple.
    std::optional<std::size_t> loss = {};
    /// Operators as the program calls them, above autocast and autograd, but functional.
    bool preDispatch = false;
    friend bool operator==(const ExportOptions&, const ExportOptions&) = default;
};

/// AOTAutograd's ways through a function.
enum class TracePath : std::uint8_t { Inference, Autograd, Export };

/// Defaults are those of torch 2.11 (AOTConfig, torch/_functorch/config.py).
struct CompileConfiguration {
    /// Mutations of inputs stay in the graph where they can.
    bool keepInferenceInputMutations = true;
    DecompositionTable decompositions = DecompositionTable::None;
    /// Grad mode and autocasts when it was compiled.
    bool gradEnabled = true;
    std::vector<AmbientAutocast> autocasts = {};
    /// Export it instead.
    std::optional<ExportOptions> exported = {};
    bool functionalizeRngOps = false;
    bool debugAssert = false;
    /// TracingContext.fakify_first_call, which DDPOptimizer sets.
    bool fakifyFirstCall = false;
    friend bool operator==(const CompileConfiguration&, const CompileConfiguration&) = default;
};

} // namespace aotscope::aot
