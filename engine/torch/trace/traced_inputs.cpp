#include "trace/traced_inputs.h"

#include "base/mapped.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"

#include "ir/symbolic/symbol_values.h"

#include <algorithm>
#include <cctype>
#include <map>

namespace aotscope::torch {

namespace {

/// The hint of a symbol of which the log shows no value.
constexpr std::int64_t ordinarySize = 8;

/// Whether an input mentions the symbol. Other symbols (`u0`) are defined by nodes of the graph.
bool isInputSymbol(const ir::Graph& program, std::string_view name) {
    for (const ir::NodeId id : program.placeholders()) {
        const ir::ValueMeta& value = program.node(id).value;
        const auto mentions = [&](const ir::SymExpr& expression) {
            const auto symbols = expression.symbols();
            return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
        };
        if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&value);
            symbol != nullptr && mentions(symbol->expression)) {
            return true;
        }
        if (const ir::TensorMeta* meta = ir::asTensor(value)) {
            for (const ir::SymInt& size : meta->shape) {
                if (size.isSymbolic() && mentions(size.expression())) {
                    return true;
                }
            }
        }
    }
    return false;
}

/// Makes the symbols of a request, then its inputs.
class Inputs {
public:
    Inputs(const aot::RetraceRequest& request, ShapeEnvironment& environment, const SymbolChoice& choice)
        : m_request(request), m_environment(environment), m_bindings(request.program->symbolHints()) {
        for (const aot::RetraceInput& input : request.inputs) {
            ++m_sharers[input.storage];
            if (input.viewBase) {
                m_viewBases.try_emplace(input.storage, *input.viewBase);
            }
        }
        for (const auto& [name, value] : request.symbolHints) {
            m_bindings[name] = value;
        }
        m_bindings.merge(unloggedHints(request));
        std::vector<std::pair<std::string, std::int64_t>> hints;
        for (const std::string& name : request.program->symbols()) {
            if (isInputSymbol(*request.program, name)) {
                hints.emplace_back(name, hintOf(name));
            }
        }
        environment.announceSymbols(hints, choice, computedSizes());
        for (const auto& [name, hint] : hints) {
            m_symbols.emplace(name, environment.symbol(name, hint));
        }
    }

    [[nodiscard]] TracedInput make(const ir::Node& placeholder, const aot::RetraceInput& known,
                                   ir::AOTInput descriptor);

private:
    /// The sizes of inputs that are more than a symbol.
    [[nodiscard]] std::vector<ir::SymExpr> computedSizes() const;
    [[nodiscard]] std::int64_t hintOf(const std::string& name) const;
    /// A new SymNode on each call, because PyTorch tracks symbolic numbers by identity: two equal inputs are
    /// two nodes of the graph, and a size is read off its own tensor.
    /// A float or bool that was computed from sizes.
    [[nodiscard]] c10::IValue computed(const ir::SymbolicMeta& symbol) const;
    [[nodiscard]] c10::SymInt number(const ir::SymInt& size) const;
    /// Whether no symbol of an expression was replaced.
    [[nodiscard]] bool isOfOwnSymbols(const ir::SymExpr& expression) const;
    [[nodiscard]] std::vector<c10::SymInt> strides(const ir::TensorMeta& meta,
                                                   const std::vector<c10::SymInt>& sizes) const;

    [[nodiscard]] at::Tensor tensorOf(const aot::RetraceInput& known, const std::vector<c10::SymInt>& sizes,
                                      const std::vector<c10::SymInt>& strides, c10::ScalarType dtype,
                                      c10::Device device);

    const aot::RetraceRequest& m_request;
    /// The number of inputs per storage, and the base tensor of each shared storage.
    std::map<std::int64_t, std::size_t> m_sharers;
    std::map<std::int64_t, at::Tensor> m_bases;
    /// The metadata of the base, where the log shows it.
    std::map<std::int64_t, ir::TensorMeta> m_viewBases;
    ShapeEnvironment& m_environment;
    ir::SymbolBindings m_bindings;
    /// By name.
    std::map<std::string, c10::SymInt, std::less<>> m_symbols;
};

std::int64_t Inputs::hintOf(const std::string& name) const {
    const auto found = m_bindings.find(name);
    return found == m_bindings.end() ? ordinarySize : found->second;
}

std::vector<ir::SymExpr> Inputs::computedSizes() const {
    std::vector<ir::SymExpr> computed;
    for (const ir::NodeId id : m_request.program->placeholders()) {
        const ir::TensorMeta* tensor = ir::asTensor(m_request.program->node(id).value);
        for (const ir::SymInt& size : tensor == nullptr ? ir::SymInts() : tensor->shape) {
            if (size.isSymbolic() && size.expression().symbols() != std::vector{size.text()}) {
                computed.push_back(size.expression());
            }
        }
    }
    return computed;
}

bool Inputs::isOfOwnSymbols(const ir::SymExpr& expression) const {
    const std::vector<std::string> symbols = expression.symbols();
    return std::all_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
        return m_symbols.contains(symbol) && m_environment.replacementOf(symbol).empty();
    });
}

c10::IValue Inputs::computed(const ir::SymbolicMeta& symbol) const {
    std::vector<double> values;
    for (std::size_t k = 0; k < m_environment.valueCount(); ++k) {
        const auto value = symbol.expression.evaluate(m_environment.bindings(k));
        if (!value) {
            fail("trace.input",
                 "The number " + symbol.expression.text() + " among the inputs has no known value.");
        }
        values.push_back(std::visit([](auto known) { return static_cast<double>(known); }, *value));
    }
    const bool isFloat = symbol.kind == ir::SymbolicMeta::Kind::Float;
    const c10::SymNode node = c10::make_intrusive<SymbolicNode>(
        m_environment, isFloat ? SymbolicNode::Kind::Float : SymbolicNode::Kind::Bool,
        symbol.expression.canonical(m_environment.numberSymbols()).value_or(symbol.expression),
        std::move(values), SymProvenance{});
    return isFloat ? c10::IValue(c10::SymFloat(node)) : c10::IValue(c10::SymBool(node));
}

c10::SymInt Inputs::number(const ir::SymInt& size) const {
    if (!size.isSymbolic()) {
        return c10::SymInt(size.integer());
    }
    if (const auto symbol = m_symbols.find(size.text()); symbol != m_symbols.end()) {
        const SymbolicNode* known = asSymbolic(symbol->second);
        return known == nullptr ? symbol->second : m_environment.copyOf(*known);
    }
    std::vector<double> values;
    for (std::size_t k = 0; k < m_environment.valueCount(); ++k) {
        const auto value = size.value(m_environment.bindings(k));
        if (!value) {
            fail("trace.input", "The size " + size.text() + " of an input has no known value.");
        }
        values.push_back(static_cast<double>(*value));
    }
    const ir::NumberSymbols& numbers = m_environment.numberSymbols();
    auto expression = size.expression().canonical(numbers);
    if (!expression || !isOfOwnSymbols(size.expression())) {
        expression = size.expression().substituted([&](const std::string& name) {
            const std::string other = m_environment.replacementOf(name);
            return ir::SymExpr(other.empty() ? name : other)
                .canonical(numbers)
                .value_or(ir::SymExpr::symbol(name, numbers));
        });
    }
    if (!expression) {
        fail("trace.input", "The size " + size.text() + " of an input is not an expression known here.");
    }
    return m_environment.make(*std::move(expression), std::move(values), {});
}

std::vector<c10::SymInt> Inputs::strides(const ir::TensorMeta& meta,
                                         const std::vector<c10::SymInt>& sizes) const {
    std::vector<c10::SymInt> strides(sizes.size());
    if (meta.stride && meta.stride->size() != sizes.size()) {
        fail("trace.input", "An input has " + std::to_string(sizes.size()) + " sizes and " +
                                std::to_string(meta.stride->size()) + " strides.");
    }
    if (meta.stride) {
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            strides[i] = number((*meta.stride)[i]);
        }
        return strides;
    }
    c10::SymInt next = 1;
    for (std::size_t i = sizes.size(); i-- > 0;) {
        strides[i] = next;
        next = next * sizes[i];
    }
    return strides;
}

/// A tensor with its own storage, or a view of the base of its shared storage.
at::Tensor Inputs::tensorOf(const aot::RetraceInput& known, const std::vector<c10::SymInt>& sizes,
                            const std::vector<c10::SymInt>& strides, c10::ScalarType dtype,
                            c10::Device device) {
    const bool shared = known.storage >= 0 && m_sharers[known.storage] > 1;
    if (!shared && !known.viewBase) {
        return makeFake(sizes, strides, known.storageOffset, dtype, device, m_environment);
    }
    at::Tensor& base = m_bases[known.storage];
    if (!base.defined()) {
        if (const auto viewed = m_viewBases.find(known.storage); viewed != m_viewBases.end()) {
            const ir::TensorMeta& meta = viewed->second;
            const auto baseSizes =
                base::mapped(meta.shape, [&](const ir::SymInt& size) { return number(size); });
            const c10::SymInt offset = meta.storageOffset ? number(*meta.storageOffset) : c10::SymInt(0);
            base = makeFake(baseSizes, this->strides(meta, baseSizes), offset,
                            scalarType(meta.dtype).value_or(dtype), device, m_environment);
        } else {
            // The whole storage as a one-dimensional base.
            const auto width = static_cast<std::int64_t>(c10::elementSize(dtype));
            const std::int64_t elements = known.storageBytes.value_or(0) / width;
            base = makeFake(std::vector<c10::SymInt>{elements}, std::vector<c10::SymInt>{1}, 0, dtype, device,
                            m_environment);
        }
    }
    return makeFakeView(base, sizes, strides, known.storageOffset, m_environment, dtype);
}

TracedInput Inputs::make(const ir::Node& placeholder, const aot::RetraceInput& known,
                         ir::AOTInput descriptor) {
    TracedInput input;
    input.descriptor = std::move(descriptor);
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&placeholder.value)) {
        const bool isComputed = symbol->kind != ir::SymbolicMeta::Kind::Int &&
                                !m_symbols.contains(std::string(symbol->expression.text()));
        input.value = isComputed ? computed(*symbol) : c10::IValue(number(ir::SymInt(symbol->expression)));
        return input;
    }
    const ir::TensorMeta* meta = ir::asTensor(placeholder.value);
    if (meta == nullptr) {
        fail("trace.input", "The input " + placeholder.name + " has no logged shape and dtype.");
    }
    if (meta->subclass) {
        fail("trace.subclass", "The input " + placeholder.name + " is a tensor subclass (" +
                                   meta->subclass->className + "); its inner tensors cannot be traced yet.");
    }
    const auto dtype = scalarType(meta->dtype);
    if (!dtype) {
        fail("trace.input", "The input " + placeholder.name + " has a dtype that LibTorch lacks.");
    }
    const auto sizes = base::mapped(meta->shape, [&](const ir::SymInt& size) { return number(size); });
    const c10::Device device = meta->device ? c10::Device(meta->device->text()) : c10::Device(c10::kCPU);
    input.value = tensorOf(known, sizes, strides(*meta, sizes), *dtype, device);
    if (known.viewBase) {
        input.base = m_bases[known.storage];
        input.baseRequiresGrad = known.viewBase->requiresGrad.value_or(false);
    }
    input.requiresGrad = known.requiresGrad;
    input.isLeaf = known.isLeaf;
    return input;
}

/// The symbols that Dynamo replaced by equal ones: the placeholder's name still has the replaced symbol
/// (`s48: "Sym(s38)"`).
std::map<std::string, std::string> replacedSymbols(const ir::Graph& program) {
    std::map<std::string, std::string> replaced;
    for (const ir::NodeId id : program.placeholders()) {
        const ir::Node& node = program.node(id);
        const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value);
        if (symbol != nullptr && symbol->expression.text() != node.target) {
            replaced.emplace(node.target, symbol->expression.text());
        }
    }
    return replaced;
}

std::string withReplaced(std::string_view text, const std::map<std::string, std::string>& replaced) {
    const auto inName = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::string result;
    for (auto at = text.begin(); at != text.end();) {
        const auto end = inName(*at) ? std::find_if_not(at, text.end(), inName) : at + 1;
        const std::string part(at, end);
        const auto found = replaced.find(part);
        result += found == replaced.end() ? part : found->second;
        at = end;
    }
    return result;
}

} // namespace

aot::RetraceAttribute attributeOf(const aot::RetraceRequest& request, const ir::Node& node) {
    for (const aot::RetraceAttribute& attribute : request.attributes) {
        if (attribute.name == node.target) {
            return attribute;
        }
    }
    const ir::TensorMeta* meta = ir::asTensor(node.value);
    const bool known = meta != nullptr && meta->requiresGrad.has_value();
    aot::RetraceAttribute attribute;
    attribute.name = node.target;
    attribute.input.isParameter = !known || meta->isParameter;
    attribute.input.requiresGrad = !known || *meta->requiresGrad;
    attribute.isBuffer = !attribute.input.isParameter;
    return attribute;
}

std::vector<std::size_t> staticInputs(const aot::RetraceRequest& request, std::size_t attributes) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < attributes; ++i) {
        positions.push_back(i);
    }
    for (std::size_t i = 0; i < request.inputs.size(); ++i) {
        if (request.inputs[i].isStatic) {
            positions.push_back(attributes + i);
        }
    }
    return positions;
}

std::vector<TracedInput> makeInputs(const aot::RetraceRequest& request, const DynamoProgram& program,
                                    ShapeEnvironment& environment, const SymbolChoice& choice) {
    const ir::Graph& graph = *request.program;
    Inputs maker(request, environment, choice);
    std::vector<TracedInput> inputs;
    for (const ir::NodeId id : program.attributes()) {
        const ir::Node& node = graph.node(id);
        const aot::RetraceAttribute known = attributeOf(request, node);
        inputs.push_back(maker.make(node, known.input,
                                    known.isBuffer ? ir::AOTInput(ir::BufferAOTInput{node.target})
                                                   : ir::AOTInput(ir::ParamAOTInput{node.target})));
    }
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    const std::size_t attributes = inputs.size();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        if (i < request.inputs.size() && request.inputs[i].duplicateOf) {
            inputs.push_back(inputs.at(attributes + *request.inputs[i].duplicateOf));
            inputs.back().descriptor = ir::PlainAOTInput{static_cast<std::int64_t>(i)};
            continue;
        }
        const aot::RetraceInput known = i < request.inputs.size() ? request.inputs[i] : aot::RetraceInput{};
        inputs.push_back(
            maker.make(graph.node(placeholders[i]), known, ir::PlainAOTInput{static_cast<std::int64_t>(i)}));
    }
    return inputs;
}

std::vector<ir::SymExpr> knownGuards(const aot::RetraceRequest& request) {
    const std::map<std::string, std::string> replaced = replacedSymbols(*request.program);
    std::vector<ir::SymExpr> guards;
    for (const std::string& guard : request.symbolGuards) {
        if (!ir::pinsFloat(ir::SymExpr(guard))) {
            guards.emplace_back(withReplaced(guard, replaced));
        }
    }
    return guards;
}

ir::SymbolBindings unloggedHints(const aot::RetraceRequest& request) {
    ir::SymbolBindings ordinary;
    for (const std::string& name : request.program->symbols()) {
        if (isInputSymbol(*request.program, name)) {
            ordinary[name] = ordinarySize;
        }
    }
    const auto isLogged = [&](const auto& hint) {
        return request.symbolHints.contains(hint.first) ||
               request.program->symbolHints().contains(hint.first);
    };
    if (std::ranges::any_of(ordinary, isLogged)) {
        return {};
    }
    ir::SymbolBindings found = ir::SymbolValues(knownGuards(request), false).find(ordinary, ordinary);
    return found == ordinary ? ir::SymbolBindings() : found;
}

} // namespace aotscope::torch
