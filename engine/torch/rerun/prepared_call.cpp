#include "rerun/repetitions.h"

#include "dispatch/python_functions.h"
#include "dispatch/schema_match.h"
#include "run/replacements/cpu_only.h"
#include "run/replacements/replacements.h"

#include "ir/higher_order.h"

#include <algorithm>
#include <utility>

namespace aotscope::torch {

namespace {

using c10::IValue;

/// The operator that a node calls directly; nothing for what the executor computes in another way.
std::optional<c10::OperatorHandle> directOperator(const ir::Node& node) {
    const bool isOther = node.op != ir::Opcode::CallFunction || ir::isHigherOrder(node.target) ||
                         isPythonFunction(node.target) || findReplacement(node.target) != nullptr;
    const auto op = isOther ? std::nullopt : findOperator(node.target);
    // An operator without results changes a list in place, which is then its value.
    return op && !op->schema().returns().empty() ? op : std::nullopt;
}

} // namespace

PreparedCall::PreparedCall(Executor& executor, const Frame& frame, ir::NodeId id,
                           const std::vector<bool>& changes)
    : m_executor(executor), m_node(id) {
    const ir::Node& node = frame.graph.node(id);
    m_operator = directOperator(node);
    if (m_operator) {
        m_arguments = matchSchema(m_operator->schema(), argumentValues(node.args, frame),
                                  keywordValues(node.kwargs, frame));
        const bool isReplaced = executor.context().place.isGpu() && isCpuOnly(node.target, m_arguments);
        if (isReplaced || !findChanging(frame, m_operator->schema(), changes)) {
            m_operator.reset();
        }
        letGo();
    }
}

/// What is read from the frame at each call is not kept alive here.
void PreparedCall::letGo() {
    for (const Changing& changing : m_changing) {
        if (!m_operator) {
            continue;
        }
        if (changing.element) {
            m_arguments[changing.argument].toTensorList().set(*changing.element, at::Tensor());
        } else {
            m_arguments[changing.argument] = IValue();
        }
    }
    if (!m_operator) {
        m_arguments.clear();
        m_changing.clear();
    }
}

bool PreparedCall::findChanging(const Frame& frame, const c10::FunctionSchema& schema,
                                const std::vector<bool>& changes) {
    const ir::Node& node = frame.graph.node(m_node);
    for (std::size_t i = 0; i < node.args.size(); ++i) {
        if (!findIn(node.args[i], i, frame, changes)) {
            return false;
        }
    }
    for (const ir::KeywordArgument& keyword : node.kwargs) {
        const auto position = schema.argumentIndexWithName(keyword.name);
        if (!position || !findIn(keyword.value, static_cast<std::size_t>(*position), frame, changes)) {
            return false;
        }
    }
    return true;
}

/// Returns whether the changing nodes of an argument are tensors in places that can be filled again.
bool PreparedCall::findIn(const ir::Argument& argument, std::size_t position, const Frame& frame,
                          const std::vector<bool>& changes) {
    const auto isChanging = [&](const ir::Argument& each) {
        const auto* node = each.as<ir::NodeId>();
        return node != nullptr && changes[node->index()];
    };
    const auto isTensor = [&](ir::NodeId node) { return frame.values[node.index()].isTensor(); };
    if (const auto* node = argument.as<ir::NodeId>()) {
        if (!isChanging(argument)) {
            return true;
        }
        m_changing.push_back({position, std::nullopt, *node});
        return isTensor(*node) && position < m_arguments.size() && m_arguments[position].isTensor();
    }
    const ir::Arguments* found = ir::itemsOf(argument);
    if (found == nullptr) {
        bool changesInside = false;
        ir::forEachNode(argument, [&](ir::NodeId node) { changesInside |= bool(changes[node.index()]); });
        return !changesInside;
    }
    const ir::Arguments& items = *found;
    if (std::ranges::none_of(items, isChanging)) {
        return std::ranges::all_of(items,
                                   [](const ir::Argument& each) { return ir::itemsOf(each) == nullptr; });
    }
    if (position >= m_arguments.size() || !m_arguments[position].isTensorList()) {
        return false;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (isChanging(items[i])) {
            m_changing.push_back({position, i, *items[i].as<ir::NodeId>()});
        }
    }
    return true;
}

c10::Stack PreparedCall::arguments(const Frame& frame) const {
    c10::Stack stack = m_arguments;
    std::optional<std::size_t> copied;
    for (const Changing& changing : m_changing) {
        const IValue& value = frame.values[changing.node.index()];
        if (!changing.element) {
            stack[changing.argument] = value;
            continue;
        }
        if (copied != changing.argument) {
            stack[changing.argument] = stack[changing.argument].toTensorList().copy();
            copied = changing.argument;
        }
        stack[changing.argument].toTensorList().set(*changing.element, value.toTensor());
    }
    return stack;
}

IValue PreparedCall::operator()(const Frame& frame) const {
    if (!m_operator) {
        return m_executor.compute(frame, m_node);
    }
    c10::Stack stack = arguments(frame);
    m_operator->callBoxed(stack);
    return stack.size() == 1 ? std::move(stack.front()) : c10::ivalue::Tuple::create(std::move(stack));
}

} // namespace aotscope::torch
