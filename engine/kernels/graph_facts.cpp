#include "kernels/graph_facts.h"

#include "base/mapped.h"
#include "ir/keywords.h"
#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

std::optional<std::int64_t> asInteger(const std::optional<Number>& number) {
    if (!number || std::holds_alternative<double>(*number)) {
        return std::nullopt;
    }
    return std::visit([](auto value) { return static_cast<std::int64_t>(value); }, *number);
}

} // namespace

double asDouble(const Number& number) {
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

OpCall::OpCall(const GraphFacts& facts, ir::NodeId node)
    : m_facts(facts),
      m_id(node),
      m_node(facts.node(node)),
      m_operator(m_node.target),
      m_schema(facts.schema(m_node.target)) {}

const ir::Argument* OpCall::tryArgument(std::string_view name) const {
    const auto isNone = [](const ir::Argument& argument) {
        return argument.as<ir::NoneArgument>() != nullptr;
    };
    if (const ir::Argument* given = ir::tryKeyword(m_node.kwargs, name)) {
        return isNone(*given) ? nullptr : given;
    }
    if (m_schema == nullptr) {
        return nullptr;
    }
    for (std::size_t i = 0; i < std::min(m_schema->arguments.size(), m_node.args.size()); ++i) {
        if (m_schema->arguments[i].name == name) {
            return isNone(m_node.args[i]) ? nullptr : &m_node.args[i];
        }
    }
    return nullptr;
}

bool OpCall::hasArgument(std::string_view name) const {
    const auto all = names();
    return std::ranges::find(all, name) != all.end();
}

std::vector<std::string_view> OpCall::names() const {
    std::vector<std::string_view> all;
    if (m_schema != nullptr) {
        for (const ir::SchemaArgument& argument : m_schema->arguments) {
            all.push_back(argument.name);
        }
    }
    return all;
}

std::optional<ir::NodeId> OpCall::tensor(std::string_view name) const {
    const ir::Argument* argument = tryArgument(name);
    const auto* node = argument == nullptr ? nullptr : argument->as<ir::NodeId>();
    if (node == nullptr || m_facts.isNumber(*node)) {
        return std::nullopt;
    }
    return *node;
}

std::optional<Number> OpCall::number(std::string_view name) const {
    const ir::Argument* argument = tryArgument(name);
    return argument == nullptr ? std::nullopt : m_facts.number(*argument);
}

std::int64_t OpCall::integer(std::string_view name, std::int64_t otherwise) const {
    return asInteger(number(name)).value_or(otherwise);
}

double OpCall::real(std::string_view name, double otherwise) const {
    const auto value = number(name);
    return value ? asDouble(*value) : otherwise;
}

bool OpCall::flag(std::string_view name, bool otherwise) const {
    return real(name, otherwise ? 1 : 0) != 0;
}

std::optional<std::vector<std::int64_t>> OpCall::integers(std::string_view name) const {
    const ir::Argument* argument = tryArgument(name);
    if (argument == nullptr) {
        return std::nullopt;
    }
    const ir::Arguments* items = itemsOf(*argument);
    if (items == nullptr) {
        const auto one = asInteger(m_facts.number(*argument));
        return one ? std::optional(std::vector{*one}) : std::nullopt;
    }
    return base::mappedIfAll(*items,
                             [&](const ir::Argument& item) { return asInteger(m_facts.number(item)); });
}

std::optional<ir::DType> OpCall::dtype(std::string_view name) const {
    const ir::Argument* argument = tryArgument(name);
    const auto* dtype = argument == nullptr ? nullptr : argument->as<ir::DType>();
    return dtype == nullptr ? std::nullopt : std::optional(*dtype);
}

std::string OpCall::string(std::string_view name, std::string_view otherwise) const {
    const ir::Argument* argument = tryArgument(name);
    const auto* text = argument == nullptr ? nullptr : argument->as<std::string>();
    return text == nullptr ? std::string(otherwise) : *text;
}

const TensorLayout* OpCall::layout(std::string_view name) const {
    const auto node = tensor(name);
    return node ? m_facts.layout({*node}) : nullptr;
}

GraphFacts::GraphFacts(const ir::Graph& graph, const FusionOptions& options)
    : m_graph(graph), m_symbols(options.symbols) {
    for (const auto& [symbol, value] : graph.symbolHints()) {
        m_symbols.emplace(symbol, value);
    }
    m_layouts = options.layouts;
    for (const ir::NodeId id : graph.order()) {
        learn(id);
    }
}

void GraphFacts::learn(ir::NodeId id) {
    const ir::Node& node = m_graph.node(id);
    if (const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&node.value)) {
        for (std::size_t i = 0; *tuple && i < (*tuple)->elements.size(); ++i) {
            learn({id, i}, (*tuple)->elements[i]);
        }
    } else {
        learn({id}, node.value);
    }
    // Logs have no metadata of nodes with several values, but of those that pick one.
    if (const auto picked = pick(id)) {
        learn(*picked, node.value);
    }
}

void GraphFacts::learn(TensorName name, const ir::ValueMeta& value) {
    const ir::TensorMeta* meta = ir::asTensor(value);
    if (meta == nullptr || m_layouts.contains(name) || !meta->layout.empty() || meta->subclass) {
        return;
    }
    const auto known = [&](const ir::SymInts& numbers) {
        const auto isSize = [](std::int64_t number) { return number >= 0; };
        auto values = ir::valuesOf(numbers, m_symbols);
        return values && std::ranges::all_of(*values, isSize) ? std::move(values) : std::nullopt;
    };
    if (const auto sizes = known(meta->shape)) {
        const auto strides = meta->stride ? known(*meta->stride) : std::nullopt;
        m_layouts[name] = {meta->dtype, *sizes, strides ? *strides : contiguousStrides(*sizes)};
    }
}

const TensorLayout* GraphFacts::layout(TensorName tensor) const {
    const auto known = m_layouts.find(tensor);
    return known == m_layouts.end() ? nullptr : &known->second;
}

std::optional<Number> GraphFacts::number(const ir::Argument& argument) const {
    const auto evaluated = [this](const ir::SymExpr& expression) -> std::optional<Number> {
        const base::Result<ir::SymbolValue> value = expression.evaluate(m_symbols);
        if (!value) {
            return std::nullopt;
        }
        return std::visit([](auto known) { return Number(known); }, *value);
    };
    if (const auto* flag = argument.as<bool>()) {
        return *flag;
    }
    if (const auto* integer = argument.as<std::int64_t>()) {
        return *integer;
    }
    if (const auto* real = argument.as<double>()) {
        return *real;
    }
    if (const auto* symbol = argument.as<ir::SymbolArgument>()) {
        return evaluated(symbol->expression);
    }
    if (const auto* id = argument.as<ir::NodeId>()) {
        const auto* symbolic = std::get_if<ir::SymbolicMeta>(&m_graph.node(*id).value);
        // A number without symbols that was read from a tensor is the one of the tensor that was traced with.
        if (symbolic != nullptr && !(isFromData(*id) && symbolic->expression.evaluate({}))) {
            return evaluated(symbolic->expression);
        }
    }
    return std::nullopt;
}

const ir::OpSchema* GraphFacts::schema(const std::string& target) const {
    const auto [known, isNew] = m_schemas.try_emplace(target, nullptr);
    if (isNew) {
        known->second = ir::trySchema(target);
    }
    return known->second.get();
}

bool GraphFacts::isFromData(ir::NodeId id) const {
    const ir::Node& node = m_graph.node(id);
    if (node.op != ir::Opcode::CallFunction || ir::isSymbolicOperator(node.target)) {
        return false;
    }
    return std::ranges::any_of(m_graph.inputs(id), [this](ir::NodeId input) {
        return isNumber(input) ? isFromData(input) : layout({input}) != nullptr;
    });
}

bool GraphFacts::isNumber(ir::NodeId id) const {
    return std::holds_alternative<ir::SymbolicMeta>(m_graph.node(id).value);
}

std::optional<TensorName> GraphFacts::pick(ir::NodeId id) const {
    const auto picked = ir::pickedResult(m_graph.node(id));
    return picked ? std::optional(TensorName{picked->call, picked->index}) : std::nullopt;
}

} // namespace aotscope::kernels
