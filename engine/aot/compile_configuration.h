#pragma once

#include "aot/functorch_config.h"
#include "aot/global_state.h"
#include "aot/versions/torch_version.h"

#include "base/describe.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// How a function is compiled. Follows torch 2.11: AOTConfig in torch/_functorch/_aot_autograd/schemas.py and
/// torch/_functorch/config.py.
namespace aotscope::aot {

/// Which operators are decomposed while tracing.
enum class DecompositionTable : std::uint8_t {
    /// None beyond what autograd itself does (backend aot_eager).
    None,
    /// core_aten_decompositions() of torch/_decomp/__init__.py.
    Core,
    /// select_decomp_table() of torch/_inductor/decomposition.py.
    Inductor,
    /// Single operators, as get_decompositions() of torch/_decomp/__init__.py takes them.
    Chosen
};
AOTSCOPE_WORDS(DecompositionTable, "none", "core", "inductor", "chosen")

/// Export: a graph for others to compile. It has no wrappers, so programs that would need one are refused.
/// Follows torch 2.11, torch/_functorch/aot_autograd.py: aot_export_module and aot_export_joint_simple.
struct ExportOptions {
    /// True: aot_export_joint_simple. It refuses mutated inputs and outputs that alias anything; its joint
    /// graph takes tangents. False: aot_export_module.
    bool simple = false;
    /// True: forward and backward, from the loss. False: the forward alone, under no_grad.
    bool joint = false;
    /// Index of the output that is the loss; for joint graphs that are not simple.
    std::optional<std::size_t> loss = {};
    /// Pre-dispatch: operators as the program calls them, above autocast and autograd, but functional.
    bool preDispatch = false;
    friend bool operator==(const ExportOptions&, const ExportOptions&) = default;
};
AOTSCOPE_MEMBERS(ExportOptions, simple, joint, loss, preDispatch)

/// Which of AOTAutograd's traces a function goes through.
enum class TracePath : std::uint8_t { Inference, Autograd, Export };
AOTSCOPE_WORDS(TracePath, "inference", "autograd", "export")

/// Defaults are those of torch 2.11.
struct CompileConfiguration {
    /// Whose rules apply.
    TorchVersion torch = unnamedVersion();
    /// Mutations of inputs stay in the graph where possible.
    bool keepInferenceInputMutations = true;
    DecompositionTable decompositions = DecompositionTable::None;
    /// Those of DecompositionTable::Chosen: "aten.gelu.default", or "aten.gelu" for all of its overloads.
    std::vector<std::string> decomposedOperators = {};
    /// Around the compiled call.
    GlobalState state = {};
    /// Set: export instead of compiling.
    std::optional<ExportOptions> export_ = {};
    /// The log's options, a person's, or the release's defaults.
    FunctorchConfig functorch = {};
    /// TracingContext.fakify_first_call (torch/_guards.py), set by DDPOptimizer.
    bool fakifyFirstCall = false;
    friend bool operator==(const CompileConfiguration&, const CompileConfiguration&) = default;
};
AOTSCOPE_MEMBERS(CompileConfiguration, torch, keepInferenceInputMutations, decompositions,
                 decomposedOperators, state, export_, functorch, fakifyFirstCall)

} // namespace aotscope::aot
