#include "passes/recompute_bans.h"

#include <algorithm>
#include <queue>

namespace aotscope::passes {
namespace {

/// Whether a functional wrapper writes to a copy of `node`.
bool isWrittenBy(const JointProgram& program, Index node, Index call) {
    bool found = false;
    for (const ir::Argument* operand : writtenOperands(program.node(call))) {
        forEachLeaf(*operand, [&](const ir::Argument& leaf) {
            const ir::NodeId* id = leaf.as<ir::NodeId>();
            found = found || (id != nullptr && program.indexOf(*id) == node);
        });
    }
    return found;
}

/// Smallest first.
template<typename T>
using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<>>;

class Banning {
public:
    Banning(const CutInput& input, const RecomputeBans& bans, const std::vector<bool>& dontBan)
        : m_input(input),
          m_program(input.program),
          m_classes(input.classes),
          m_bans(bans),
          m_dontBan(dontBan) {
        m_result.banned.assign(m_program.size(), false);
        m_result.reasons.resize(m_program.size());
    }

    BannedNodes run() {
        for (Index i = 0; i < m_program.size(); ++i) {
            banByItself(i);
        }
        if (m_bans.usedFarApart) {
            banUsedFarApart();
        }
        if (m_bans.longFusibleChains) {
            banLongChains();
        }
        return std::move(m_result);
    }

private:
    [[nodiscard]] bool mayBeBanned(Index i) const {
        const Item& item = m_program[i];
        // The user cannot choose to recompute an input.
        const bool wantedAgain =
            m_input.forced[i] == Forced::Recompute && item.opcode != ir::Opcode::Placeholder;
        if (item.is(OpView) || item.mustRecompute() || item.value == ValueKind::SymFloat || wantedAgain) {
            return false;
        }
        const bool wanted = !m_dontBan.empty() && m_dontBan[i];
        return !wanted || (item.is(OpCollective) && !m_input.options.unsafeAllowOptimizationOfCollectives);
    }

    void ban(Index i, const Ban& reason) {
        if (!mayBeBanned(i)) {
            return;
        }
        if (!m_result.banned[i]) {
            m_result.banned[i] = true;
            m_result.order.push_back(i);
        }
        m_result.reasons[i].push_back(reason);
    }

    void banByItself(Index i) {
        const Item& item = m_program[i];
        if (item.opcode == ir::Opcode::Output || m_classes.tangentsClosure[i] || item.mustRecompute()) {
            return;
        }
        if (m_input.forced[i] == Forced::Save) {
            ban(i, {.reason = BanReason::ForcedSave, .other = {}});
        }
        if (item.role == InputRole::Primal) {
            ban(i, {.reason = BanReason::PrimalInput, .other = {}});
        } else if (item.role == InputRole::ForwardSeed) {
            ban(i, {.reason = BanReason::ForwardSeed, .other = {}});
        }
        if (m_classes.requiredForward[i]) {
            if (const std::optional<Ban> reason = reasonFor(i)) {
                ban(i, *reason);
            }
        }
    }

    [[nodiscard]] std::optional<Ban> reasonFor(Index i) const {
        const Item& item = m_program[i];
        if (item.opcode != ir::Opcode::CallFunction || item.is(OpGetitem)) {
            return std::nullopt;
        }
        if (item.recompute == RecomputeTag::MustSave) {
            return Ban{.reason = BanReason::MarkedMustSave, .other = {}};
        }
        if ((m_input.options.recomputeViews && item.is(OpView)) || item.is(OpLiftFresh)) {
            return std::nullopt;
        }
        if (const std::optional<Ban> reason = reasonOfOperator(item)) {
            return reason;
        }
        if (m_bans.materializedBackward) {
            if (const Index user = materializingUser(i); user != noIndex) {
                return Ban{.reason = BanReason::MaterializedInBackward, .other = m_program[user].id};
            }
        }
        const std::int64_t distance = m_input.distance[i];
        if (distance < 1000 && distance > m_input.options.maxDistanceFromBackward) {
            return Ban{.reason = BanReason::TooFarFromBackward,
                       .other = {},
                       .left = distance,
                       .right = m_input.options.maxDistanceFromBackward};
        }
        return m_bans.reductions ? reasonOfReduction(i) : std::nullopt;
    }

    [[nodiscard]] std::optional<Ban> reasonOfOperator(const Item& item) const {
        if (m_bans.notInAllowlist) {
            return item.is(OpRecomputable)
                       ? std::nullopt
                       : std::optional(Ban{.reason = BanReason::NotInAllowlist, .other = {}});
        }
        if (item.is(OpRandom)) {
            return Ban{.reason = BanReason::Random, .other = {}};
        }
        if (item.is(OpComputeIntensive)) {
            return Ban{.reason = BanReason::ComputeIntensive, .other = {}};
        }
        const bool foreign = (item.is(OpOverload) && !item.is(OpBuiltin)) || item.is(OpTritonWrapper);
        if (m_input.options.nonBuiltinToInclude && foreign) {
            return Ban{.reason = BanReason::NonBuiltin, .other = {}};
        }
        return std::nullopt;
    }

    /// A backward node that reads the value, directly or through views, and cannot be fused with it.
    [[nodiscard]] Index materializingUser(Index node) const {
        if (m_program[node].is(OpView)) {
            return noIndex;
        }
        m_stack.assign(1, node);
        while (!m_stack.empty()) {
            const Index i = m_stack.back();
            m_stack.pop_back();
            for (const Index user : m_program.users(i)) {
                if (!m_classes.requiredForward[user] && !isFusible(m_program, i, user)) {
                    return user;
                }
                if (m_program[user].is(OpView)) {
                    m_stack.push_back(user);
                }
            }
        }
        return noIndex;
    }

    [[nodiscard]] std::optional<Ban> reasonOfReduction(Index i) const {
        std::int64_t in = 0;
        for (std::size_t position = 0; position < m_program.node(i).args.size(); ++position) {
            const Index argument = m_program.argument(i, position);
            in += argument == noIndex ? 0 : m_program[argument].bytes;
        }
        const std::int64_t out = m_program[i].bytes;
        if (out < in / 4 || (out == in / 4 && in % 4 != 0)) {
            return Ban{.reason = BanReason::Reduction, .other = {}, .left = in, .right = out};
        }
        return std::nullopt;
    }

    /// Walks along the users of `used` up to forward order `last` and returns the forward order of the first
    /// node that cannot be fused with the node it was reached from; `last` if there is none
    /// (find_first_unfusible).
    std::int32_t firstUnfusible(Index used, std::int32_t last) {
        // Slot 2 * position + fusible: sorted by position, unfusible first.
        MinHeap<std::uint64_t> heap;
        m_waiting.resize(static_cast<std::size_t>(m_program.size()) * 2, false);
        std::vector<std::uint64_t> touched;
        const auto push = [&](Index i, bool fusible) {
            const std::size_t slot = static_cast<std::size_t>(i) * 2 + (fusible ? 1 : 0);
            if (!m_waiting[slot]) {
                m_waiting[slot] = true;
                touched.push_back(slot);
                heap.push(slot);
            }
        };
        for (const Index user : m_program.users(used)) {
            if (m_classes.requiredForward[user]) {
                push(user, true);
            }
        }
        std::int32_t found = last;
        while (!heap.empty()) {
            const std::uint64_t slot = heap.top();
            heap.pop();
            m_waiting[slot] = false;
            const auto node = static_cast<Index>(slot / 2);
            if (slot % 2 == 0) {
                found = m_classes.forwardOrder[node];
                break;
            }
            for (const Index user : m_program.users(node)) {
                if (m_classes.requiredForward[user] && m_classes.forwardOrder[user] <= last) {
                    push(user, isFusible(m_program, node, user));
                }
            }
        }
        for (const std::uint64_t slot : touched) {
            m_waiting[slot] = false;
        }
        return found;
    }

    void banUsedFarApart() {
        for (Index used = 0; used < m_program.size(); ++used) {
            if (!m_classes.requiredForward[used]) {
                continue;
            }
            std::int32_t last = -1;
            for (const Index user : m_program.users(used)) {
                last = std::max(last, m_classes.forwardOrder[user]);
            }
            if (last < 0) {
                continue;
            }
            const std::int32_t unfusible = firstUnfusible(used, last);
            for (const Index user : m_program.users(used)) {
                const std::int32_t order = m_classes.forwardOrder[user];
                if (order > unfusible && isFusible(m_program, used, user) && !m_result.banned[user]) {
                    ban(user, {.reason = BanReason::UsedFarApart,
                               .other = m_program[used].id,
                               .left = unfusible,
                               .right = order});
                }
            }
        }
    }

    void banLongChains() {
        std::vector<bool> visited(m_program.size(), false);
        for (Index start = 0; start < m_program.size(); ++start) {
            if (m_classes.requiredForward[start] && !visited[start]) {
                walkChain(start, visited);
            }
        }
    }

    void walkChain(Index start, std::vector<bool>& visited) {
        // Program positions stand in for the forward order, which rises with them. A node is pushed once per
        // edge, because a duplicate keeps the heap from being empty below, as in PyTorch.
        MinHeap<Index> fusible;
        fusible.push(start);
        while (!fusible.empty()) {
            const Index i = fusible.top();
            fusible.pop();
            if (visited[i]) {
                continue;
            }
            visited[i] = true;
            const std::int32_t order = m_classes.forwardOrder[i];
            if (order > m_classes.forwardOrder[start] + 100 && fusible.empty()) {
                ban(i, {.reason = BanReason::LongFusibleChain,
                        .other = m_program[start].id,
                        .left = m_classes.forwardOrder[start],
                        .right = order});
                return;
            }
            for (const Index user : m_program.users(i)) {
                if (m_classes.requiredForward[user] && isFusible(m_program, i, user) &&
                    !m_result.banned[user]) {
                    fusible.push(user);
                }
            }
        }
    }

    const CutInput& m_input;
    const JointProgram& m_program;
    const NodeClasses& m_classes;
    const RecomputeBans& m_bans;
    const std::vector<bool>& m_dontBan;
    BannedNodes m_result;
    std::vector<bool> m_waiting;
    mutable std::vector<Index> m_stack;
};

} // namespace

bool isFusible(const JointProgram& program, Index node, Index user) {
    const Item& first = program[node];
    const Item& second = program[user];
    // A concatenation can be fused with its producers, but not with its users.
    if (second.is(OpCat)) {
        return true;
    }
    if (second.is(OpAutoFunctionalized | OpTritonWrapper) && isWrittenBy(program, node, user)) {
        return true;
    }
    if (first.is(OpGetitem)) {
        const Index parent = program.argument(node, 0);
        if (parent != noIndex && program[parent].is(OpTritonWrapper)) {
            return false;
        }
    }
    return first.is(OpFusible) && second.is(OpFusible);
}

bool isMaterialized(const JointProgram& program, Index node) {
    if (program[node].opcode == ir::Opcode::Placeholder) {
        return true;
    }
    return std::ranges::any_of(program.users(node),
                               [&](Index user) { return !isFusible(program, node, user); });
}

std::vector<std::int64_t> distancesFromBackward(const JointProgram& program, const NodeClasses& classes) {
    std::vector<std::int64_t> distance(program.size(), unreachableDistance);
    for (Index i = program.size(); i-- > 0;) {
        if (program[i].opcode == ir::Opcode::Output) {
            continue;
        }
        if (!classes.requiredForward[i]) {
            distance[i] = 0;
            continue;
        }
        for (const Index user : program.users(i)) {
            distance[i] = std::min(distance[i], distance[user] + 1);
        }
    }
    return distance;
}

BannedNodes banRecomputation(const CutInput& input, const RecomputeBans& bans,
                             const std::vector<bool>& dontBan) {
    return Banning(input, bans, dontBan).run();
}

} // namespace aotscope::passes
