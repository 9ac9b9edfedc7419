#pragma once

#include "run/inputs/tensor_maker.h"
#include "run/state/run_context.h"
#include "wrappers/boxed_call.h"

#include "aot/compiled_function.h"
#include "aot/retrace.h"
#include "contract/backend.h"
#include "contract/call_options.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::torch {

/// One argument of a compiled function as its caller knows it: the attributes that the program reads come
/// first, then its own inputs.
struct CallerInput {
    /// "L_x_"
    std::string name;
    /// `duplicateOf` counts these inputs.
    aot::RetraceInput facts;
    /// For a tensor that holds a Python number: the number that the compile saw, which its graph may contain.
    std::optional<aot::TensorData> number = {};
    /// What the program's own operators require of its values. The compiled graph may not show it, because
    /// it has other operators in their place.
    ValueNeeds needs = {};
    /// A result that autograd saved: the input that it is the result of, and how.
    struct ResultOf {
        std::size_t input = 0;
        std::function<at::Tensor(const at::Tensor&)> compute;
    };
    std::optional<ResultOf> resultOf = {};
};

/// A tensor that gradients go to.
struct CallerLeaf {
    /// The name of the argument that it is, or that is computed from it.
    std::string name;
    at::Tensor tensor;
    /// The first argument that it is or that is computed from it.
    std::size_t argument = 0;
};

/// Real arguments for one caller.
struct MadeArguments {
    Values values;
    std::vector<CallerLeaf> leaves;
    /// The caller's tensors are those of inference mode, which know no bases (Tensor._base).
    bool inInferenceMode = false;
};

/// The tensors that belong to the caller of a compiled function.
struct CallerTensors {
    /// Names of the arguments.
    std::vector<std::string> names;
    /// Those that are no tensors are undefined.
    std::vector<at::Tensor> arguments;
    /// One that is an argument appears there too.
    std::vector<CallerLeaf> leaves;
    /// The caller itself writes to them between calls, as an optimizer does.
    bool writesBetweenCalls = false;
};

/// Makes equal arguments for several callers: with the layout, the sharing of memory, the views of bases and
/// the place in autograd's graph that the compile saw.
class CallerArguments {
public:
    /// Prepares the data, once: the caller's, else synthetic data from metadata and seed as for a run of the
    /// compiled graph. Sizes follow `options.symbols`. Throws RunFailure (run.unsupported_input,
    /// run.too_large).
    CallerArguments(const aot::CompiledFunction& function, std::vector<CallerInput> inputs,
                    const session::CallOptions& options, RunContext& context, bool inInferenceMode);

    /// Independent arguments with equal data; `inFloat64`: floats as float64.
    [[nodiscard]] MadeArguments make(bool inFloat64 = false) const;
    /// Before another call on the same arguments: recomputes those that autograd computed from a leaf, from
    /// their present data.
    void renew(MadeArguments& made) const;
    [[nodiscard]] std::vector<std::string> names() const;
    /// What may help a program that does not take these arguments; empty: none of them is synthetic.
    [[nodiscard]] std::string whatToGive() const;

private:
    /// A piece of memory that arguments lie in.
    struct Memory {
        /// One-dimensional, from the start of the storage.
        at::Tensor elements;
        /// The tensor that the arguments are views of (`_base`), as a view of `elements`; undefined: none.
        at::Tensor base = {};
        bool baseRequiresGrad = false;
        /// Autograd computed the base: one that is written to through a view cannot be a leaf.
        bool baseIsInner = false;
    };
    struct Argument {
        /// For a tensor its data, as a view of its memory's elements.
        c10::IValue value;
        std::optional<std::size_t> memory;
    };

    /// The position of the graph's input that holds an argument's synthetic data; nothing: it is not
    /// synthetic, or in no single input.
    [[nodiscard]] std::optional<std::size_t> madeAt(std::size_t argument,
                                                    const session::RunOptions& run) const;
    /// What the program requires of each input of the graph.
    [[nodiscard]] std::vector<ValueNeeds> programNeeds() const;
    void shrinkWeights(const Values& graphInputs, const session::RunOptions& run) const;
    /// Makes saved results those of what they were computed from, which may share its memory with others.
    void computeResults(const session::RunOptions& run);
    void place(std::size_t argument, const Values& graphInputs);
    void placeInShared(std::size_t argument, const at::Tensor& data);
    [[nodiscard]] std::optional<std::size_t> sharedMemory(std::size_t argument, const at::Tensor& data);

    const aot::CompiledFunction& m_function;
    std::vector<CallerInput> m_inputs;
    RunContext& m_context;
    /// How many of the graph's inputs, the first ones, are effect tokens.
    std::size_t m_tokens;
    std::vector<Memory> m_memories;
    std::vector<Argument> m_arguments;
    /// By the request's number of a storage, and by the number of a synthetic base.
    std::map<std::int64_t, std::size_t> m_ofStorage;
    std::map<std::size_t, std::size_t> m_ofBase;
    bool m_anyMade = false;
    bool m_inInferenceMode;
};

} // namespace aotscope::torch
