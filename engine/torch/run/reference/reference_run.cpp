#include "run/reference/reference_run.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"
#include "run/execution/generator_seed.h"
#include "run/execution/metadata_check.h"
#include "run/inputs/graph_inputs.h"
#include "run/inputs/symbols.h"
#include "run/reference/reference_frame.h"
#include "run/reference/tensor_float32.h"
#include "run/reference/value_error.h"
#include "run/state/memory_limit.h"
#include "run/state/tensor_copy.h"
#include "run/state/value_access.h"

#include "ir/bodies.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using session::NodeVerdict;

class ReferenceRun {
public:
    ReferenceRun(const ir::Graph& graph, const ir::Graph& against, RunContext& context,
                 session::ReferenceSnapshot& snapshot)
        : m_graph(graph),
          m_against(against),
          m_isOther(&graph != &against),
          m_context(context),
          m_snapshot(snapshot),
          m_executor(context),
          m_run(graph, context),
          m_reference(against, m_executor),
          m_exact(against.idBound()),
          m_isFollowed(against.idBound()),
          m_shifts(at::make_generator<at::CPUGeneratorImpl>(std::uint64_t{1})) {}

    void run(const std::vector<IValue>& inputs) {
        std::size_t nextInput = 0;
        std::uint64_t done = 0;
        // Inputs that share memory share it in the reference too.
        Float64Copier copier;
        for (const ir::NodeId id : m_graph.order()) {
            const ir::Node& node = m_graph.node(id);
            if (m_context.progress.stopRequested()) {
                throw Canceled{};
            }
            if (node.op == ir::Opcode::Output) {
                return;
            }
            m_current = id;
            m_context.progress.report("Comparing", done++, m_graph.size(), node.name);
            if (node.op == ir::Opcode::Placeholder) {
                const IValue& input = inputs.at(nextInput++);
                m_run.values[id.index()] = input;
                m_inputs[node.name] = copier(input);
                learnSymbols(node.value, input, m_context);
                continue;
            }
            step(id);
            release(id);
        }
    }

    [[nodiscard]] ir::NodeId current() const { return m_current; }

private:
    void step(ir::NodeId id) {
        const ir::Node& node = m_graph.node(id);
        const std::optional<ir::NodeId> counterpart = m_against.tryFind(node.name);
        const bool hasCounterpart = counterpart && m_against.node(*counterpart).op == node.op;
        // An operator that works in place changes the run's inputs, so they are copied before.
        const bool isConstant = node.op == ir::Opcode::GetAttr;
        const bool computes = hasCounterpart && !isConstant;
        std::vector<IValue> own(m_against.idBound());
        const bool knowsInputs = computes && ownInputs(*counterpart, own);
        const bool moves = computes && m_reference.movesOnly(*counterpart);
        std::vector<IValue> exactInputs(m_against.idBound());
        if (knowsInputs && !moves) {
            Float64Copier copier;
            for (const ir::NodeId input : m_against.inputs(*counterpart)) {
                exactInputs[input.index()] = copier(own[input.index()]);
            }
        }
        m_context.nodeStandIns.clear();
        IValue& made = m_run.values[id.index()];
        made = m_executor.compute(m_run, id);
        const bool isMadeUp = !m_context.nodeStandIns.empty();
        learnSymbols(node.value, made, m_context);
        (void)compareWithMeta(node.value, made, m_context);
        if (!hasCounterpart) {
            add(id, NodeVerdict::NotChecked, "the reference graph has no node of this name");
            return;
        }
        const std::string followed = follow(*counterpart, id, isMadeUp || isConstant);
        if (isConstant) {
            return;
        }
        if (isMadeUp) {
            add(id, NodeVerdict::NotChecked, "synthetic: the operator is not registered here");
        } else if (!knowsInputs) {
            add(id, NodeVerdict::NotChecked, "an input of the reference's node is not in this graph");
        } else {
            judge(id, *counterpart, own, exactInputs, followed);
        }
    }

    /// The run's values of a reference node's inputs; false if it lacks one.
    bool ownInputs(ir::NodeId counterpart, std::vector<IValue>& own) const {
        for (const ir::NodeId input : m_against.inputs(counterpart)) {
            if (const auto found = m_graph.tryFind(m_against.node(input).name)) {
                own[input.index()] = m_run.values[found->index()];
            } else if (!ir::bodyOf(m_against, m_against.node(input))) {
                return false;
            }
        }
        return true;
    }

    /// Computes the reference up to and including `until`. Returns why the last was not computed in float64.
    std::string follow(ir::NodeId until, ir::NodeId runNode, bool takesOver) {
        std::string instead;
        while (m_next < m_against.order().size() && !m_isFollowed[until.index()]) {
            const ir::NodeId id = m_against.order()[m_next++];
            m_isFollowed[id.index()] = true;
            if (m_against.node(id).op == ir::Opcode::Output) {
                break;
            }
            instead =
                followOne(id, id == until ? std::optional(runNode) : std::nullopt, takesOver && id == until);
        }
        return instead;
    }

    std::string followOne(ir::NodeId id, std::optional<ir::NodeId> runNode, bool takesOver) {
        const ir::Node& node = m_against.node(id);
        IValue& exact = m_exact[id.index()];
        if (node.op == ir::Opcode::Placeholder) {
            const auto input = m_inputs.find(node.name);
            if (input == m_inputs.end()) {
                fail("run.reference_input",
                     "The reference graph has an input \"" + node.name + "\", which the graph does not have.",
                     "Compare graphs of the same function, whose inputs have the same names.");
            }
            exact = input->second;
            return {};
        }
        const IValue* made = runNode ? &m_run.values[runNode->index()] : nullptr;
        if (takesOver && made != nullptr) {
            exact = Float64Copier()(*made);
            return {};
        }
        if (node.op == ir::Opcode::GetAttr) {
            exact = widened(m_executor.compute(Frame(m_against, m_context), id));
            return {};
        }
        std::vector<IValue> own(m_against.idBound());
        (void)ownInputs(id, own);
        ExactValue computed = m_reference.compute(id, m_exact, own, made);
        exact = std::move(computed.value);
        if (made != nullptr && !m_reference.movesOnly(id)) {
            layOutLike(exact, *made);
        }
        return computed.instead;
    }

    /// Later views need the strides of the run's value. If sizes that depend on data differ, the reference
    /// continues with the run's value; another graph may rightly have other sizes.
    void layOutLike(IValue& exact, const IValue& made) {
        if (std::ranges::equal(tensorsIn(exact), tensorsIn(made), {}, &at::Tensor::sizes,
                               &at::Tensor::sizes)) {
            exact = laidOutLike(exact, made);
        } else if (!m_isOther) {
            exact = Float64Copier()(made);
            m_context.note(
                "Sizes that depend on data differ in the reference; it goes on with the run's values.");
        }
    }

    void judge(ir::NodeId id, ir::NodeId counterpart, const std::vector<IValue>& own,
               const std::vector<IValue>& exactInputs, const std::string& followed) {
        const IValue& made = m_run.values[id.index()];
        const std::string takenOver = m_reference.whyTakenOver(counterpart);
        ExactValue expected;
        if (!takenOver.empty()) {
            expected = {m_exact[counterpart.index()], takenOver, true};
        } else if (m_reference.movesOnly(counterpart)) {
            // Nothing is rounded, so the run's own values show whether it is right.
            expected.value = Float64Copier()(m_isOther ? m_reference.computeAsIs(counterpart, own) : made);
        } else {
            expected = m_reference.compute(counterpart, exactInputs, own, nullptr);
            expected.isTakenOver = !expected.instead.empty() && !m_isOther;
        }
        const std::vector<at::Tensor> results = tensorsIn(made);
        const std::vector<at::Tensor> exacts = tensorsIn(expected.value);
        const std::vector<at::Tensor> references = tensorsIn(m_exact[counterpart.index()]);
        if (results.size() != exacts.size()) {
            add(id, NodeVerdict::Wrong,
                "returns " + std::to_string(results.size()) + " tensors, the reference " +
                    std::to_string(exacts.size()));
            return;
        }
        std::optional<std::vector<at::Tensor>> nearby;
        for (std::size_t i = 0; i < results.size(); ++i) {
            session::NodeError error;
            error.node = id;
            error.output = i;
            error.dtype = dtypeText(results[i].scalar_type());
            if (results[i].sizes() != exacts[i].sizes()) {
                error.verdict = NodeVerdict::Wrong;
                error.reason = "has another shape than the reference";
                add(std::move(error));
                continue;
            }
            if (results[i].layout() != c10::kStrided || results[i].is_quantized()) {
                error.verdict = NodeVerdict::NotChecked;
                error.reason = "no strided tensor of numbers";
                add(std::move(error));
                continue;
            }
            const bool isSame = i < references.size() && references[i].sizes() == results[i].sizes();
            const ComparedValue compared{results[i], exacts[i], isSame ? references[i] : exacts[i],
                                         tensorFloat32Roundoff(m_graph.node(id).target, results[i]),
                                         isFinite(results[i]) ? 0 : largestSum(counterpart, own)};
            measureErrors(compared, 0, {}, error);
            if (expected.isTakenOver) {
                error.verdict = NodeVerdict::NotChecked;
                error.reason = expected.instead.empty() ? followed : expected.instead;
            } else if (error.verdict == NodeVerdict::Wrong && !m_reference.movesOnly(counterpart)) {
                if (!nearby) {
                    nearby = resultsNearby(m_reference, m_against, counterpart, {exactInputs, own, results},
                                           m_shifts);
                }
                measureErrors(compared, *nearby, i, results.size(), error);
            }
            if (overflowsInside(compared)) {
                m_context.note("Sums of " + m_graph.node(id).name + " can leave the range of " + error.dtype +
                               " with these inputs: its infinite and NaN elements are not judged. Give other "
                               "inputs (--inputs) to judge them.");
            }
            add(std::move(error));
        }
    }

    [[nodiscard]] static bool isFinite(const at::Tensor& tensor) {
        return !(tensor.is_floating_point() || tensor.is_complex()) ||
               tensor.isfinite().all().item().toBool();
    }
    /// How large sums of products of a node's inputs can become.
    [[nodiscard]] double largestSum(ir::NodeId counterpart, const std::vector<IValue>& own) const {
        std::vector<at::Tensor> inputs;
        for (const ir::NodeId input : m_against.inputs(counterpart)) {
            for (const at::Tensor& tensor : tensorsIn(own[input.index()])) {
                if (tensor.layout() == c10::kStrided && !tensor.is_quantized()) {
                    inputs.push_back(tensor);
                }
            }
        }
        // Of products of tensors alone: what one tensor overflows by itself is its operator's own doing.
        return inputs.size() < 2 ? 0 : largestSumOf(inputs);
    }

    void add(session::NodeError error) {
        if (error.verdict == NodeVerdict::Wrong && !m_snapshot.firstWrong) {
            m_snapshot.firstWrong = m_snapshot.nodes.size();
        }
        m_snapshot.nodes.push_back(std::move(error));
    }
    void add(ir::NodeId id, NodeVerdict verdict, std::string reason) {
        session::NodeError error;
        error.node = id;
        error.verdict = verdict;
        error.reason = std::move(reason);
        add(std::move(error));
    }

    /// Frees what no later node needs. Another reference may use any value, so then all are kept.
    void release(ir::NodeId id) {
        if (m_isOther) {
            return;
        }
        m_graph.forEachLastUse(id, [&](ir::NodeId node) {
            m_run.values[node.index()] = IValue();
            m_exact[node.index()] = IValue();
        });
    }

    const ir::Graph& m_graph;
    const ir::Graph& m_against;
    const bool m_isOther;
    RunContext& m_context;
    session::ReferenceSnapshot& m_snapshot;
    Executor m_executor;
    Frame m_run;
    ReferenceFrame m_reference;
    /// The reference's values, by node index of its graph.
    std::vector<IValue> m_exact;
    std::vector<bool> m_isFollowed;
    at::Generator m_shifts;
    std::map<std::string, IValue> m_inputs;
    /// The position in the reference's order that comes next.
    std::size_t m_next = 0;
    ir::NodeId m_current;
};

} // namespace

base::Result<session::ReferenceSnapshot> runWithReference(const ir::Graph& graph, const ir::Graph& against,
                                                          const session::RunOptions& options,
                                                          const base::Progress& progress) {
    const PlainExecution plain{};
    session::ReferenceSnapshot snapshot;
    snapshot.seed = options.seed;
    RunContext context;
    const auto start = std::chrono::steady_clock::now();
    std::optional<ReferenceRun> run;
    try {
        context = runContextOf(graph, options, progress);
        const CurrentPlace current(context.place);
        const std::vector<IValue> inputs = graphInputs(graph, options, context);
        seedGenerator(options.seed, context.place.device);
        run.emplace(graph, against, context, snapshot);
        run->run(inputs);
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const std::exception&) {
        base::Error error = handledError("run.operator_failed");
        if (!run || !run->current().valid()) {
            return error;
        }
        error.message = firstLine(error.message);
        addNode(error, graph.node(run->current()));
        snapshot.error = std::move(error);
    }
    snapshot.nanoseconds = nanosecondsSince(start);
    snapshot.symbols = std::move(context.symbols);
    snapshot.notes = std::move(context.notes);
    return snapshot;
}

} // namespace aotscope::torch
