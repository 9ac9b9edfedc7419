#include "run/inputs/meta_view.h"

#include "base/mapped.h"

namespace aotscope::torch {

const ir::Argument* argumentAt(const ir::Node& node, std::size_t argument,
                               std::optional<std::size_t> element) {
    if (argument >= node.args.size()) {
        return nullptr;
    }
    const ir::Argument& found = node.args[argument];
    if (!element) {
        return &found;
    }
    const ir::Arguments* items = ir::itemsOf(found);
    return items != nullptr && *element < items->size() ? &(*items)[*element] : nullptr;
}

std::optional<std::size_t> MetaView::listSize(std::size_t argument) const {
    const ir::Argument* found = argumentAt(m_node, argument);
    const auto* list = found == nullptr ? nullptr : found->as<ir::ListArgument>();
    return list == nullptr ? std::nullopt : std::optional(list->items.size());
}

std::optional<std::vector<std::int64_t>> MetaView::shape(std::size_t argument,
                                                         std::optional<std::size_t> element) const {
    return sizesOf(tensorAt(argument, element));
}

std::optional<std::vector<std::int64_t>> MetaView::resultShape() const {
    return sizesOf(ir::asTensor(m_node.value));
}

bool MetaView::isMask(std::size_t argument, std::optional<std::size_t> element) const {
    const ir::TensorMeta* meta = tensorAt(argument, element);
    return meta != nullptr && (meta->dtype == ir::DType::Bool || meta->dtype == ir::DType::UInt8);
}

std::optional<std::int64_t> MetaView::integer(std::size_t argument) const {
    const ir::Argument* found = argumentAt(m_node, argument);
    return found == nullptr ? std::nullopt : integerOf(*found);
}

std::optional<std::vector<std::int64_t>> MetaView::integers(std::size_t argument) const {
    const ir::Argument* found = argumentAt(m_node, argument);
    const auto* list = found == nullptr ? nullptr : found->as<ir::ListArgument>();
    return list == nullptr
               ? std::nullopt
               : base::mappedIfAll(list->items, [&](const ir::Argument& item) { return integerOf(item); });
}

std::optional<std::int64_t> MetaView::integerOf(const ir::Argument& argument) const {
    if (const auto* plain = argument.as<std::int64_t>()) {
        return *plain;
    }
    if (const auto* symbol = argument.as<ir::SymbolArgument>()) {
        return symbol->expression.evaluateInt(m_context.symbols);
    }
    if (const auto* node = argument.as<ir::NodeId>()) {
        const auto* meta = std::get_if<ir::SymbolicMeta>(&m_graph.node(*node).value);
        return meta == nullptr ? std::nullopt : meta->expression.evaluateInt(m_context.symbols);
    }
    return std::nullopt;
}

std::optional<std::vector<std::int64_t>> MetaView::sizesOf(const ir::TensorMeta* meta) const {
    // A size that only the run determines counts as 1, the smallest useful size.
    const auto known = [&](const ir::SymInt& size) { return size.value(m_context.symbols).value_or(1); };
    return meta == nullptr ? std::nullopt : std::optional(base::mapped(meta->shape, known));
}

const ir::TensorMeta* MetaView::tensorAt(std::size_t argument, std::optional<std::size_t> element) const {
    const ir::Argument* found = argumentAt(m_node, argument, element);
    const auto* node = found == nullptr ? nullptr : found->as<ir::NodeId>();
    return node == nullptr ? nullptr : ir::asTensor(m_graph.node(*node).value);
}

} // namespace aotscope::torch
