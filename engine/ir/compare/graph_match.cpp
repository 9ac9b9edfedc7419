#include "ir/compare/graph_match.h"

#include "ir/graph_hash.h"
#include "ir/text/descriptor_text.h"

#include "base/text_diff.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <span>
#include <type_traits>
#include <unordered_map>

namespace aotscope::ir::detail {
namespace {

/// After this many differences alignment stops; what is left is matched by dataflow or not at all.
constexpr std::size_t maxAlignmentEdits = 6000;

bool hasDescriptor(const Node& node) {
    return !node.descriptors.empty() && node.descriptors.front().isStated() &&
           inputDescriptor(node) != nullptr;
}

class Matcher {
public:
    Matcher(const Graph& left, const Graph& right) : m_left(left), m_right(right) {
        m_matching.ofLeft.resize(left.idBound());
        m_matching.ofRight.resize(right.idBound());
    }

    Matching run() {
        matchPlaceholders();
        matchByDataflow();
        if (const auto output = m_left.output(), other = m_right.output();
            output && other && m_matching.leftFree(*output) && m_matching.rightFree(*other)) {
            m_matching.pair(*output, *other);
        }
        for (const int levels : {3, 1, 0}) {
            align(localHashes(m_left, levels), localHashes(m_right, levels));
        }
        for (const Likeness likeness : {Likeness::Shape, Likeness::Source, Likeness::Operator}) {
            align(likenessHashes(m_left, likeness), likenessHashes(m_right, likeness));
        }
        matchByPlace();
        return std::move(m_matching);
    }

private:
    using Nodes = std::span<const NodeId>;
    /// Nodes of the left and of the right graph that have something in common.
    using Group = std::pair<std::vector<NodeId>, std::vector<NodeId>>;

    /// The free nodes of both sides by what `leftKey` and `rightKey` tell of them.
    template<typename LeftKey, typename RightKey>
    [[nodiscard]] auto groups(Nodes lefts, Nodes rights, const LeftKey& leftKey,
                              const RightKey& rightKey) const {
        std::unordered_map<std::invoke_result_t<LeftKey, NodeId>, Group> found;
        found.reserve(lefts.size());
        for (const NodeId id : lefts) {
            if (m_matching.leftFree(id)) {
                found[leftKey(id)].first.push_back(id);
            }
        }
        for (const NodeId id : rights) {
            if (m_matching.rightFree(id)) {
                found[rightKey(id)].second.push_back(id);
            }
        }
        return found;
    }

    using Key = std::function<std::string(const Node&)>;

    /// Pairs free placeholders whose key occurs once on each side.
    void matchUnique(Nodes lefts, Nodes rights, const Key& key) {
        const auto keyed = groups(
            lefts, rights, [&](NodeId id) { return key(m_left.node(id)); },
            [&](NodeId id) { return key(m_right.node(id)); });
        for (const auto& [text, group] : keyed) {
            if (!text.empty() && group.first.size() == 1 && group.second.size() == 1) {
                m_matching.pair(group.first[0], group.second[0]);
            }
        }
    }

    /// Pairs free placeholders of the same position, if there are as many and `fits` holds for them.
    template<typename Fits>
    void matchByPosition(Nodes lefts, Nodes rights, const Fits& fits) {
        for (std::size_t i = 0; lefts.size() == rights.size() && i < lefts.size(); ++i) {
            if (m_matching.leftFree(lefts[i]) && m_matching.rightFree(rights[i]) &&
                fits(m_left.node(lefts[i]), m_right.node(rights[i]))) {
                m_matching.pair(lefts[i], rights[i]);
            }
        }
    }

    void matchPlaceholders() {
        const std::vector<NodeId> lefts = m_left.placeholders();
        const std::vector<NodeId> rights = m_right.placeholders();
        matchUnique(lefts, rights, [](const Node& node) {
            return hasDescriptor(node) ? descriptorText(node.descriptors[0]) : "";
        });
        matchUnique(lefts, rights, [](const Node& node) { return node.inputSource; });
        // Renamed inputs of an unchanged signature; with an added or lost input, names tell more.
        matchByPosition(lefts, rights, [](const Node& a, const Node& b) { return a.name == b.name; });
        matchUnique(lefts, rights, [](const Node& node) { return node.name; });
        matchByPosition(lefts, rights, [](const Node&, const Node&) { return true; });
    }

    /// Equal hashes of everything a node is computed from. Where several nodes of one graph are equal, those
    /// of the same name are paired first, the others in order.
    void matchByDataflow() {
        std::vector<std::uint64_t> leftSeeds(m_left.idBound(), 0);
        std::vector<std::uint64_t> rightSeeds(m_right.idBound(), 0);
        std::uint64_t seed = 1;
        for (const NodeId id : m_left.placeholders()) {
            leftSeeds[id.index()] = seed;
            if (!m_matching.leftFree(id)) {
                rightSeeds[m_matching.ofLeft[id.index()].index()] = seed;
            }
            ++seed;
        }
        for (const NodeId id : m_right.placeholders()) {
            if (m_matching.rightFree(id)) {
                rightSeeds[id.index()] = seed++;
            }
        }
        const NodeHashes lefts = dataflowHashes(m_left, leftSeeds);
        const NodeHashes rights = dataflowHashes(m_right, rightSeeds);
        for (const auto& [hash, group] : groups(
                 m_left.order(), m_right.order(), [&](NodeId id) { return lefts[id.index()]; },
                 [&](NodeId id) { return rights[id.index()]; })) {
            pairEqual(group.first, group.second);
        }
    }

    void pairEqual(const std::vector<NodeId>& lefts, const std::vector<NodeId>& rights) {
        if (lefts.size() != rights.size()) {
            std::unordered_map<std::string_view, NodeId> byName;
            for (const NodeId id : rights) {
                byName.emplace(m_right.node(id).name, id);
            }
            for (const NodeId id : lefts) {
                const auto found = byName.find(m_left.node(id).name);
                if (found != byName.end()) {
                    m_matching.pair(id, found->second);
                }
            }
        }
        auto right = rights.begin();
        for (const NodeId id : lefts) {
            while (right != rights.end() && !m_matching.rightFree(*right)) {
                ++right;
            }
            if (right == rights.end()) {
                return;
            }
            if (m_matching.leftFree(id)) {
                m_matching.pair(id, *right);
            }
        }
    }

    /// A longest common subsequence of the free nodes' hashes, with matched nodes as fixed points. Not for
    /// placeholders: equal hashes do not mean that they are the same input.
    void align(const NodeHashes& lefts, const NodeHashes& rights) {
        const std::vector<bool> kept = keptInOrder(m_left, m_right, m_matching);
        std::vector<NodeId> leftNodes;
        std::vector<NodeId> rightNodes;
        std::string leftText;
        std::string rightText;
        std::size_t free = 0;
        for (const NodeId id : m_left.order()) {
            const bool isFree = m_matching.leftFree(id) && m_left.node(id).op != Opcode::Placeholder;
            free += isFree ? 1 : 0;
            if (isFree || kept[id.index()]) {
                leftNodes.push_back(id);
                appendToken(leftText, isFree ? 'h' : 'm', isFree ? lefts[id.index()] : id.index());
            }
        }
        if (free == 0) {
            return;
        }
        free = 0;
        for (const NodeId id : m_right.order()) {
            const NodeId partner = m_matching.ofRight[id.index()];
            const bool isFree = !partner.valid() && m_right.node(id).op != Opcode::Placeholder;
            free += isFree ? 1 : 0;
            if (isFree || (partner.valid() && kept[partner.index()])) {
                rightNodes.push_back(id);
                appendToken(rightText, partner.valid() ? 'm' : 'h',
                            partner.valid() ? partner.index() : rights[id.index()]);
            }
        }
        if (free == 0) {
            return;
        }
        for (const base::DiffLine& line : base::diffLines(leftText, rightText, maxAlignmentEdits)) {
            if (line.kind == base::DiffLine::Kind::Same && line.text.front() == 'h') {
                m_matching.pair(leftNodes[line.leftLine], rightNodes[line.rightLine]);
            }
        }
    }

    static void appendToken(std::string& text, char kind, std::uint64_t value) {
        char digits[24];
        const auto result = std::to_chars(digits, digits + sizeof digits, value, 16);
        text += kind;
        text.append(digits, result.ptr);
        text += '\n';
    }

    /// Free nodes that matched users use in the same argument, users first; then free nodes with the same
    /// matched inputs. Another operator between the same input and user is a change, not a removal and an
    /// addition.
    void matchByPlace() {
        for (auto id = m_left.order().rbegin(); id != m_left.order().rend(); ++id) {
            if (!m_matching.leftFree(*id)) {
                pairInputs(*id, m_matching.ofLeft[id->index()]);
            }
        }
        for (const NodeId id : m_left.order()) {
            if (m_matching.leftFree(id)) {
                pairBySameInputs(id);
            }
        }
    }

    void pairInputs(NodeId left, NodeId right) {
        const auto lefts = m_left.inputs(left);
        const auto rights = m_right.inputs(right);
        if (lefts.size() != rights.size() || m_left.node(left).op == Opcode::Output) {
            return;
        }
        for (std::size_t i = 0; i < lefts.size(); ++i) {
            const bool free = m_matching.leftFree(lefts[i]) && m_matching.rightFree(rights[i]);
            if (free && replaces(lefts[i], rights[i])) {
                m_matching.pair(lefts[i], rights[i]);
            }
        }
    }

    void pairBySameInputs(NodeId left) {
        const auto inputs = m_left.inputs(left);
        if (inputs.empty() || !m_matching.ofLeft[inputs[0].index()].valid()) {
            return;
        }
        for (const NodeId candidate : m_right.users(m_matching.ofLeft[inputs[0].index()])) {
            const auto others = m_right.inputs(candidate);
            const bool same =
                m_matching.rightFree(candidate) && sameOperator(left, candidate) &&
                std::equal(inputs.begin(), inputs.end(), others.begin(), others.end(),
                           [this](NodeId a, NodeId b) { return m_matching.ofLeft[a.index()] == b; });
            if (same) {
                m_matching.pair(left, candidate);
                return;
            }
        }
    }

    [[nodiscard]] bool sameOperator(NodeId left, NodeId right) const {
        const Node& a = m_left.node(left);
        const Node& b = m_right.node(right);
        return a.op == b.op && (a.op == Opcode::Placeholder || a.target == b.target);
    }

    /// Whether one may be called a changed form of the other. The same user must use both.
    [[nodiscard]] bool replaces(NodeId left, NodeId right) const {
        if (sameOperator(left, right)) {
            return true;
        }
        const auto isCall = [](Opcode op) {
            return op == Opcode::CallFunction || op == Opcode::CallMethod || op == Opcode::CallModule;
        };
        const auto inputs = m_left.inputs(left);
        const auto others = m_right.inputs(right);
        return isCall(m_left.node(left).op) && isCall(m_right.node(right).op) && !inputs.empty() &&
               !others.empty() && m_matching.ofLeft[inputs[0].index()] == others[0];
    }

    const Graph& m_left;
    const Graph& m_right;
    Matching m_matching;
};

} // namespace

Matching matchGraphs(const Graph& left, const Graph& right) {
    return Matcher(left, right).run();
}

std::vector<bool> keptInOrder(const Graph& left, const Graph& right, const Matching& matching) {
    constexpr std::uint32_t none = 0xFFFFFFFFU;
    // `ends[k]` ends the best increasing sequence of length k + 1; `previous` chains each back to its start.
    std::vector<NodeId> ends;
    std::vector<NodeId> previous(left.idBound());
    const auto position = [&](NodeId id) {
        const NodeId partner = matching.ofLeft[id.index()];
        return partner.valid() ? right.position(partner) : none;
    };
    for (const NodeId id : left.order()) {
        if (position(id) == none) {
            continue;
        }
        const auto at =
            std::lower_bound(ends.begin(), ends.end(), position(id),
                             [&](NodeId end, std::uint32_t value) { return position(end) < value; });
        previous[id.index()] = at == ends.begin() ? NodeId() : *(at - 1);
        if (at == ends.end()) {
            ends.push_back(id);
        } else {
            *at = id;
        }
    }
    std::vector<bool> kept(left.idBound(), false);
    for (NodeId id = ends.empty() ? NodeId() : ends.back(); id.valid(); id = previous[id.index()]) {
        kept[id.index()] = true;
    }
    return kept;
}

} // namespace aotscope::ir::detail
