#include "trace/program_hints.h"

#include "fake/operator_model.h"

#include "ir/keywords.h"
#include "ir/operator_name.h"
#include "ir/symbolic/terms.h"

#include "base/numbers.h"

#include <algorithm>

namespace aotscope::torch {

std::optional<ShapeEnvironment::KnownFloat> knownFloat(const ir::Node& node,
                                                       const std::map<std::string, double>& hints) {
    const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value);
    if (symbol == nullptr) {
        return std::nullopt;
    }
    const std::string text(symbol->expression.text());
    if (const auto hint = hints.find(text); hint != hints.end()) {
        return ShapeEnvironment::KnownFloat{hint->second, text};
    }
    const auto number = base::wholeNumber<double>(text);
    if (!number) {
        return std::nullopt;
    }
    // A specialized float is printed with 15 digits; its symbol was created with all of them.
    const auto printed =
        std::ranges::find_if(hints, [&](const auto& hint) { return ir::sympyFloat(hint.second) == text; });
    return ShapeEnvironment::KnownFloat{printed == hints.end() ? *number : printed->second, {}};
}

std::optional<std::int64_t> knownCount(const ir::Node& node) {
    const std::string_view name = ir::lastPart(node.target);
    // The method `item` calls `_local_scalar_dense`.
    if (name != "item" && !isDataDependent(name)) {
        return std::nullopt;
    }
    if (const ir::TensorMeta* meta = ir::asTensor(node.value)) {
        const ir::Argument* along = ir::tryKeyword(node.kwargs, "dim");
        const std::int64_t* dim = along == nullptr ? nullptr : along->as<std::int64_t>();
        const auto rank = std::ssize(meta->shape);
        const std::int64_t counted = dim == nullptr ? 0 : *dim < 0 ? *dim + rank : *dim;
        return counted < 0 || counted >= rank || std::ranges::any_of(meta->shape, &ir::SymInt::isSymbolic)
                   ? std::nullopt
                   : std::optional(meta->shape[static_cast<std::size_t>(counted)].integer());
    }
    const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value);
    return symbol == nullptr ? std::nullopt : symbol->expression.evaluateInt({});
}

void placeGuard(aot::RetraceGuard& guard, const ProgramPosition& position) {
    if (position.node() == nullptr) {
        guard.node.clear();
    }
    if (const ir::SourceLocation* source = position.source()) {
        guard.source = *source;
    }
}

} // namespace aotscope::torch
