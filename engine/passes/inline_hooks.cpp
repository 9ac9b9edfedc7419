#include "passes/inline_hooks.h"

#include "passes/edited_half.h"
#include "passes/pass_manager.h"
#include "passes/pass_watch.h"

#include "ir/argument.h"
#include "ir/map_nodes.h"
#include "ir/value.h"

#include <set>
#include <string>
#include <utility>

namespace aotscope::passes {
namespace {

base::Error hookError(const std::string& saved, std::string what) {
    return {.code = "passes.hook",
            .message = "The saved-tensors hooks of " + saved + " cannot be inlined: " + std::move(what),
            .place = {.node = saved}};
}

bool isTensor(const ir::Node& node) {
    return ir::asTensor(node.value) != nullptr;
}

bool isSymbolic(const ir::Node& node) {
    return std::holds_alternative<ir::SymbolicMeta>(node.value);
}

/// The leaves of what a graph returns.
ir::Arguments returnedLeaves(const ir::Graph& graph) {
    ir::Arguments leaves;
    for (const ir::Argument& argument : graph.returned()) {
        const ir::Arguments some = ir::treeLeaves(argument);
        leaves.insert(leaves.end(), some.begin(), some.end());
    }
    return leaves;
}

/// Whether a pack hook returns what Python counts as false: an empty container, None, a zero.
bool isNothing(const ir::Graph& pack) {
    const auto output = pack.output();
    if (!output || pack.node(*output).args.empty()) {
        return true;
    }
    const ir::Argument& returned = pack.node(*output).args[0];
    if (ir::isContainer(returned)) {
        return ir::treeLeaves(returned).empty();
    }
    return returned == ir::Argument(ir::NoneArgument{}) || returned == ir::Argument(false) ||
           returned == ir::Argument(std::int64_t{0}) || returned == ir::Argument(0.0) ||
           returned == ir::Argument(std::string());
}

/// Copies the nodes of a hook to before a place. `values` holds what its inputs are; returns what it returns.
ir::Arguments copyHook(EditedHalf& half, EditedHalf::Position before, const ir::Graph& hook,
                       std::vector<ir::Argument> values) {
    const auto mapped = [&values](ir::NodeId id) { return values[id.index()]; };
    ir::Arguments returned;
    for (const ir::NodeId id : hook.order()) {
        ir::Node node = hook.node(id);
        if (node.op == ir::Opcode::Placeholder) {
            continue;
        }
        ir::mapArguments(node, mapped);
        if (node.op == ir::Opcode::Output) {
            for (const ir::Argument& argument : node.args) {
                const ir::Arguments leaves = ir::treeLeaves(argument);
                returned.insert(returned.end(), leaves.begin(), leaves.end());
            }
            continue;
        }
        values[id.index()] = half.insert(before, std::move(node), true);
    }
    return returned;
}

/// One value that a pack hook returned.
struct Packed {
    ir::Argument value;
    /// The name it is saved by; empty: a constant.
    std::string name;
};

class Inlining {
public:
    Inlining(const Partition& partition, HookFilter filter, const std::vector<std::size_t>& staticInputs)
        : m_partition(partition),
          m_filter(filter),
          m_forward(*partition.forward, partition.forwardNames),
          m_backward(*partition.backward, partition.backwardNames),
          m_inputs(partition.backward->placeholders()) {
        for (const std::size_t input : staticInputs) {
            const std::vector<ir::NodeId> inputs = partition.forward->placeholders();
            if (input < inputs.size()) {
                m_static.insert(inputs[input]);
            }
        }
        const ir::Arguments returned = returnedLeaves(*partition.forward);
        for (std::size_t i = 0; i < returned.size(); ++i) {
            if (const auto* node = returned[i].as<ir::NodeId>(); node != nullptr) {
                if (i < partition.forwardOutputs) {
                    m_returned.insert(*node);
                } else {
                    m_saved.push_back(*node);
                }
            }
            if (i < partition.forwardOutputs) {
                m_outputs.push_back(returned[i]);
            }
        }
        for (const std::size_t place : donatableBuffers(partition)) {
            if (const std::size_t saved = place - partition.savedSymbols.size(); saved < m_saved.size()) {
                m_donated.insert(m_saved[saved]);
            }
        }
    }

    base::Result<Partition> run(const TraceHook& trace) {
        if (m_filter == HookFilter::Donated && m_donated.empty()) {
            return m_partition;
        }
        Partition made = m_partition;
        for (const ir::NodeId saved : m_saved) {
            if (!isTensor(m_forward.node(saved))) {
                continue;
            }
            if (!isHooked(saved)) {
                m_tensors.push_back(saved);
                continue;
            }
            AOTSCOPE_TRY(hook, trace(*m_partition.forward, saved));
            if (!hook.pack) {
                m_tensors.push_back(saved);
                continue;
            }
            AOTSCOPE_CHECK(inlineOne(saved, hook));
            made.hooks.push_back(std::move(hook));
        }
        return finish(std::move(made));
    }

private:
    [[nodiscard]] bool isHooked(ir::NodeId saved) const {
        return m_filter == HookFilter::All ||
               (m_filter == HookFilter::Donated && m_donated.contains(saved)) ||
               (m_filter == HookFilter::NoStatic && !m_static.contains(saved));
    }

    base::Result<void> inlineOne(ir::NodeId saved, const InlinedHook& hook) {
        const std::string name = m_forward.node(saved).name;
        for (const ir::GraphPtr& graph : {hook.pack, hook.unpack}) {
            for (const ir::NodeId id : graph->order()) {
                if (graph->node(id).op == ir::Opcode::GetAttr) {
                    return hookError(name, "a hook reads the attribute " + graph->node(id).target +
                                               ", which the compiled graphs do not have.");
                }
            }
        }
        auto packed = pack(saved, name, *hook.pack);
        return packed ? unpack(name, *packed, *hook.unpack) : base::Result<void>(std::move(packed).error());
    }

    base::Result<std::vector<Packed>> pack(ir::NodeId saved, const std::string& savedName,
                                           const ir::Graph& hook) {
        const std::vector<ir::NodeId> inputs = hook.placeholders();
        if (inputs.size() != 1) {
            return hookError(savedName, "the pack hook takes more than the tensor.");
        }
        std::vector<ir::Argument> values(hook.idBound());
        values[inputs.front().index()] = saved;
        const ir::Arguments leaves =
            copyHook(m_forward, m_forward.find(*m_partition.forward->output()), hook, std::move(values));
        if (isNothing(hook)) {
            return hookError(savedName, "the pack hook returns nothing.");
        }
        std::vector<Packed> packed;
        std::set<ir::NodeId> seen;
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const auto* node = leaves[i].as<ir::NodeId>();
            if (node == nullptr) {
                packed.push_back({leaves[i], {}});
                continue;
            }
            if (!seen.insert(*node).second) {
                // PyTorch erases the node and then copies it, so that the second value is computed of None.
                return hookError(savedName, "the pack hook returns one value twice.");
            }
            const bool isKept =
                m_forward.node(*node).op == ir::Opcode::Placeholder || m_returned.contains(*node);
            if (!isKept) {
                const std::string wanted = unusedName(savedName + "_hook_" + std::to_string(i));
                m_forward.rename(*node, wanted);
                if (m_forward.node(*node).name != wanted) {
                    return hookError(savedName, "the name " + wanted + " is taken in the forward.");
                }
            }
            packed.push_back({*node, m_forward.node(*node).name});
            if (isTensor(m_forward.node(*node))) {
                m_tensors.push_back(*node);
            } else if (isSymbolic(m_forward.node(*node))) {
                m_symbols.push_back(*node);
            }
        }
        return packed;
    }

    [[nodiscard]] std::string unusedName(const std::string& candidate) const {
        std::string name = candidate;
        for (int i = 0; m_forward.hadName(name) || m_backward.hadName(name); ++i) {
            name = candidate + "_" + std::to_string(i);
        }
        return name;
    }

    base::Result<void> unpack(const std::string& savedName, const std::vector<Packed>& packed,
                              const ir::Graph& hook) {
        const auto original = m_partition.backward->tryFind(savedName);
        if (!original || m_partition.backward->node(*original).op != ir::Opcode::Placeholder) {
            return hookError(savedName, "the backward does not take it.");
        }
        const ir::NodeId input = *original;
        const std::vector<ir::NodeId> taken = hook.placeholders();
        const bool takesConstants = taken.size() == packed.size();
        std::vector<ir::Argument> values(hook.idBound());
        std::size_t next = 0;
        bool isInputKept = false;
        for (const Packed& each : packed) {
            if (each.name.empty() && !takesConstants) {
                continue;
            }
            if (next == taken.size()) {
                return hookError(savedName, "the unpack hook takes fewer values than the pack hook returns.");
            }
            ir::Argument& value = values[taken[next++].index()];
            if (each.name.empty()) {
                value = each.value;
            } else if (each.name == m_backward.node(input).name) {
                value = input;
                isInputKept = true;
            } else {
                AOTSCOPE_TRY(made, newInput(*each.value.as<ir::NodeId>(), each.name, input));
                value = made;
            }
        }
        if (next != taken.size()) {
            return hookError(savedName, "the unpack hook takes more values than the pack hook returns.");
        }
        const auto after = std::next(m_backward.find(m_inputs.back()));
        const ir::Arguments unpacked = copyHook(m_backward, after, hook, std::move(values));
        if (unpacked.size() != 1) {
            return hookError(savedName, "the unpack hook does not return one tensor.");
        }
        m_backward.replaceUses(input, unpacked.front());
        if (!isInputKept) {
            m_backward.erase(input);
        }
        return {};
    }

    /// Symbolic numbers come before all other inputs, tensors in place of the one they were packed from.
    base::Result<ir::NodeId> newInput(ir::NodeId source, const std::string& name, ir::NodeId replaced) {
        ir::Node node = m_forward.node(source);
        const bool isNumber = isSymbolic(node);
        node.op = ir::Opcode::Placeholder;
        node.name = name;
        node.target = name;
        node.args.clear();
        node.kwargs.clear();
        const ir::NodeId id = m_backward.insert(m_backward.find(isNumber ? m_inputs.front() : replaced),
                                                std::move(node), false);
        if (m_backward.node(id).name != name) {
            return hookError(name, "that name is taken in the backward.");
        }
        return id;
    }

    base::Result<Partition> finish(Partition made) {
        ir::TupleArgument returned{m_outputs};
        made.savedTensors.clear();
        made.savedSymbols.clear();
        const auto add = [&](ir::NodeId id, std::vector<std::string>& names) {
            returned.items.emplace_back(id);
            names.push_back(m_forward.node(id).name);
        };
        for (const ir::NodeId id : m_tensors) {
            add(id, made.savedTensors);
        }
        for (const ir::NodeId id : m_symbols) {
            add(id, made.savedSymbols);
        }
        for (const ir::NodeId id : m_saved) {
            if (isSymbolic(m_forward.node(id))) {
                add(id, made.savedSymbols);
            }
        }
        // PyTorch leaves the descriptors as they are, so that they no longer fit what is returned.
        m_forward.node(*m_partition.forward->output()).args = {std::move(returned)};
        made.forwardBeforeHooks = m_partition.forward;
        made.backwardBeforeHooks = m_partition.backward;
        made.forward = m_forward.finish();
        made.backward = m_backward.finish();
        AOTSCOPE_CHECK(checkSaved(made));
        return made;
    }

    /// The backward takes the saved values in the order in which the forward returns them.
    static base::Result<void> checkSaved(const Partition& made) {
        std::vector<std::string> saved = made.savedSymbols;
        saved.insert(saved.end(), made.savedTensors.begin(), made.savedTensors.end());
        const std::vector<ir::NodeId> inputs = made.backward->placeholders();
        for (std::size_t i = 0; i < saved.size(); ++i) {
            if (i >= inputs.size() || made.backward->node(inputs[i]).name != saved[i]) {
                return hookError(saved[i], "the backward does not take it where the forward returns it.");
            }
        }
        return {};
    }

    const Partition& m_partition;
    HookFilter m_filter;
    EditedHalf m_forward;
    EditedHalf m_backward;
    /// The backward's inputs before hooks were inlined.
    std::vector<ir::NodeId> m_inputs;
    std::set<ir::NodeId> m_static;
    std::set<ir::NodeId> m_donated;
    /// The nodes that the forward returns to the caller, and those it saves.
    std::set<ir::NodeId> m_returned;
    std::vector<ir::NodeId> m_saved;
    ir::Arguments m_outputs;
    std::vector<ir::NodeId> m_tensors;
    std::vector<ir::NodeId> m_symbols;
};

} // namespace

base::Result<Partition> inlineHooks(const Partition& partition, HookFilter filter,
                                    const std::vector<std::size_t>& staticInputs, const TraceHook& trace,
                                    const PassObserver& observer) {
    // The stage that inlines hooks verifies the halves.
    PassWatch watch(observer, /*verify=*/false, [&partition] { return halvesOf(partition); });
    auto inlined = Inlining(partition, filter, staticInputs).run(trace);
    if (inlined) {
        AOTSCOPE_CHECK(watch.passed(PassKind::Hooks, [&inlined] { return halvesOf(*inlined); }));
    }
    return inlined;
}

} // namespace aotscope::passes
