#include "ir/used_symbols.h"

namespace aotscope::ir {

using Symbols = std::set<std::string>;

namespace {

void addSymbols(const SymExpr& expression, Symbols& symbols) {
    for (std::string& symbol : expression.symbols()) {
        symbols.insert(std::move(symbol));
    }
}

void addSymbols(const SymInt& integer, Symbols& symbols) {
    if (integer.isSymbolic()) {
        addSymbols(integer.expression(), symbols);
    }
}

void addSymbols(const TensorMeta& tensor, Symbols& symbols) {
    for (const SymInt& dimension : tensor.shape) {
        addSymbols(dimension, symbols);
    }
    if (tensor.stride) {
        for (const SymInt& step : *tensor.stride) {
            addSymbols(step, symbols);
        }
    }
    if (tensor.storageOffset) {
        addSymbols(*tensor.storageOffset, symbols);
    }
    if (tensor.subclass) {
        for (const auto& [name, inner] : tensor.subclass->inner) {
            addSymbols(inner, symbols);
        }
    }
}

} // namespace

void addSymbols(const ValueMeta& value, Symbols& symbols) {
    if (const auto* tensor = std::get_if<TensorMeta>(&value)) {
        addSymbols(*tensor, symbols);
    } else if (const auto* symbolic = std::get_if<SymbolicMeta>(&value)) {
        addSymbols(symbolic->expression, symbols);
    } else if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&value)) {
        for (const ValueMeta& element : (*tuple)->elements) {
            addSymbols(element, symbols);
        }
    }
}

void addSymbols(const Argument& argument, Symbols& symbols) {
    if (const auto* symbol = argument.as<SymbolArgument>()) {
        addSymbols(symbol->expression, symbols);
    } else if (const auto* list = argument.as<ListArgument>()) {
        for (const Argument& item : list->items) {
            addSymbols(item, symbols);
        }
    } else if (const auto* tuple = argument.as<TupleArgument>()) {
        for (const Argument& item : tuple->items) {
            addSymbols(item, symbols);
        }
    } else if (const auto* slice = argument.as<std::shared_ptr<const SliceArgument>>()) {
        addSymbols((*slice)->start, symbols);
        addSymbols((*slice)->stop, symbols);
        addSymbols((*slice)->step, symbols);
    } else if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        for (const auto& [key, item] : (*dict)->items) {
            addSymbols(key, symbols);
            addSymbols(item, symbols);
        }
    }
}

bool isUnbackedSymbol(std::string_view symbol) {
    return symbol.starts_with('u') || symbol.starts_with("zuf");
}

} // namespace aotscope::ir
