#include "run/symbols.h"

#include <algorithm>

namespace aotscope::torch {

namespace {

/// Sizes nobody knows: large enough to differ from 0 and 1, which PyTorch treats as special.
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

void collect(const ir::SymInt& size, std::vector<std::string>& symbols) {
    if (size.isSymbolic()) {
        for (std::string& symbol : size.expression().symbols()) {
            symbols.push_back(std::move(symbol));
        }
    }
}

std::vector<std::string> inputSymbols(const ir::Graph& graph) {
    std::vector<std::string> symbols;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::ValueMeta& value = graph.node(id).value;
        if (const auto* tensor = std::get_if<ir::TensorMeta>(&value)) {
            for (const ir::SymInt& size : tensor->shape) {
                collect(size, symbols);
            }
            if (tensor->stride) {
                for (const ir::SymInt& stride : *tensor->stride) {
                    collect(stride, symbols);
                }
            }
            if (tensor->storageOffset) {
                collect(*tensor->storageOffset, symbols);
            }
        } else if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&value)) {
            for (std::string& name : symbol->expression.symbols()) {
                symbols.push_back(std::move(name));
            }
        }
    }
    return symbols;
}

/// A given input shows the sizes that its placeholder names.
void bindFromData(const ir::Node& placeholder, const session::TensorData& data,
                  ir::SymbolBindings& bindings) {
    if (const auto* tensor = std::get_if<ir::TensorMeta>(&placeholder.value)) {
        for (std::size_t i = 0; i < std::min(tensor->shape.size(), data.shape.size()); ++i) {
            bindBare(tensor->shape[i], data.shape[i], bindings);
        }
    } else if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&placeholder.value)) {
        std::int64_t number = 0;
        if (data.dtype == "int64" && data.bytes.size() == sizeof number && isBareSymbol(symbol->expression)) {
            std::copy_n(data.bytes.data(), sizeof number, reinterpret_cast<char*>(&number));
            bindings.emplace(symbol->expression.symbols().front(), number);
        }
    }
}

} // namespace

ir::SymbolBindings bindSymbols(const ir::Graph& graph, const session::RunOptions& options) {
    ir::SymbolBindings bindings = options.symbols;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::Node& node = graph.node(id);
        const auto given = options.inputs.find(node.name);
        if (given != options.inputs.end()) {
            bindFromData(node, given->second, bindings);
        }
    }
    for (const std::string& symbol : inputSymbols(graph)) {
        const auto hint = graph.symbolHints().find(symbol);
        bindings.emplace(symbol, hint == graph.symbolHints().end() ? defaultSize : hint->second);
    }
    return bindings;
}

void learnSymbols(const ir::ValueMeta& meta, const c10::IValue& value, RunContext& context) {
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&meta)) {
        if (value.isInt() && isBareSymbol(symbol->expression)) {
            context.symbols.emplace(symbol->expression.symbols().front(), value.toInt());
        }
    } else if (const auto* tensor = std::get_if<ir::TensorMeta>(&meta)) {
        if (value.isTensor() && value.toTensor().defined() &&
            static_cast<std::size_t>(value.toTensor().dim()) == tensor->shape.size()) {
            for (std::size_t i = 0; i < tensor->shape.size(); ++i) {
                bindBare(tensor->shape[i], value.toTensor().size(static_cast<std::int64_t>(i)),
                         context.symbols);
            }
        }
    }
}

} // namespace aotscope::torch
