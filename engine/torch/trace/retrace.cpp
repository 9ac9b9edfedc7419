#include "trace/retrace.h"

#include "decompositions/tables.h"
#include "fake/cuda_stand_in.h"
#include "fake/meta/real_zeros.h"
#include "ops/graph_state.h"
#include "run/dtypes.h"
#include "run/executor.h"
#include "run/failure.h"
#include "trace/dynamo_program.h"
#include "trace/graph_capture.h"
#include "trace/stages.h"
#include "trace/synthetic_bases.h"
#include "trace/trace_pauser.h"
#include "trace/trace_thread.h"

#include "base/log.h"

#include <c10/core/GradMode.h>

#include <cctype>
#include <charconv>
#include <chrono>
#include <map>
#include <set>

namespace aotscope::torch {

namespace {

/// Makes the traced inputs, symbols first.
class Inputs {
public:
    Inputs(const session::RetraceRequest& request, ShapeEnvironment& environment, bool alike)
        : m_request(request), m_environment(environment), m_bindings(request.program->symbolHints()) {
        for (const session::RetraceInput& input : request.inputs) {
            ++m_sharers[input.storage];
        }
        for (const auto& [name, value] : request.symbolHints) {
            m_bindings[name] = value;
        }
        std::vector<std::pair<std::string, std::int64_t>> hints;
        for (const std::string& name : request.program->symbols()) {
            if (isInputSymbol(name)) {
                hints.emplace_back(name, hintOf(name));
            }
        }
        environment.announceSymbols(hints, alike);
        for (const auto& [name, hint] : hints) {
            m_symbols.emplace(name, environment.symbol(name, hint));
        }
    }

    [[nodiscard]] TracedInput make(const ir::Node& placeholder, const session::RetraceInput& known,
                                   std::string descriptor);

private:
    [[nodiscard]] bool isInputSymbol(std::string_view name) const;
    [[nodiscard]] std::int64_t hintOf(const std::string& name) const;
    /// Each time another number, as PyTorch tracks them: of two inputs that Dynamo found equal, a graph uses
    /// the one that the program names, and reads the size of a tensor off the tensor before it finds it
    /// equal.
    [[nodiscard]] c10::SymInt number(const ir::SymInt& size) const;
    [[nodiscard]] std::vector<c10::SymInt> strides(const ir::TensorMeta& meta,
                                                   const std::vector<c10::SymInt>& sizes) const;

    [[nodiscard]] at::Tensor tensorOf(const session::RetraceInput& known,
                                      const std::vector<c10::SymInt>& sizes,
                                      const std::vector<c10::SymInt>& strides, c10::ScalarType dtype,
                                      c10::Device device);

    const session::RetraceRequest& m_request;
    /// How many inputs a storage has, and the tensor all of them view.
    std::map<std::int64_t, std::size_t> m_sharers;
    std::map<std::int64_t, at::Tensor> m_bases;
    ShapeEnvironment& m_environment;
    ir::SymbolBindings m_bindings;
    /// By name.
    std::map<std::string, c10::SymInt, std::less<>> m_symbols;
};

/// Symbols that only a node of the graph defines (`u0`) come into being there.
bool Inputs::isInputSymbol(std::string_view name) const {
    for (const ir::NodeId id : m_request.program->placeholders()) {
        const ir::ValueMeta& value = m_request.program->node(id).value;
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

std::int64_t Inputs::hintOf(const std::string& name) const {
    const auto found = m_bindings.find(name);
    // A size like any other; 0 and 1 would be specialized.
    constexpr std::int64_t ordinary = 8;
    return found == m_bindings.end() || found->second < 2 ? ordinary : found->second;
}

c10::SymInt Inputs::number(const ir::SymInt& size) const {
    if (!size.isSymbolic()) {
        return c10::SymInt(size.integer());
    }
    std::vector<std::int64_t> values;
    for (std::size_t k = 0; k < m_environment.variants(); ++k) {
        const auto value = size.value(m_environment.bindings(k));
        if (!value) {
            fail("trace.input", "The size " + size.text() + " of an input has no known value.");
        }
        values.push_back(*value);
    }
    // Other symbols may have the same values.
    std::vector<c10::SymInt> symbols;
    for (const std::string& name : size.expression().symbols()) {
        if (const auto known = m_symbols.find(name); known != m_symbols.end()) {
            symbols.push_back(known->second);
        }
    }
    const c10::SymInt solved =
        m_environment.solve(values, symbols, [&] { return "the size " + size.text() + " of an input"; });
    const SymbolicNode* node = asSymbolic(solved);
    return node == nullptr ? solved
                           : m_environment.make(node->expression(),
                                                std::vector<double>(values.begin(), values.end()), {});
}

std::vector<c10::SymInt> Inputs::strides(const ir::TensorMeta& meta,
                                         const std::vector<c10::SymInt>& sizes) const {
    std::vector<c10::SymInt> strides(sizes.size());
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

/// A tensor of its own storage, or a view of what the inputs of its storage have in common.
at::Tensor Inputs::tensorOf(const session::RetraceInput& known, const std::vector<c10::SymInt>& sizes,
                            const std::vector<c10::SymInt>& strides, c10::ScalarType dtype,
                            c10::Device device) {
    const bool shared = known.storage >= 0 && m_sharers[known.storage] > 1;
    if (!shared && !known.viewBase) {
        return makeFake(sizes, strides, known.storageOffset, dtype, device, m_environment);
    }
    at::Tensor& base = m_bases[known.storage];
    if (!base.defined()) {
        if (known.viewBase) {
            std::vector<c10::SymInt> baseSizes;
            for (const ir::SymInt& size : known.viewBase->shape) {
                baseSizes.push_back(number(size));
            }
            const c10::SymInt offset =
                known.viewBase->storageOffset ? number(*known.viewBase->storageOffset) : c10::SymInt(0);
            base = makeFake(baseSizes, this->strides(*known.viewBase, baseSizes), offset, dtype, device,
                            m_environment);
        } else {
            // The whole storage as one row.
            const auto width = static_cast<std::int64_t>(c10::elementSize(dtype));
            const std::int64_t elements = known.storageBytes.value_or(0) / width;
            base = makeFake(std::vector<c10::SymInt>{elements}, std::vector<c10::SymInt>{1}, 0, dtype, device,
                            m_environment);
        }
    }
    return makeFakeView(base, sizes, strides, known.storageOffset, m_environment);
}

TracedInput Inputs::make(const ir::Node& placeholder, const session::RetraceInput& known,
                         std::string descriptor) {
    TracedInput input;
    input.descriptor = std::move(descriptor);
    if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&placeholder.value)) {
        input.value = c10::IValue(number(ir::SymInt(symbol->expression)));
        return input;
    }
    const ir::TensorMeta* meta = ir::asTensor(placeholder.value);
    if (meta == nullptr) {
        fail("trace.input", "Nothing tells what the input " + placeholder.name + " is.");
    }
    if (meta->subclass) {
        fail("trace.subclass", "The input " + placeholder.name + " is a tensor subclass (" +
                                   meta->subclass->className + "); its inner tensors cannot be traced yet.");
    }
    const auto dtype = scalarType(meta->dtype);
    if (!dtype) {
        fail("trace.input", "The input " + placeholder.name + " has a dtype that LibTorch lacks.");
    }
    std::vector<c10::SymInt> sizes;
    for (const ir::SymInt& size : meta->shape) {
        sizes.push_back(number(size));
    }
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

/// What the request says of an attribute, else what its node tells; of one that nothing is known of, that it
/// is a parameter.
session::RetraceAttribute attributeOf(const session::RetraceRequest& request, const ir::Node& node) {
    for (const session::RetraceAttribute& attribute : request.attributes) {
        if (attribute.name == node.target) {
            return attribute;
        }
    }
    const ir::TensorMeta* meta = ir::asTensor(node.value);
    const bool known = meta != nullptr && meta->requiresGrad.has_value();
    session::RetraceAttribute attribute;
    attribute.name = node.target;
    attribute.input.isParameter = !known || meta->isParameter;
    attribute.input.requiresGrad = !known || *meta->requiresGrad;
    attribute.isBuffer = !attribute.input.isParameter;
    return attribute;
}

/// Positions of the inputs whose address does not change: what the module holds, which comes first, and
/// those of the program's own that are so.
std::vector<std::size_t> staticInputs(const session::RetraceRequest& request, std::size_t attributes) {
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

bool needsGradient(const std::vector<TracedInput>& inputs) {
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const TracedInput& input) { return input.requiresGrad; });
}

bool onCuda(const ir::Graph& program) {
    const auto order = program.order();
    return std::any_of(order.begin(), order.end(), [&](ir::NodeId id) {
        const ir::TensorMeta* meta = ir::asTensor(program.node(id).value);
        return meta != nullptr && meta->device && meta->device->type == "cuda";
    });
}

/// The float that a node gives according to the program: one that the compile took for granted, or a symbol
/// of an input.
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
    double number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size()) {
        return std::nullopt;
    }
    return ShapeEnvironment::KnownFloat{number, {}};
}

/// How many elements, or which item, a node that asks the data found according to the program: where the
/// program bounded its symbol to one number, the symbol is gone from the log.
std::optional<std::int64_t> knownCount(const ir::Node& node) {
    static const std::set<std::string_view> asking = {
        "bincount", "item", "masked_select", "nonzero", "repeat_interleave", "unique_consecutive"};
    const std::string_view target = node.target;
    if (!asking.contains(target.substr(target.rfind('.') + 1))) {
        return std::nullopt;
    }
    if (const ir::TensorMeta* meta = ir::asTensor(node.value)) {
        return meta->shape.empty() || meta->shape[0].isSymbolic() ? std::nullopt
                                                                  : std::optional(meta->shape[0].integer());
    }
    const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value);
    return symbol == nullptr ? std::nullopt : symbol->expression.evaluateInt({});
}

/// Symbols that Dynamo found equal to others: an input keeps the name of its own (`s48: "Sym(s38)"`).
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

/// Where a guard came from.
void placeGuard(session::RetraceGuard& guard, const ProgramPosition& position) {
    if (position.node() == nullptr) {
        guard.node.clear();
    }
    if (const ir::SourceLocation* source = position.source()) {
        guard.source = *source;
    }
}

/// The attributes the program reads, then its own inputs.
std::vector<TracedInput> makeInputs(const session::RetraceRequest& request, const DynamoProgram& interpreted,
                                    ShapeEnvironment& environment, bool alike) {
    const ir::Graph& program = *request.program;
    Inputs maker(request, environment, alike);
    std::vector<TracedInput> inputs;
    for (const ir::NodeId id : interpreted.attributes()) {
        const ir::Node& node = program.node(id);
        const session::RetraceAttribute known = attributeOf(request, node);
        inputs.push_back(maker.make(node, known.input,
                                    (known.isBuffer ? "BufferAOTInput(target='" : "ParamAOTInput(target='") +
                                        node.target + "')"));
    }
    const std::vector<ir::NodeId> placeholders = program.placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const session::RetraceInput known =
            i < request.inputs.size() ? request.inputs[i] : session::RetraceInput{};
        inputs.push_back(
            maker.make(program.node(placeholders[i]), known, "PlainAOTInput(idx=" + std::to_string(i) + ")"));
    }
    return inputs;
}

/// `alike`: symbols that PyTorch saw equal count as equal, as far as shapes go.
session::RetraceResult retraceOrThrow(const session::RetraceRequest& request, base::Progress progress,
                                      TracePauser* pauser, bool alike = false) {
    const auto start = std::chrono::steady_clock::now();
    const auto finish = [&](session::RetraceResult result) {
        result.nanoseconds =
            std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start)
                .count();
        for (const std::string& name : takeRealZerosOperators()) {
            result.notes.push_back("The shape of " + name +
                                   " was found by running it on zeros: no rule for it is known.");
        }
        return result;
    };
    ProgramPosition position;
    DynamoProgram interpreted(request.program, position, progress);
    interpreted.orderAttributes([&](const ir::Node& node) { return attributeOf(request, node).isBuffer; });
    ShapeEnvironment environment;
    interpreted.onNode = [&](const ir::Node& node, const std::set<std::string>& unbacked) {
        environment.enterNode(&node, node.name, unbacked);
        environment.setKnownFloat(knownFloat(node, request.floatHints));
        environment.setUnnamed(unbacked.empty() && std::holds_alternative<ir::SymbolicMeta>(node.value));
        environment.setKnownInt(knownCount(node));
    };
    const std::map<std::string, std::string> replaced = replacedSymbols(*request.program);
    for (const std::string& guard : request.symbolGuards) {
        environment.takeKnown(withReplaced(guard, replaced));
    }
    environment.onGuard = [&](session::RetraceGuard& guard) {
        placeGuard(guard, position);
        if (pauser != nullptr) {
            pauser->guardAdded(guard);
        }
    };
    if (pauser != nullptr) {
        pauser->begin(environment, position);
        for (const std::string& fact : pauser->facts()) {
            environment.takeFact(fact);
        }
    }
    std::vector<TracedInput> inputs = makeInputs(request, interpreted, environment, alike);
    std::vector<std::size_t> staticIndices = staticInputs(request, interpreted.attributes().size());
    TracedProgram call = [&interpreted, given = inputs](std::vector<c10::IValue> arguments) {
        // What was answered of an input's data holds for one pass.
        for (const TracedInput& input : given) {
            if (FakeTensorImpl* fake = input.value.isTensor() ? asFake(input.value.toTensor()) : nullptr) {
                fake->memo() = {};
            }
        }
        return interpreted(std::move(arguments));
    };
    CollectedMetadata metadata = collectMetadata(call, inputs, request.keepInputMutations, environment);
    const bool inference = !needsGradient(inputs) || !metadata.needsGrad;
    const std::vector<TracedInput> programInputs = inputs;
    if (auto merged = mergeViewInputs(inputs, metadata.meta, inference, environment)) {
        // As PyTorch's wrapper does: the function of the bases is looked at anew.
        inputs = std::move(merged->inputs);
        call = [inner = std::move(call), unpack = std::move(merged->unpack)](
                   std::vector<c10::IValue> arguments) { return inner(unpack(std::move(arguments))); };
        std::vector<std::size_t> moved;
        for (const std::size_t index : staticIndices) {
            if (merged->newIndex[index]) {
                moved.push_back(*merged->newIndex[index]);
            }
        }
        staticIndices = std::move(moved);
        metadata = collectMetadata(call, inputs, request.keepInputMutations, environment);
    }
    metadata.meta.staticInputIndices = std::move(staticIndices);
    session::RetraceResult result;
    const bool anyGrad = needsGradient(inputs);
    const bool autograd = anyGrad && metadata.needsGrad;
    metadata.meta.isTrain = autograd;
    result.path = autograd ? session::TracePath::Autograd : session::TracePath::Inference;
    result.reason = autograd               ? "an output or a mutated input requires grad"
                    : !request.gradEnabled ? "compiled under no_grad"
                    : anyGrad              ? "inputs require grad, but no output and no mutated input does"
                                           : "no input requires grad";
    const CaptureContext context{
        position, environment, decompositionTable(request.decompositions),
        [stop = progress.stopToken(), pauser](GraphRecorder& recorder, const ir::Node& node) {
            if (stop.stop_requested()) {
                stopTrace();
            }
            if (pauser != nullptr) {
                pauser->beforeNode(recorder, node);
            }
        }};
    ir::Graph graph = autograd ? captureJointGraph(call, inputs, metadata, context)
                               : captureInferenceGraph(call, inputs, metadata, context);
    result.guards = environment.guards();
    result.graph = ir::Graph::freeze(std::move(graph));
    result.metadata = std::move(metadata.meta);
    result = finish(std::move(result));
    if (request.stages) {
        environment.onGuard = nullptr;
        result.stages =
            traceStages({interpreted, programInputs, call, inputs, decompositionTable(request.decompositions),
                         request.keepInputMutations, position, environment, progress},
                        request.program, result.graph);
    }
    return result;
}

/// The same with pauses, begun anew for each fact that is taken.
session::RetraceResult retraceWithPauses(const session::RetraceRequest& request,
                                         const base::Progress& progress) {
    TracePauser pauser(request.pauses);
    for (;;) {
        const auto waitedBefore = pauser.waited();
        try {
            session::RetraceResult result = retraceOrThrow(request, progress, &pauser);
            result.nanoseconds -= (pauser.waited() - waitedBefore).count();
            return result;
        } catch (const TraceRestart&) {
            base::logDebug("aotscope.trace", "begun anew with the fact " + pauser.facts().back());
        }
    }
}

/// An operator may ask for equal sizes where PyTorch's shape function does not: two symbols that were equal
/// then get other values of their own, and the trace fails. It goes through with equal ones.
session::RetraceResult retraceTwice(const session::RetraceRequest& request, const base::Progress& progress) {
    try {
        return retraceOrThrow(request, progress, nullptr);
    } catch (const RunFailure&) {
        if (request.symbolHints.size() < 2) {
            throw;
        }
    } catch (const c10::Error&) {
        if (request.symbolHints.size() < 2) {
            throw;
        }
    }
    return retraceOrThrow(request, progress, nullptr, true);
}

base::Result<session::RetraceResult> retraceHere(const session::RetraceRequest& request,
                                                 base::Progress progress) {
    try {
        if (onCuda(*request.program)) {
            installCudaStandIn();
        }
        const c10::AutoGradMode grad(request.gradEnabled);
        ops::GraphState ambient;
        for (const session::AmbientAutocast& autocast : request.autocasts) {
            // PyTorch traces without the cache of casts: each cast is a node.
            ambient.enterAutocast(c10::Device(autocast.device).type(), scalarType(autocast.dtype), true,
                                  false);
        }
        return request.pauses.wanted() ? retraceWithPauses(request, progress)
                                       : retraceTwice(request, progress);
    } catch (const Canceled&) {
        return base::canceledError();
    } catch (const RunFailure& failure) {
        return failure.error();
    } catch (const c10::Error& error) {
        base::Error result;
        result.code = "trace.unsupported";
        result.message = error.what_without_backtrace();
        return result;
    } catch (const std::exception& error) {
        base::Error result;
        result.code = "trace.unsupported";
        result.message = error.what();
        return result;
    }
}

} // namespace

base::Result<session::RetraceResult> retrace(const session::RetraceRequest& request,
                                             base::Progress progress) {
    if (request.pauses.wanted()) {
        // Pauses are answered on the thread that asked for the trace.
        return retraceHere(request, std::move(progress));
    }
    return traceOnThread(
        [request, stop = progress.stopToken()] { return retraceHere(request, base::Progress({}, stop)); });
}

} // namespace aotscope::torch
