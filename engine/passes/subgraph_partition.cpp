#include "passes/subgraph_partition.h"

#include "passes/assemble.h"
#include "passes/node_annotations.h"
#include "passes/partition.h"
#include "passes/traced_names.h"

#include "ir/bodies.h"
#include "ir/graph_builder.h"
#include "ir/higher_order.h"
#include "ir/map_nodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace aotscope::passes {
namespace {

/// The identifier of an invoke_subgraph call ("fw_subgraph_0"); empty for other nodes.
std::string_view identifierOf(const ir::Node& node) {
    if (node.op != ir::Opcode::CallFunction ||
        !ir::isHigherOrder(node.target, ir::HigherOrder::InvokeSubgraph) || node.args.size() < 2) {
        return {};
    }
    const std::string* text = node.args[1].as<std::string>();
    return text == nullptr ? std::string_view() : std::string_view(*text);
}

/// Forward and backward calls in program order.
struct SubgraphCalls {
    std::vector<ir::NodeId> forward;
    std::vector<ir::NodeId> backward;
};

SubgraphCalls subgraphCalls(const ir::Graph& joint) {
    SubgraphCalls calls;
    for (const ir::NodeId id : joint.order()) {
        const std::string_view identifier = identifierOf(joint.node(id));
        if (identifier.starts_with("fw")) {
            calls.forward.push_back(id);
        } else if (identifier.starts_with("bw")) {
            calls.backward.push_back(id);
        }
    }
    return calls;
}

std::optional<double> callId(const ir::Node& call) {
    return annotatedNumber(call, "call_id");
}

ir::NodeId forwardWithId(const ir::Graph& joint, const SubgraphCalls& calls, ir::NodeId backward) {
    const auto wanted = callId(joint.node(backward));
    const auto found = std::ranges::find_if(
        calls.forward, [&](ir::NodeId id) { return wanted && callId(joint.node(id)) == wanted; });
    return found == calls.forward.end() ? ir::NodeId() : *found;
}

/// The forward call of each backward call: by their ids if the rules say so and the calls have ids, else the
/// last backward call belongs to the first forward call. Empty: they do not pair.
std::vector<ir::NodeId> forwardCalls(const ir::Graph& joint, const SubgraphCalls& calls,
                                     const PartitionRules& rules) {
    std::vector<ir::NodeId> forward;
    if (rules.pairsCallsById) {
        for (const ir::NodeId backward : calls.backward) {
            forward.push_back(forwardWithId(joint, calls, backward));
        }
        if (std::ranges::all_of(forward, &ir::NodeId::valid)) {
            return forward;
        }
    }
    return calls.forward.size() == calls.backward.size()
               ? std::vector<ir::NodeId>(calls.forward.rbegin(), calls.forward.rend())
               : std::vector<ir::NodeId>();
}

ir::GraphPtr bodyOf(const ir::Graph& joint, ir::NodeId call) {
    return ir::bodyAt(joint, joint.node(call), 0);
}

/// Makes a joint graph of a backward body, which takes primals and tangents and returns gradients, then
/// forward results: names the inputs primals_… and tangents_… and returns forward results first. As
/// prepare_for_partitioner.
ir::GraphPtr asJointGraph(const ir::Graph& body, std::size_t primals, std::size_t forwardOutputs) {
    ir::GraphBuilder joint(body);
    std::size_t position = 0;
    for (const ir::NodeId id : body.placeholders()) {
        ir::Node node = body.node(id);
        const bool primal = position < primals;
        const std::size_t number = primal ? position : position - primals;
        node.name = (primal ? "primals_" : "tangents_") + std::to_string(number);
        node.target = node.name;
        const auto idx = static_cast<std::int64_t>(number);
        const ir::AOTInput input = primal ? ir::AOTInput(ir::PlainAOTInput{idx})
                                          : ir::TangentAOTInput{ir::AOTOutput(ir::PlainAOTOutput{idx})};
        node.descriptors = {{input}};
        joint.replace(id, std::move(node));
        ++position;
    }
    const auto returned = body.returned();
    std::vector<ir::Argument> values(returned.begin(), returned.end());
    const auto forwardFirst =
        values.end() - static_cast<std::ptrdiff_t>(std::min(forwardOutputs, values.size()));
    std::rotate(values.begin(), forwardFirst, values.end());
    joint.setArguments(*body.output(), {ir::TupleArgument{std::move(values)}});
    joint.editMeta(*body.output()).descriptors.clear();
    return joint.finish();
}

/// A body and its partition.
struct SplitBody {
    Partition partition;
    std::size_t primals = 0;
    std::size_t forwardOutputs = 0;
};

/// A pair of calls in the rewritten graph.
struct Pair {
    ir::NodeId forward;
    ir::NodeId backward;
    const SplitBody* body = nullptr;
    std::string forwardAttribute;
    std::string backwardAttribute;
    std::string forwardAttributeName;
    std::string forwardName;
    std::vector<std::string> savedNames;
    std::string backwardAttributeName;
    std::string backwardName;
    /// Nodes of the new graph: the values that the forward call saves, in the order in which it returns them.
    std::vector<ir::NodeId> saved;
};

class Rewriting {
public:
    Rewriting(const ir::GraphPtr& joint, const PartitionOptions& options)
        : m_joint(joint), m_options(options), m_calls(subgraphCalls(*joint)), m_made(joint->idBound()) {}

    base::Result<ir::GraphPtr> rewrite() {
        if (m_calls.backward.empty()) {
            return m_joint;
        }
        m_forwardOf = forwardCalls(*m_joint, m_calls, m_options.rules);
        if (m_forwardOf.empty()) {
            return base::Error{.code = "passes.unpaired_subgraph",
                               .message = "The joint graph has " + std::to_string(m_calls.forward.size()) +
                                          " forward and " + std::to_string(m_calls.backward.size()) +
                                          " backward calls of subgraphs, which do not pair."};
        }
        AOTSCOPE_CHECK(splitBodies());
        pairCalls();
        findUnpairedCalls();
        namePairs();
        return build();
    }

private:
    /// "_subgraph_0_1" of "bw_subgraph_0_1".
    [[nodiscard]] std::string keyOf(ir::NodeId backward) const {
        return std::string(identifierOf(m_joint->node(backward)).substr(2));
    }
    base::Result<void> splitBodies() {
        for (std::size_t i = 0; i < m_calls.backward.size(); ++i) {
            const ir::NodeId backward = m_calls.backward[i];
            const ir::GraphPtr forwardBody = bodyOf(*m_joint, m_forwardOf[i]);
            const ir::GraphPtr backwardBody = bodyOf(*m_joint, backward);
            if (!forwardBody || !backwardBody || !backwardBody->output()) {
                const std::string& name = m_joint->node(backward).name;
                return base::Error{.code = "passes.unpaired_subgraph",
                                   .message = "The body of the subgraph call \"" + name + "\" is missing.",
                                   .place = {.node = name}};
            }
            if (m_bodies.contains(keyOf(backward))) {
                continue;
            }
            SplitBody body;
            body.primals = forwardBody->placeholders().size();
            body.forwardOutputs = ir::returnedNodes(*forwardBody).size();
            PartitionOptions options = m_options;
            options.staticInputs.clear();
            options.choices.clear();
            // A token of a body is its caller's; unliftTokens refuses such a graph.
            options.unliftTokens = false;
            options.forwardOutputs = body.forwardOutputs;
            AOTSCOPE_TRY(
                partition,
                partitionJointGraph(asJointGraph(*backwardBody, body.primals, body.forwardOutputs), options));
            body.partition = std::move(partition);
            // PyTorch prints subgraph bodies without the descriptors of their outputs.
            ir::GraphBuilder forward(*body.partition.forward);
            forward.editMeta(*forward.output()).descriptors.clear();
            body.partition.forward = forward.finish();
            m_bodies.emplace(keyOf(backward), std::move(body));
        }
        return {};
    }

    void pairCalls() {
        for (std::size_t i = m_calls.backward.size(); i-- > 0;) {
            Pair pair;
            pair.backward = m_calls.backward[i];
            pair.forward = m_forwardOf[i];
            const std::string key = keyOf(pair.backward);
            pair.body = &m_bodies.at(key);
            pair.forwardAttribute = "partitioned_fw" + key;
            pair.backwardAttribute = "partitioned_" + std::string(identifierOf(m_joint->node(pair.backward)));
            m_pairs.push_back(std::move(pair));
        }
    }

    /// Forward calls without a backward call, of subgraphs that other calls take backward.
    void findUnpairedCalls() {
        for (const Pair& pair : m_pairs) {
            for (const ir::NodeId id : m_calls.forward) {
                const bool isPaired = std::ranges::find(m_forwardOf, id) != m_forwardOf.end();
                if (!isPaired && !m_unpaired.contains(id) &&
                    identifierOf(m_joint->node(id)) == identifierOf(m_joint->node(pair.forward))) {
                    Pair call = pair;
                    call.forward = id;
                    call.backward = {};
                    m_unpaired.emplace(id, std::move(call));
                }
            }
        }
    }

    void namePairs() {
        ir::FxNames names = namesOf(*m_joint);
        const std::string callName(ir::higherOrder(ir::HigherOrder::InvokeSubgraph).name());
        for (Pair& pair : m_pairs) {
            pair.forwardAttributeName = names.create(pair.forwardAttribute);
            pair.forwardName = names.create(callName);
            const Partition& partition = pair.body->partition;
            for (std::size_t i = 0; i < partition.savedTensors.size() + partition.savedSymbols.size(); ++i) {
                pair.savedNames.push_back(names.create("getitem"));
            }
            pair.backwardAttributeName = names.create(pair.backwardAttribute);
            pair.backwardName = names.create(callName);
        }
        for (const ir::NodeId id : m_calls.forward) {
            if (const auto call = m_unpaired.find(id); call != m_unpaired.end()) {
                call->second.forwardAttributeName = names.create(call->second.forwardAttribute);
                call->second.forwardName = names.create(callName);
            }
        }
        for (std::size_t i = 0; i < m_pairs.size(); ++i) {
            m_pairOf[m_pairs[i].forward] = i;
            m_pairOf[m_pairs[i].backward] = i;
        }
    }

    base::Result<ir::GraphPtr> build() {
        m_graph = ir::GraphBuilder::withoutNodes(*m_joint);
        for (const ir::NodeId id : m_joint->order()) {
            const auto pair = m_pairOf.find(id);
            if (const auto unpaired = m_unpaired.find(id); unpaired != m_unpaired.end()) {
                addForward(unpaired->second);
            } else if (pair == m_pairOf.end()) {
                copy(id);
            } else if (m_pairs[pair->second].forward == id) {
                addForward(m_pairs[pair->second]);
            } else {
                addBackward(m_pairs[pair->second]);
            }
        }
        return m_graph.finish();
    }

    [[nodiscard]] ir::Argument mapped(const ir::Argument& argument) const {
        return mapNodes(argument, [this](ir::NodeId id) { return m_made[id.index()]; });
    }

    void copy(ir::NodeId id) {
        const ir::Node& original = m_joint->node(id);
        // The old calls' get_attr nodes for their bodies are dead.
        const bool onlyCalls = std::ranges::all_of(m_joint->users(id), [this](ir::NodeId user) {
            return m_pairOf.contains(user) || m_unpaired.contains(user);
        });
        if (original.op == ir::Opcode::GetAttr && onlyCalls) {
            return;
        }
        ir::Node node = original;
        ir::mapArguments(node, [this](ir::NodeId input) { return m_made[input.index()]; });
        m_made[id.index()] = m_graph.append(std::move(node));
    }

    ir::NodeId addAttribute(ir::NodeId oldCall, const std::string& name, const std::string& attribute,
                            const ir::GraphPtr& body) {
        const ir::NodeId* old = m_joint->node(oldCall).args[0].as<ir::NodeId>();
        ir::Node node = m_joint->node(*old);
        node.name = name;
        node.target = attribute;
        if (!std::ranges::any_of(m_graph.subgraphs(),
                                 [&](const auto& entry) { return entry.first == attribute; })) {
            m_graph.addSubgraph(attribute, body);
        }
        return m_graph.append(std::move(node));
    }

    ir::NodeId addCall(ir::NodeId oldCall, const std::string& name, const std::string& attribute,
                       ir::NodeId body, const ir::Graph& returning, ir::Arguments operands) {
        ir::Node node = m_joint->node(oldCall);
        node.name = name;
        node.args = {body, attribute};
        std::move(operands.begin(), operands.end(), std::back_inserter(node.args));
        auto values = std::make_shared<ir::TupleMeta>();
        for (const ir::NodeId id : ir::returnedNodes(returning)) {
            values->elements.push_back(id.valid() ? returning.node(id).value : ir::ValueMeta());
        }
        node.value = std::shared_ptr<const ir::TupleMeta>(std::move(values));
        return m_graph.append(std::move(node));
    }

    void addForward(Pair& pair) {
        const ir::Graph& forward = *pair.body->partition.forward;
        const ir::Node& old = m_joint->node(pair.forward);
        const ir::NodeId body = addAttribute(pair.forward, pair.forwardAttributeName, pair.forwardAttribute,
                                             pair.body->partition.forward);
        ir::Arguments operands;
        for (std::size_t i = 2; i < old.args.size(); ++i) {
            operands.push_back(mapped(old.args[i]));
        }
        const ir::NodeId call = addCall(pair.forward, pair.forwardName, pair.forwardAttribute, body, forward,
                                        std::move(operands));
        m_made[pair.forward.index()] = call;
        // Each getitem was inserted directly after the call, so the last one comes first.
        pair.saved.resize(pair.savedNames.size());
        for (std::size_t i = pair.savedNames.size(); i-- > 0;) {
            const std::size_t position = pair.body->forwardOutputs + i;
            ir::Node node = m_graph.node(call);
            const auto& values = *std::get<std::shared_ptr<const ir::TupleMeta>>(node.value);
            node.value = ir::ValueMeta(values.elements[position]);
            node.name = pair.savedNames[i];
            node.target = "_operator.getitem";
            node.args = {call, static_cast<std::int64_t>(position)};
            pair.saved[i] = m_graph.append(std::move(node));
        }
    }

    void addBackward(Pair& pair) {
        const Partition& partition = pair.body->partition;
        const ir::Node& old = m_joint->node(pair.backward);
        const ir::NodeId body = addAttribute(pair.backward, pair.backwardAttributeName,
                                             pair.backwardAttribute, partition.backward);
        // The forward returns its symbols last; the backward takes them first.
        ir::Arguments operands;
        const auto tensors = static_cast<std::ptrdiff_t>(partition.savedTensors.size());
        operands.insert(operands.end(), pair.saved.begin() + tensors, pair.saved.end());
        operands.insert(operands.end(), pair.saved.begin(), pair.saved.begin() + tensors);
        for (std::size_t i = 2 + pair.body->primals; i < old.args.size(); ++i) {
            operands.push_back(mapped(old.args[i]));
        }
        m_made[pair.backward.index()] = addCall(pair.backward, pair.backwardName, pair.backwardAttribute,
                                                body, *partition.backward, std::move(operands));
    }

    ir::GraphPtr m_joint;
    const PartitionOptions& m_options;
    SubgraphCalls m_calls;
    /// By position of the backward call.
    std::vector<ir::NodeId> m_forwardOf;
    std::map<std::string, SplitBody> m_bodies;
    std::vector<Pair> m_pairs;
    std::unordered_map<ir::NodeId, Pair> m_unpaired;
    std::unordered_map<ir::NodeId, std::size_t> m_pairOf;
    std::vector<ir::NodeId> m_made;
    ir::GraphBuilder m_graph;
};

} // namespace

base::Result<ir::GraphPtr> partitionSubgraphs(const ir::GraphPtr& joint, const PartitionOptions& options) {
    return Rewriting(joint, options).rewrite();
}

} // namespace aotscope::passes
