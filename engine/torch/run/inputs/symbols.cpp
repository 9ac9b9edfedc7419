#include "run/inputs/symbols.h"

#include "ir/operators/operator.h"
#include "ir/used_symbols.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

/// The default size: not 0 or 1, which PyTorch specializes.
constexpr std::int64_t defaultSize = 4;

bool isBareSymbol(const ir::SymExpr& expression) {
    const std::vector<std::string> symbols = expression.symbols();
    return symbols.size() == 1 && symbols.front() == expression.text();
}

void bindBare(const ir::SymInt& size, std::int64_t value, ir::SymbolBindings& bindings) {
    if (size.isSymbolic() && isBareSymbol(size.expression())) {
        bindings.emplace(size.expression().symbols().front(), value);
    }
}

void bindSizes(const ir::TensorMeta& tensor, at::IntArrayRef sizes, ir::SymbolBindings& bindings) {
    for (std::size_t i = 0; i < std::min(tensor.shape.size(), sizes.size()); ++i) {
        bindBare(tensor.shape[i], sizes[i], bindings);
    }
}

/// Binds the symbols in a placeholder's sizes to the sizes of the caller's data.
void bindFromData(const ir::Node& placeholder, const aot::TensorData& data, ir::SymbolBindings& bindings) {
    if (const auto* tensor = std::get_if<ir::TensorMeta>(&placeholder.value)) {
        bindSizes(*tensor, data.shape, bindings);
    } else if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&placeholder.value)) {
        std::int64_t number = 0;
        if (data.dtype == "int64" && data.bytes.size() == sizeof number && isBareSymbol(symbol->expression)) {
            std::copy_n(data.bytes.data(), sizeof number, reinterpret_cast<char*>(&number));
            bindings.emplace(symbol->expression.symbols().front(), number);
        }
    }
}

std::optional<std::int64_t> sizeOf(const ir::Graph& graph, const ir::Argument& of, std::int64_t dim) {
    const auto* node = of.as<ir::NodeId>();
    const ir::TensorMeta* tensor = node == nullptr ? nullptr : ir::asTensor(graph.node(*node).value);
    const auto* list = of.as<ir::ListArgument>();
    const std::size_t rank = tensor != nullptr ? tensor->shape.size()
                             : list != nullptr ? list->items.size()
                                               : 0;
    const auto at = static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(rank) : dim);
    if (at >= rank) {
        return std::nullopt;
    }
    if (tensor != nullptr) {
        const ir::SymInt& size = tensor->shape[at];
        return size.isSymbolic() ? std::nullopt : std::optional(size.integer());
    }
    const auto* number = list->items[at].as<std::int64_t>();
    return number == nullptr ? std::nullopt : std::optional(*number);
}

/// Clamps unbacked symbols to valid indices if they select an element of a tensor and the caller did not set
/// them.
void keepInside(const ir::Graph& graph, const ir::SymbolBindings& given, ir::SymbolBindings& bindings) {
    const auto isOpen = [&](const auto& binding) {
        return ir::isUnbackedSymbol(binding.first) && !given.contains(binding.first);
    };
    if (std::ranges::none_of(bindings, isOpen)) {
        return;
    }
    for (const ir::NodeId id : graph.order()) {
        const ir::Node& node = graph.node(id);
        const std::optional<ir::ElementRule> rule = ir::Operator(node.target)->element;
        if (!rule || node.args.size() <= rule->index) {
            continue;
        }
        const auto* dim = node.args[rule->dim].as<std::int64_t>();
        const auto* index = node.args[rule->index].as<ir::NodeId>();
        const auto* symbol =
            index == nullptr ? nullptr : std::get_if<ir::SymbolicMeta>(&graph.node(*index).value);
        if (dim == nullptr || symbol == nullptr || !isBareSymbol(symbol->expression)) {
            continue;
        }
        const auto size = sizeOf(graph, node.args[rule->of], *dim);
        const auto bound = bindings.find(symbol->expression.text());
        if (size && bound != bindings.end() && isOpen(*bound)) {
            bound->second = std::clamp<std::int64_t>(bound->second, 0, std::max<std::int64_t>(*size - 1, 0));
        }
    }
}

} // namespace

RunContext runContextOf(const ir::Graph& graph, const session::RunOptions& options,
                        const base::Progress& progress) {
    RunContext context;
    context.seed = options.seed;
    context.progress = progress;
    context.place = placeFor(options.device, graph);
    context.symbols = bindSymbols(graph, options);
    return context;
}

ir::SymbolBindings bindSymbols(const ir::Graph& graph, const session::RunOptions& options) {
    ir::SymbolBindings bindings = options.symbols;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::Node& node = graph.node(id);
        const auto given = options.inputs.find(node.name);
        if (given != options.inputs.end()) {
            bindFromData(node, given->second, bindings);
        }
    }
    const ir::SymbolBindings given = bindings;
    std::set<std::string> symbols;
    for (const ir::NodeId id : graph.placeholders()) {
        ir::addSymbols(graph.node(id).value, symbols);
    }
    for (const std::string& symbol : symbols) {
        const auto hint = graph.symbolHints().find(symbol);
        bindings.emplace(symbol, hint == graph.symbolHints().end() ? defaultSize : hint->second);
    }
    keepInside(graph, given, bindings);
    return bindings;
}

void learnSymbols(const ir::ValueMeta& meta, const c10::IValue& value, RunContext& context) {
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&meta)) {
        if (value.isInt() && isBareSymbol(symbol->expression)) {
            context.symbols.emplace(symbol->expression.symbols().front(), value.toInt());
        }
    } else if (const auto* tensor = std::get_if<ir::TensorMeta>(&meta)) {
        if (value.isTensor() && value.toTensor().defined() &&
            value.toTensor().sizes().size() == tensor->shape.size()) {
            bindSizes(*tensor, value.toTensor().sizes(), context.symbols);
        }
    }
}

} // namespace aotscope::torch
