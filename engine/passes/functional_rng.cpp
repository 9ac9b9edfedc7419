#include "passes/functional_rng.h"

#include "passes/assemble.h"

#include "ir/fx_names.h"
#include "ir/graph_builder.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace aotscope::passes {
namespace {

/// A random operator that is in both halves.
struct RandomPair {
    std::string name;
    /// "cuda:0" or empty.
    std::string cudaDevice;
    /// Each half takes a generator as an input, instead of saving the generator's state.
    bool byGenerator = false;
    std::size_t number = 0;
};

/// The CUDA device of a node's value; if the graph's text does not give it, that of the value's elements.
std::string cudaDeviceOf(const JointProgram& program, Index i) {
    std::string device;
    const auto read = [&](const ir::TensorMeta& tensor) {
        if (device.empty() && tensor.device && tensor.device->type == "cuda") {
            device = tensor.device->text();
        }
    };
    ir::forEachTensor(program.node(i).value, read);
    for (const Index user : program.users(i)) {
        if (program[user].is(OpGetitem)) {
            ir::forEachTensor(program.node(user).value, read);
        }
    }
    return device;
}

using Pairs = std::map<std::string, RandomPair, std::less<>>;

Pairs pairsOf(const JointProgram& program, const Halves& halves) {
    const std::vector<bool> inForward = marked(program.size(), {halves.forward.nodes});
    const std::vector<bool> inBackward = marked(program.size(), {halves.backward.nodes});
    Pairs pairs;
    std::set<std::string> devices;
    for (Index i = 0; i < program.size(); ++i) {
        if (program[i].mustRecompute() && program[i].is(OpDraws) && inForward[i] && inBackward[i]) {
            RandomPair pair{program.name(i), cudaDeviceOf(program, i), false, pairs.size()};
            if (!pair.cudaDevice.empty()) {
                devices.insert(pair.cudaDevice);
            }
            pairs.emplace(pair.name, std::move(pair));
        }
    }
    for (auto& [name, pair] : pairs) {
        pair.byGenerator = !pair.cudaDevice.empty() && devices.size() == 1;
    }
    return pairs;
}

std::int64_t stateBytes(const RandomPair& pair) {
    return pair.cudaDevice.empty() ? cpuStateBytes : cudaStateBytes;
}

/// The symbols of those states that are saved.
StateSymbols usedSymbols(const Pairs& pairs, const StateSymbols& symbols) {
    StateSymbols used;
    for (const auto& [name, pair] : pairs) {
        if (const auto symbol = symbols.find(stateBytes(pair));
            !pair.byGenerator && symbol != symbols.end()) {
            used.insert(*symbol);
        }
    }
    return used;
}

ir::ValueMeta stateValue(const RandomPair& pair, const StateSymbols& symbols) {
    const std::int64_t bytes = stateBytes(pair);
    const auto symbol = symbols.find(bytes);
    ir::TensorMeta state;
    state.dtype = ir::DType::UInt8;
    state.shape = {symbol == symbols.end() ? ir::SymInt(bytes) : ir::SymInt(ir::SymExpr(symbol->second))};
    state.stride = ir::SymInts{ir::SymInt(1)};
    state.storageOffset = ir::SymInt(0);
    state.device = ir::Device{"cpu", -1};
    return state;
}

/// Copies a graph node by node and replaces some of the nodes.
class Rewrite {
public:
    Rewrite(const ir::Graph& graph, ir::FxNames names, const StateSymbols& symbols = {})
        : m_original(graph), m_names(std::move(names)), m_made(graph.idBound()) {
        m_graph = ir::GraphBuilder::withoutNodes(graph);
        for (const auto& [bytes, symbol] : symbols) {
            m_graph.editSymbolHints().try_emplace(symbol, bytes);
        }
    }

    ir::NodeId copy(ir::NodeId id) {
        ir::Node node = m_original.node(id);
        mapArguments(node);
        return m_made[id.index()] = m_graph.append(std::move(node));
    }
    /// Adds a new output node, with a new name, that returns `states` before its last `symbols` values.
    void addOutput(ir::NodeId id, std::span<const ir::NodeId> states, std::size_t symbols) {
        ir::Node output = m_original.node(id);
        mapArguments(output);
        ir::TupleArgument values;
        for (const ir::Argument& argument : output.args) {
            forEachLeaf(argument, [&values](const ir::Argument& leaf) { values.items.push_back(leaf); });
        }
        const auto end = values.items.end();
        const auto at = end - static_cast<std::ptrdiff_t>(std::min(symbols, values.items.size()));
        const std::vector<ir::Argument> added(states.begin(), states.end());
        values.items.insert(at, added.begin(), added.end());
        output.name = m_names.create("output");
        output.args.assign(1, std::move(values));
        output.descriptors.clear();
        m_made[id.index()] = m_graph.append(std::move(output));
    }
    /// Later uses of `id` become uses of `node`.
    void replace(ir::NodeId id, ir::NodeId node) { m_made[id.index()] = node; }

    ir::NodeId addInput(const std::string& name, ir::ValueMeta value) {
        ir::Node node;
        node.name = m_names.create(name);
        node.op = ir::Opcode::Placeholder;
        node.target = name;
        node.value = std::move(value);
        return m_graph.append(std::move(node));
    }

    /// The call of a higher-order operator that runs `id`'s operator on its arguments.
    ir::NodeId addWrapper(ir::HigherOrder wrapper, ir::Arguments leading, ir::NodeId id,
                          const std::vector<ir::KeywordArgument>& following = {}) {
        const ir::Node& wrapped = m_original.node(id);
        ir::Node node;
        node.name = m_names.create(std::string(ir::higherOrder(wrapper).name()));
        node.target = ir::higherOrder(wrapper).target;
        node.args = wrapped.args;
        node.kwargs = wrapped.kwargs;
        mapArguments(node);
        leading.emplace_back(ir::OperatorArgument{wrapped.target});
        node.args.insert(node.args.begin(), leading.begin(), leading.end());
        node.kwargs.insert(node.kwargs.end(), following.begin(), following.end());
        return m_graph.append(std::move(node));
    }

    ir::NodeId addElement(ir::NodeId call, std::int64_t position, ir::Node metadata) {
        metadata.name = m_names.create("getitem");
        metadata.op = ir::Opcode::CallFunction;
        metadata.target = "_operator.getitem";
        metadata.args = {call, position};
        metadata.kwargs.clear();
        return m_graph.append(std::move(metadata));
    }

    ir::GraphPtr finish() { return m_graph.finish(); }

private:
    void mapArguments(ir::Node& node) const {
        const auto mapped = [this](ir::NodeId id) { return m_made[id.index()]; };
        ir::mapArguments(node, mapped);
    }

    const ir::Graph& m_original;
    ir::FxNames m_names;
    std::vector<ir::NodeId> m_made;
    ir::GraphBuilder m_graph;
};

ir::FxNames namesOfHalf(const JointProgram& program, const ExtractedGraph& half) {
    ir::FxNames names;
    for (const std::string& name : namesGivenIn(program, half)) {
        names.create(name);
    }
    return names;
}

const RandomPair* tryPair(const Pairs& pairs, const ir::Node& node) {
    const auto found = node.op == ir::Opcode::CallFunction ? pairs.find(node.name) : pairs.end();
    return found == pairs.end() ? nullptr : &found->second;
}

std::vector<const RandomPair*> inOrder(const Pairs& pairs) {
    std::vector<const RandomPair*> ordered(pairs.size());
    for (const auto& [name, pair] : pairs) {
        ordered[pair.number] = &pair;
    }
    return ordered;
}

std::optional<ir::NodeId> lastInput(const ir::Graph& graph) {
    const std::vector<ir::NodeId> inputs = graph.placeholders();
    return inputs.empty() ? std::nullopt : std::optional(inputs.back());
}

/// Adds an input for each generator after the last input.
std::map<std::size_t, ir::NodeId> addGenerators(Rewrite& rewrite, const Pairs& pairs,
                                                const std::string& prefix) {
    std::map<std::size_t, ir::NodeId> generators;
    for (const RandomPair* pair : inOrder(pairs)) {
        if (pair->byGenerator) {
            generators[pair->number] = rewrite.addInput(prefix + std::to_string(pair->number), {});
        }
    }
    return generators;
}

void runByGenerator(Rewrite& rewrite, ir::NodeId id, ir::NodeId generator) {
    rewrite.replace(id, rewrite.addWrapper(ir::HigherOrder::GraphsafeRunWithRngState, {}, id,
                                           {{"rng_state", generator}}));
}

ir::GraphPtr rewriteForward(const JointProgram& program, const Halves& halves, const ir::Graph& forward,
                            const Pairs& pairs, const StateSymbols& symbols) {
    Rewrite rewrite(forward, namesOfHalf(program, halves.forward), symbols);
    std::vector<ir::NodeId> states;
    std::map<std::size_t, ir::NodeId> generators;
    const auto last = lastInput(forward);
    for (const ir::NodeId id : forward.order()) {
        const ir::Node& node = forward.node(id);
        const RandomPair* pair = tryPair(pairs, node);
        if (node.op == ir::Opcode::Output && !states.empty()) {
            rewrite.addOutput(id, states, halves.savedSymbols.size());
        } else if (pair == nullptr) {
            rewrite.copy(id);
        } else if (pair->byGenerator) {
            runByGenerator(rewrite, id, generators.at(pair->number));
        } else {
            const ir::NodeId call = rewrite.addWrapper(ir::HigherOrder::RunAndSaveRngState, {}, id);
            ir::Node state;
            state.value = stateValue(*pair, symbols);
            states.push_back(rewrite.addElement(call, 0, std::move(state)));
            rewrite.replace(id, rewrite.addElement(call, 1, node));
        }
        if (id == last) {
            generators = addGenerators(rewrite, pairs, "fwd_rng_state_");
        }
    }
    return rewrite.finish();
}

ir::GraphPtr rewriteBackward(const JointProgram& program, const Halves& halves, const ir::Graph& backward,
                             const Pairs& pairs, const StateSymbols& symbols) {
    Rewrite rewrite(backward, namesOfHalf(program, halves.backward), symbols);
    std::map<std::size_t, ir::NodeId> states;
    bool reachedTangents = false;
    const auto last = lastInput(backward);
    for (const ir::NodeId id : backward.order()) {
        const ir::Node& node = backward.node(id);
        if (ir::isTangentOrBackwardToken(node) && !reachedTangents) {
            reachedTangents = true;
            std::size_t saved = 0;
            for (const RandomPair* pair : inOrder(pairs)) {
                if (!pair->byGenerator) {
                    states[pair->number] = rewrite.addInput("rng_state_output_" + std::to_string(saved++),
                                                            stateValue(*pair, symbols));
                }
            }
        }
        const RandomPair* pair = tryPair(pairs, node);
        if (pair == nullptr) {
            rewrite.copy(id);
        } else if (pair->byGenerator) {
            runByGenerator(rewrite, id, states.at(pair->number));
        } else {
            rewrite.replace(
                id, rewrite.addWrapper(ir::HigherOrder::RunWithRngState, {states.at(pair->number)}, id));
        }
        if (id == last) {
            states.merge(addGenerators(rewrite, pairs, "bwd_rng_state_"));
        }
    }
    return rewrite.finish();
}

} // namespace

std::pair<ir::GraphPtr, ir::GraphPtr> functionalizeRandom(const JointProgram& program, const Halves& halves,
                                                          const ir::Graph& forward, const ir::Graph& backward,
                                                          const StateSymbols& stateSymbols) {
    const Pairs pairs = pairsOf(program, halves);
    const StateSymbols used = usedSymbols(pairs, stateSymbols);
    return {rewriteForward(program, halves, forward, pairs, used),
            rewriteBackward(program, halves, backward, pairs, used)};
}

ir::GraphPtr reorderedGraph(const ir::Graph& graph, std::span<const std::uint32_t> order) {
    Rewrite rewrite(graph, {});
    for (const std::uint32_t position : order) {
        rewrite.copy(graph.order()[position]);
    }
    return rewrite.finish();
}

} // namespace aotscope::passes
