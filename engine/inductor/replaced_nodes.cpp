#include "inductor/graph_facts.h"
#include "inductor/log_kernels.h"

#include "ir/operators/operator.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

class Replacements {
public:
    Replacements(const ir::Graph& before, const ir::Graph& after)
        : m_before(before), m_after(after), m_of(after.idBound()), m_kept(before.idBound()) {}

    std::vector<std::vector<ir::NodeId>> find() {
        for (const ir::NodeId node : m_after.order()) {
            const std::optional<ir::NodeId> same = m_before.tryFind(m_after.node(node).name);
            if (same && (m_before.node(*same).target == m_after.node(node).target ||
                         m_before.node(*same).op != ir::Opcode::CallFunction ||
                         isReshape(m_before.node(*same).target, m_after.node(node).target))) {
                m_of[node.index()] = {*same};
                m_kept[same->index()] = true;
            }
        }
        // From the users to what they use, which in reverse order are known already.
        for (std::size_t place = m_after.order().size(); place-- > 0;) {
            const ir::NodeId node = m_after.order()[place];
            if (m_of[node.index()].empty()) {
                takeFromUsers(node);
            }
        }
        return std::move(m_of);
    }

private:
    /// Inductor writes aten.view as aten.reshape.
    static bool isReshape(std::string_view before, std::string_view after) {
        return operatorName(after) == "reshape" &&
               ir::Operator(before).is(ir::Trait::ChangesShape | ir::Trait::HiddenView);
    }

    void takeFromUsers(ir::NodeId node) {
        std::vector<ir::NodeId>& found = m_of[node.index()];
        for (const ir::NodeId user : m_after.users(node)) {
            for (const ir::NodeId source : m_of[user.index()]) {
                const auto inputs = m_after.inputs(user);
                const auto sources = m_before.inputs(source);
                const auto place = std::ranges::find(inputs, node) - inputs.begin();
                const bool sameCall = m_before.node(source).name == m_after.node(user).name;
                // Within a group that replaces one node, all stand for that node.
                const ir::NodeId stands =
                    !sameCall ? source
                    : static_cast<std::size_t>(place) < sources.size() && inputs.size() == sources.size()
                        ? sources[static_cast<std::size_t>(place)]
                        : source;
                if (!m_kept[stands.index()] && std::ranges::find(found, stands) == found.end()) {
                    found.push_back(stands);
                }
            }
        }
    }

    const ir::Graph& m_before;
    const ir::Graph& m_after;
    std::vector<std::vector<ir::NodeId>> m_of;
    std::vector<bool> m_kept;
};

} // namespace

std::vector<std::vector<ir::NodeId>> replacedNodes(const ir::Graph& before, const ir::Graph& after) {
    return Replacements(before, after).find();
}

} // namespace aotscope::inductor
