#include "ir/verifier.h"

#include "ir/bodies.h"
#include "ir/higher_order.h"
#include "ir/notes.h"
#include "ir/verifier_rules.h"

#include <unordered_set>
#include <utility>

namespace aotscope::ir {
namespace detail {

void ProblemList::add(std::string_view code, NodeId node, std::string_view message) {
    const std::string text = m_where + "node \"" + m_graph.node(node).name + "\" " + std::string(message);
    m_problems.push_back({std::string(code), text, m_where.empty() ? node : NodeId()});
}

void ProblemList::addForGraph(std::string_view code, std::string_view message) {
    m_problems.push_back({std::string(code), m_where + std::string(message), {}});
}

} // namespace detail

namespace {

using detail::ProblemList;
using detail::SchemaCache;

class GraphVerifier {
public:
    GraphVerifier(const Graph& graph, std::string where, std::vector<VerifierProblem>& problems)
        : m_graph(graph), m_problems(graph, std::move(where), problems) {}

    void run(SchemaCache& schemas) {
        checkOutputs();
        std::unordered_set<std::string_view> names;
        names.reserve(m_graph.size());
        for (const NodeId id : m_graph.order()) {
            const Node& node = m_graph.node(id);
            if (!names.insert(node.name).second) {
                m_problems.add("verify.duplicate_name", id, "has the name of an earlier node.");
            }
            // The other rules follow references, which must be valid.
            if (!checkUses(id)) {
                continue;
            }
            checkSubgraphs(id);
            detail::checkCall(m_graph, id, schemas, m_problems);
            detail::checkGetItem(m_graph, id, schemas, m_problems);
            detail::checkMetadata(m_graph, id, m_problems);
        }
    }

private:
    void checkOutputs() {
        std::size_t outputs = 0;
        for (const NodeId id : m_graph.order()) {
            if (m_graph.node(id).op == Opcode::Output) {
                if (++outputs == 2) {
                    m_problems.add("verify.several_outputs", id, "is a second output; a graph has one.");
                }
            } else if (outputs > 0) {
                m_problems.add("verify.after_output", id, "comes after the output.");
            }
        }
        if (outputs == 0) {
            m_problems.addForGraph("verify.no_output", "the graph has no output.");
        }
    }

    [[nodiscard]] bool inOrder(NodeId id) const {
        return id.index() < m_graph.idBound() && m_graph.position(id) < m_graph.size();
    }

    bool checkUses(NodeId id) {
        bool sound = true;
        const auto visit = [&](NodeId used) {
            if (!inOrder(used)) {
                m_problems.add("verify.use_before_definition", id, "uses a node that is not in the graph.");
                sound = false;
            } else if (m_graph.position(used) >= m_graph.position(id)) {
                m_problems.add("verify.use_before_definition", id,
                               "uses \"" + m_graph.node(used).name + "\" before it is defined.");
                sound = false;
            }
        };
        forEachNode(m_graph.node(id), visit);
        return sound;
    }

    /// An attribute that a higher-order operator runs must be a graph module of this graph. Other attributes
    /// may be parameters, which logs do not list.
    void checkSubgraphs(NodeId id) {
        if (m_graph.subgraphs().empty() && m_graph.style().notes.contains(notes::form)) {
            return; // The graph was read from a text without its subgraphs.
        }
        const Node& node = m_graph.node(id);
        const HigherOrderOperator* known =
            node.op == Opcode::CallFunction ? tryHigherOrder(node.target) : nullptr;
        if (known == nullptr) {
            return;
        }
        for (const std::optional<std::size_t> position : known->bodies) {
            const NodeId* body = position ? node.tryArg<NodeId>(*position) : nullptr;
            if (body == nullptr || m_graph.node(*body).op != Opcode::GetAttr) {
                continue;
            }
            const std::string& name = m_graph.node(*body).target;
            if (!m_graph.trySubgraph(name)) {
                m_problems.add("verify.unknown_subgraph", id,
                               "runs \"" + name + "\", which is not a graph inside this graph.");
            }
        }
    }

    const Graph& m_graph;
    ProblemList m_problems;
};

} // namespace

std::vector<VerifierProblem> verifyGraph(const Graph& graph) {
    std::vector<VerifierProblem> problems;
    SchemaCache schemas;
    GraphVerifier(graph, "", problems).run(schemas);
    for (const NestedGraph& nested : nestedGraphs(graph)) {
        std::string where;
        for (const std::string& name : nested.path) {
            where += "subgraph \"" + name + "\": ";
        }
        GraphVerifier(*nested.graph, std::move(where), problems).run(schemas);
    }
    return problems;
}

bool verifiesGraphs() {
#ifdef AOTSCOPE_VERIFY
    return true;
#else
    return false;
#endif
}

std::optional<base::Error> brokenGraph(const Graph& graph, std::string code, std::string_view transformation,
                                       std::string_view name) {
    const std::vector<VerifierProblem> problems = verifyGraph(graph);
    if (problems.empty()) {
        return std::nullopt;
    }
    base::Error error{.code = std::move(code),
                      .message = std::string(transformation) + " made a broken " + std::string(name) +
                                 " graph: " + problems.front().message,
                      .hint = "This is a bug in aotscope: no input should cause it."};
    if (const NodeId node = problems.front().node; node.valid()) {
        error.place.node = graph.node(node).name;
    }
    for (const VerifierProblem& problem : problems) {
        error.notes.push_back(problem.code + ": " + problem.message);
    }
    return error;
}

} // namespace aotscope::ir
