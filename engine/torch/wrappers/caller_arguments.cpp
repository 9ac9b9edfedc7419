#include "wrappers/caller_arguments.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/input_needs.h"
#include "run/inputs/symbols.h"
#include "run/inputs/tensor_maker.h"
#include "run/state/float64_copy.h"
#include "run/state/frame.h"
#include "run/state/tensor_copy.h"
#include "wrappers/argument_places.h"
#include "wrappers/read_number.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// One past the last element of a tensor, in its storage.
std::int64_t endOf(const at::Tensor& tensor) {
    return storageElements(tensor.sizes().vec(), tensor.strides().vec(), tensor.storage_offset());
}

/// Whether autograd sees a write to the input.
bool isWrittenUnderAutograd(const ir::InputAliasInfo& info) {
    return info.mutatesData && !info.mutationsHiddenFromAutograd && !info.mutationsUnderNoGradOrInferenceMode;
}

/// Whether autograd sees a write to one of the arguments that are views of that base.
bool isWrittenUnderAutograd(const aot::AOTSyntheticBaseWrapper& wrapper, std::size_t base) {
    for (std::size_t i = 0; i < std::min(wrapper.syntheticBaseInfo.size(), wrapper.oldInputInfo.size());
         ++i) {
        const auto* view = std::get_if<aot::ViewOfBase>(&wrapper.syntheticBaseInfo[i]);
        if (view != nullptr && view->base == base && isWrittenUnderAutograd(wrapper.oldInputInfo[i])) {
            return true;
        }
    }
    return false;
}

/// Whether autograd sees a write to an argument of the caller that is a separate input of the graph.
bool isWrittenUnderAutograd(const aot::CompiledFunction& function, std::size_t argument) {
    const std::vector<ir::InputAliasInfo>& infos = function.metadata.inputInfo;
    const ArgumentPlace place = placeOf(function, argument);
    return place.bases == nullptr && place.input < infos.size() && isWrittenUnderAutograd(infos[place.input]);
}

/// Options for the graph's inputs: those named as the caller's get the graph's names. Numbers that the
/// compile saw are used where the caller has none.
session::RunOptions optionsForGraph(const aot::CompiledFunction& function, const ir::Graph& graph,
                                    const std::vector<CallerInput>& inputs, std::size_t tokens,
                                    const session::CallOptions& options) {
    session::RunOptions run;
    run.seed = options.seed;
    run.symbols = options.symbols;
    run.inputs = options.inputs;
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ArgumentPlace place = placeOf(function, i);
        const ir::NodeId own = placeholders.at(tokens + place.input);
        auto given = run.inputs.find(inputs[i].name);
        if (given == run.inputs.end() && place.bases == nullptr) {
            const auto number = inputs[i].number ? inputs[i].number : numberRead(graph, own, run.symbols);
            if (number && !run.inputs.contains(graph.node(own).name)) {
                given = run.inputs.emplace(inputs[i].name, *number).first;
            }
        }
        if (given == run.inputs.end()) {
            continue;
        }
        if (place.view != nullptr) {
            fail("run.unsupported_input", "The input \"" + inputs[i].name +
                                              "\" shares its memory with others, so no data can be given "
                                              "for it alone.");
        }
        aot::TensorData data = given->second;
        run.inputs.erase(given);
        run.inputs.insert_or_assign(graph.node(own).name, std::move(data));
    }
    return run;
}

/// A tensor that requires grad and is no leaf, and the leaf that it was computed from. One that is expanded
/// is a view of what was computed.
at::Tensor nonLeaf(const at::Tensor& tensor, at::Tensor& leaf) {
    const at::Tensor once = oncePerElement(tensor);
    leaf = at::empty_strided(once.sizes(), once.strides(), once.options()).copy_(once);
    leaf.set_requires_grad(true);
    const c10::AutoGradMode grad(true);
    if (once.sizes() == tensor.sizes()) {
        return tensor.copy_(leaf);
    }
    const at::Tensor computed = inStorage(tensor.storage(), tensor.options(), once).copy_(leaf);
    return computed.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

/// Whether an argument is the tensor itself that others in its memory are views of.
bool isItsBase(const aot::RetraceInput& facts, const at::Tensor& layout, const at::Tensor& base) {
    return facts.storage >= 0 && !facts.viewBase && facts.requiresGrad == base.requires_grad() &&
           layout.sizes() == base.sizes() && layout.strides() == base.strides() &&
           layout.storage_offset() == base.storage_offset();
}

} // namespace

CallerArguments::CallerArguments(const aot::CompiledFunction& function, std::vector<CallerInput> inputs,
                                 const session::CallOptions& options, RunContext& context,
                                 bool inInferenceMode)
    : m_function(function),
      m_inputs(std::move(inputs)),
      m_context(context),
      m_tokens(aot::countInputs<ir::ForwardTokenAOTInput>(*function.graph)),
      m_inInferenceMode(inInferenceMode) {
    const ir::Graph& graph = *function.graph;
    const session::RunOptions run = optionsForGraph(function, graph, m_inputs, m_tokens, options);
    m_context.seed = run.seed;
    m_context.symbols = bindSymbols(graph, run);
    const c10::AutoGradMode noGrad(false);
    const Values graphInputs = torch::graphInputs(graph, run, m_context, programNeeds());
    shrinkWeights(graphInputs, run);
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        place(i, graphInputs);
    }
    computeResults(run);
    m_anyMade = std::ranges::any_of(
        m_inputs, [&](const CallerInput& input) { return !options.inputs.contains(input.name); });
}

std::optional<std::size_t> CallerArguments::madeAt(std::size_t argument,
                                                   const session::RunOptions& run) const {
    const std::vector<ir::NodeId> placeholders = m_function.graph->placeholders();
    const ArgumentPlace place = placeOf(m_function, argument);
    const std::size_t position = m_tokens + place.input;
    const bool isMade = place.bases == nullptr && position < placeholders.size() &&
                        !run.inputs.contains(m_function.graph->node(placeholders[position]).name);
    return isMade ? std::optional(position) : std::nullopt;
}

std::vector<ValueNeeds> CallerArguments::programNeeds() const {
    std::vector<ValueNeeds> needs(m_function.graph->placeholders().size());
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        if (const auto place = madeAt(i, {})) {
            addNeeds(needs[*place], m_inputs[i].needs);
        }
    }
    return needs;
}

void CallerArguments::shrinkWeights(const Values& graphInputs, const session::RunOptions& run) const {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const auto place = madeAt(i, run);
        if (place && m_inputs[i].facts.requiresGrad && graphInputs.at(*place).isTensor()) {
            shrinkWeight(graphInputs[*place].toTensor());
        }
    }
}

void CallerArguments::computeResults(const session::RunOptions& run) {
    for (std::size_t i = 0; i < m_inputs.size(); ++i) {
        const auto& resultOf = m_inputs[i].resultOf;
        if (!resultOf || !madeAt(i, run) || !m_arguments[i].value.isTensor() ||
            !m_arguments.at(resultOf->input).value.isTensor()) {
            continue;
        }
        const at::Tensor computed = resultOf->compute(m_arguments[resultOf->input].value.toTensor());
        const at::Tensor& result = m_arguments[i].value.toTensor();
        if (computed.sizes() == result.sizes()) {
            result.copy_(computed);
        }
    }
}

void CallerArguments::place(std::size_t argument, const Values& graphInputs) {
    m_arguments.emplace_back();
    const auto [input, view, bases] = placeOf(m_function, argument);
    const IValue& value = graphInputs.at(m_tokens + input);
    if (view == nullptr) {
        if (value.isTensor()) {
            placeInShared(argument, value.toTensor());
        } else {
            m_arguments.back().value = value;
        }
        return;
    }
    const auto [known, isNew] = m_ofBase.try_emplace(view->base, m_memories.size());
    if (isNew) {
        const at::Tensor base = copyWithStorage(value.toTensor());
        Memory memory{wholeStorage(base)};
        memory.baseIsInner = isWrittenUnderAutograd(*bases, view->base);
        if (bases->bases.at(view->base).isViewBase) {
            memory.base = base;
            const std::optional<ir::TensorMeta>& meta = m_inputs[argument].facts.viewBase;
            memory.baseRequiresGrad = meta ? meta->requiresGrad.value_or(false) : view->requiresGrad;
        }
        m_memories.push_back(std::move(memory));
    }
    const auto numbers = [this](const ir::SymInts& sizes) {
        return base::mapped(sizes, [&](const ir::SymInt& size) { return sizeValue(size, m_context); });
    };
    m_arguments.back().memory = known->second;
    m_arguments.back().value = m_memories[known->second].elements.as_strided(
        numbers(view->size), numbers(view->stride), sizeValue(view->storageOffset, m_context));
}

/// The memory that an argument shares with others, or with a base of which it is a view; nothing: it has its
/// own.
std::optional<std::size_t> CallerArguments::sharedMemory(std::size_t argument, const at::Tensor& data) {
    const aot::RetraceInput& facts = m_inputs[argument].facts;
    const auto sharers = std::ranges::count_if(
        m_inputs, [&](const CallerInput& other) { return other.facts.storage == facts.storage; });
    if (facts.storage < 0 || (sharers < 2 && !facts.viewBase)) {
        return std::nullopt;
    }
    const std::int64_t end = endOf(data) - data.storage_offset() + facts.storageOffset;
    const auto [known, isNew] = m_ofStorage.try_emplace(facts.storage, m_memories.size());
    if (isNew) {
        Memory memory;
        std::int64_t elements = end;
        if (facts.storageBytes) {
            elements =
                std::max(elements, *facts.storageBytes / static_cast<std::int64_t>(data.element_size()));
        }
        ConcreteLayout layout;
        if (facts.viewBase) {
            layout = concreteLayout(*facts.viewBase, m_context);
            elements = std::max(elements, storageElements(layout.shape, layout.stride, layout.offset));
        }
        memory.elements = at::zeros({elements}, data.options());
        if (facts.viewBase) {
            memory.base = memory.elements.as_strided(layout.shape, layout.stride, layout.offset);
            memory.baseRequiresGrad = facts.viewBase->requiresGrad.value_or(false);
            memory.baseIsInner = isWrittenUnderAutograd(m_function, argument);
        }
        m_memories.push_back(std::move(memory));
    }
    Memory& memory = m_memories[known->second];
    if (memory.elements.dtype() != data.dtype()) {
        m_context.note("The input \"" + m_inputs[argument].name +
                       "\" has another dtype than the inputs in its memory: it gets its own.");
        return std::nullopt;
    }
    if (memory.elements.numel() < end) {
        at::Tensor larger = at::zeros({end}, data.options());
        larger.narrow(0, 0, memory.elements.numel()).copy_(memory.elements);
        // Views of the smaller one move to the larger one.
        const auto moved = [&](const at::Tensor& tensor) {
            return larger.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
        };
        for (Argument& other : m_arguments) {
            if (other.memory == known->second) {
                other.value = moved(other.value.toTensor());
            }
        }
        if (memory.base.defined()) {
            memory.base = moved(memory.base);
        }
        memory.elements = larger;
    }
    return known->second;
}

void CallerArguments::placeInShared(std::size_t argument, const at::Tensor& data) {
    std::optional<std::size_t> memory = sharedMemory(argument, data);
    if (!memory) {
        const at::Tensor copy = copyWithStorage(data);
        memory = m_memories.size();
        m_memories.push_back(Memory{wholeStorage(copy)});
        m_arguments.back() = {copy, memory};
        return;
    }
    const at::Tensor view = m_memories[*memory].elements.as_strided(data.sizes(), data.strides(),
                                                                    m_inputs[argument].facts.storageOffset);
    oncePerElement(view).copy_(oncePerElement(data));
    m_arguments.back() = {view, memory};
}

std::string CallerArguments::whatToGive() const {
    return m_anyMade ? " The inputs are synthetic, and may not be what the program takes: give others "
                       "(--inputs)."
                     : "";
}

std::vector<std::string> CallerArguments::names() const {
    return base::mapped(m_inputs, [](const CallerInput& input) { return input.name; });
}

MadeArguments CallerArguments::make(bool inFloat64) const {
    struct Copy {
        at::Tensor elements;
        at::Tensor base;
        /// The leaf that a base which requires grad is computed from.
        at::Tensor leaf;
    };
    MadeArguments made;
    made.inInferenceMode = m_inInferenceMode;
    const c10::AutoGradMode noGrad(false);
    std::vector<Copy> copies;
    for (const Memory& memory : m_memories) {
        const c10::ScalarType type = memory.elements.scalar_type();
        Copy copy{memory.elements.to(inFloat64 ? exactType(type) : type, false, true), {}, {}};
        if (memory.base.defined()) {
            copy.base = inStorage(copy.elements.storage(), copy.elements.options(), memory.base);
            if (memory.baseRequiresGrad && memory.baseIsInner) {
                copy.base = nonLeaf(copy.base, copy.leaf);
            } else if (memory.baseRequiresGrad) {
                copy.leaf = copy.base.set_requires_grad(true);
            }
        }
        copies.push_back(std::move(copy));
    }
    std::vector<std::size_t> basesWithLeaf;
    for (std::size_t i = 0; i < m_arguments.size(); ++i) {
        const aot::RetraceInput& facts = m_inputs[i].facts;
        const std::string& name = m_inputs[i].name;
        if (facts.duplicateOf) {
            made.values.push_back(made.values.at(*facts.duplicateOf));
            continue;
        }
        const Argument& argument = m_arguments[i];
        if (!argument.memory) {
            made.values.push_back(argument.value);
            continue;
        }
        const at::Tensor& layout = argument.value.toTensor();
        const Copy& copy = copies[*argument.memory];
        at::Tensor tensor;
        if (!copy.base.defined()) {
            tensor = inStorage(copy.elements.storage(), copy.elements.options(), layout);
        } else if (isItsBase(facts, layout, copy.base)) {
            tensor = copy.base;
        } else {
            // Autograd refuses a write to a view that was created with grad mode off.
            const c10::AutoGradMode grad(facts.requiresGrad && (copy.base.requires_grad() || !facts.isLeaf));
            const at::Tensor base = facts.requiresGrad ? copy.base : at::Tensor(copy.base.detach());
            tensor = (copy.base.requires_grad() ? base : copy.base)
                         .as_strided(layout.sizes(), layout.strides(), layout.storage_offset());
        }
        if (facts.requiresGrad && copy.base.defined() && copy.base.requires_grad()) {
            if (std::ranges::find(basesWithLeaf, *argument.memory) == basesWithLeaf.end()) {
                basesWithLeaf.push_back(*argument.memory);
                made.leaves.push_back({name, copy.leaf, i});
            }
        } else if (facts.requiresGrad && facts.isLeaf) {
            made.leaves.push_back({name, tensor.set_requires_grad(true), i});
        } else if (facts.requiresGrad) {
            at::Tensor leaf;
            tensor = nonLeaf(tensor, leaf);
            made.leaves.push_back({name, leaf, i});
        }
        made.values.emplace_back(std::move(tensor));
    }
    return made;
}

void CallerArguments::renew(MadeArguments& made) const {
    for (const CallerLeaf& leaf : made.leaves) {
        const at::Tensor argument = made.values.at(leaf.argument).toTensor();
        if (argument.is_same(leaf.tensor)) {
            continue;
        }
        if (argument.is_view()) {
            fail("call.unsupported",
                 "The input \"" + leaf.name +
                     "\" is a view of a tensor that requires grad; such inputs are "
                     "called once.",
                 "Leave out --calls.");
        }
        const c10::AutoGradMode noGrad(false);
        leaf.tensor.copy_(argument);
        at::Tensor renewed = argument.detach();
        {
            const c10::AutoGradMode grad(true);
            renewed.copy_(leaf.tensor);
        }
        for (c10::IValue& value : made.values) {
            if (value.isTensor() && value.toTensor().is_same(argument)) {
                value = renewed;
            }
        }
    }
}

} // namespace aotscope::torch
