#include "ops_check.h"

#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "dispatch/release_rules.h"
#include "ops/coverage.h"
#include "ops/interpreter.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <torch/library.h>

#include <cstring>
#include <mutex>
#include <sstream>
#include <unordered_map>

namespace aotscope::test {

namespace {

namespace ops = aotscope::torch::ops;

constexpr c10::DispatchKey recordingKey = c10::DispatchKey::TESTING_ONLY_GenericWrapper;

/// Names the tensors of a run and records its calls.
class Recorder {
public:
    void nameInput(const at::Tensor& tensor, std::string name) { keep(tensor, std::move(name)); }

    void before(const c10::OperatorHandle& op, const c10::Stack& stack) {
        const c10::FunctionSchema& schema = op.schema();
        std::string name = schema.name();
        name.replace(name.find("::"), 2, ".");
        RecordedCall call{name + "." + (schema.overload_name().empty() ? "default" : schema.overload_name()),
                          {}};
        const std::size_t count = schema.arguments().size();
        std::ostringstream text;
        for (std::size_t i = 0; i < count; ++i) {
            text << (i == 0 ? "" : ", ") << schema.arguments()[i].name() << "=";
            write(text, stack[stack.size() - count + i]);
        }
        call.arguments = std::move(text).str();
        m_calls.push_back(std::move(call));
    }

    void after(const c10::Stack& stack, std::size_t results) {
        for (std::size_t i = stack.size() - results; i < stack.size(); ++i) {
            nameResults(stack[i], std::to_string(m_calls.size() - 1));
        }
    }

    [[nodiscard]] std::vector<RecordedCall> take() { return std::move(m_calls); }

private:
    void keep(const at::Tensor& tensor, std::string name) {
        m_kept.push_back(tensor);
        m_names[tensor.unsafeGetTensorImpl()] = std::move(name);
    }

    void nameResults(const c10::IValue& value, const std::string& name) {
        if (value.isTensor()) {
            if (value.toTensor().defined()) {
                keep(value.toTensor(), "%" + name);
            }
        } else if (value.isList()) {
            std::size_t index = 0;
            for (const c10::IValue& item : value.toListRef()) {
                nameResults(item, name + "." + std::to_string(index++));
            }
        }
    }

    void write(std::ostringstream& out, const c10::IValue& value) const {
        if (value.isTensor()) {
            const at::Tensor& tensor = value.toTensor();
            if (!tensor.defined()) {
                out << "None";
            } else if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) {
                out << tensor.item();
            } else if (const auto found = m_names.find(tensor.unsafeGetTensorImpl());
                       found != m_names.end()) {
                out << found->second;
            } else {
                out << "constant";
            }
        } else if (value.isList()) {
            out << "[";
            bool first = true;
            for (const c10::IValue& item : value.toListRef()) {
                out << (first ? "" : ", ");
                first = false;
                write(out, item);
            }
            out << "]";
        } else {
            out << value;
        }
    }

    std::vector<RecordedCall> m_calls;
    std::unordered_map<const c10::TensorImpl*, std::string> m_names;
    /// Alive, so that no address is used twice.
    std::vector<at::Tensor> m_kept;
};

thread_local Recorder* recorder = nullptr;

void record(const c10::OperatorHandle& op, c10::Stack* stack) {
    const c10::impl::ExcludeDispatchKeyGuard below(recordingKey);
    if (recorder != nullptr) {
        recorder->before(op, *stack);
    }
    op.callBoxed(stack);
    if (recorder != nullptr) {
        recorder->after(*stack, op.schema().returns().size());
    }
}

std::int64_t sizeOf(const ir::SymInt& size, const ir::SymbolBindings& symbols) {
    const auto value = size.value(symbols);
    if (!value) {
        aotscope::torch::fail("test.symbol", "No value is known for " + size.text() + ".");
    }
    return *value;
}

at::Tensor emptyLike(const ir::TensorMeta& meta, const ir::SymbolBindings& symbols) {
    const auto dtype = aotscope::torch::scalarType(meta.dtype);
    if (!dtype || meta.subclass) {
        aotscope::torch::fail("test.input", "An input is of a kind that tests do not make.");
    }
    std::vector<std::int64_t> sizes;
    for (const ir::SymInt& size : meta.shape) {
        sizes.push_back(sizeOf(size, symbols));
    }
    if (!meta.stride) {
        return at::detail::empty_cpu(sizes, *dtype);
    }
    std::vector<std::int64_t> strides;
    for (const ir::SymInt& stride : *meta.stride) {
        strides.push_back(sizeOf(stride, symbols));
    }
    return at::detail::empty_strided_cpu(sizes, strides, *dtype);
}

at::Tensor makeInput(const ir::TensorMeta& meta, const ir::SymbolBindings& symbols,
                     const aot::TensorData* data) {
    at::Tensor tensor = emptyLike(meta, symbols);
    if (data != nullptr &&
        data->bytes.size() == static_cast<std::size_t>(tensor.numel()) * tensor.element_size()) {
        const at::Tensor plain = at::detail::empty_cpu(tensor.sizes(), tensor.scalar_type());
        std::memcpy(plain.data_ptr(), data->bytes.data(), data->bytes.size());
        tensor.copy_(plain);
    } else if (tensor.is_floating_point() || tensor.is_complex()) {
        tensor.normal_();
        if (tensor.is_floating_point()) {
            tensor.abs_();
        }
    } else {
        tensor.zero_();
    }
    if (meta.requiresGrad.value_or(false)) {
        tensor.set_requires_grad(true);
        // No leaf, so that it may be changed in place as the program's tensors were.
        return emptyLike(meta, symbols).copy_(tensor);
    }
    return tensor;
}

aot::TensorData dataOf(const at::Tensor& tensor) {
    const at::Tensor plain = tensor.detach().contiguous();
    aot::TensorData data{
        aotscope::torch::dtypeText(plain.scalar_type()), {plain.sizes().begin(), plain.sizes().end()}, {}};
    data.bytes.assign(static_cast<const char*>(plain.data_ptr()),
                      static_cast<std::size_t>(plain.numel()) * plain.element_size());
    return data;
}

void seedGenerator(std::uint64_t seed) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const std::scoped_lock lock(generator.mutex());
    generator.set_current_seed(seed);
}

ops::Value symbolValue(const ir::SymExpr& expression, const ir::SymbolBindings& symbols) {
    const auto value = expression.evaluate(symbols);
    if (!value.ok()) {
        aotscope::torch::fail("test.symbol", value.error().text());
    }
    return std::visit([](auto known) { return ops::Value(known); }, *value);
}

ops::Values makeInputs(const ir::Graph& graph, const std::map<std::string, aot::TensorData>& given,
                       const ir::SymbolBindings& symbols, Recorder& names) {
    ops::Values inputs;
    for (const ir::NodeId id : graph.placeholders()) {
        const ir::Node& node = graph.node(id);
        if (const auto* symbol = std::get_if<ir::SymbolicMeta>(&node.value)) {
            inputs.push_back(symbolValue(symbol->expression, symbols));
            continue;
        }
        const ir::TensorMeta* meta = ir::asTensor(node.value);
        if (meta == nullptr) {
            aotscope::torch::fail("test.input", "Nothing is known of the input " + node.name + ".");
        }
        const auto found = given.find(node.name);
        const at::Tensor tensor = makeInput(*meta, symbols, found == given.end() ? nullptr : &found->second);
        names.nameInput(tensor, "in" + std::to_string(inputs.size()));
        inputs.push_back(tensor);
    }
    return inputs;
}

} // namespace

OpsRun runOps(const ir::Graph& graph, const std::map<std::string, aot::TensorData>& inputs,
              std::uint64_t seed, const ir::SymbolBindings& more) {
    OpsRun run;
    Recorder calls;
    const bool gradients = c10::GradMode::is_enabled();
    try {
        ir::SymbolBindings symbols = graph.symbolHints();
        symbols.insert(more.begin(), more.end());
        ops::InterpreterHooks hooks;
        hooks.symbol = [&](const ir::SymExpr& expression) { return symbolValue(expression, symbols); };
        hooks.attribute = [&](const ir::Graph& owner, ir::NodeId id) {
            const ir::TensorMeta* meta = ir::asTensor(owner.node(id).value);
            for (const auto& [name, value] : owner.constants()) {
                if (meta == nullptr && name == owner.node(id).target) {
                    meta = ir::asTensor(value);
                }
            }
            if (meta == nullptr) {
                aotscope::torch::fail("test.attribute", "Nothing is known of " + owner.node(id).target + ".");
            }
            const c10::impl::ExcludeDispatchKeyGuard silent(recordingKey);
            // Ones, since constants may divide.
            return ops::Value(makeInput(*meta, symbols, nullptr).detach().fill_(1));
        };
        seedGenerator(seed);
        ops::Values values = makeInputs(graph, inputs, symbols, calls);
        seedGenerator(seed);
        const aot::TraceRules rules;
        const aotscope::torch::UseTraceRules following(rules);
        recorder = &calls;
        const c10::impl::IncludeDispatchKeyGuard recording(recordingKey);
        const ops::Value result = ops::Interpreter(rules, std::move(hooks)).run(graph, std::move(values));
        recorder = nullptr;
        const c10::impl::ExcludeDispatchKeyGuard silent(recordingKey);
        ops::forEachTensor(result, [&](const at::Tensor& tensor) { run.outputs.push_back(dataOf(tensor)); });
    } catch (const aotscope::torch::RunFailure& failure) {
        run.error = failure.error().text();
    } catch (const std::exception& error) {
        run.error = error.what();
    }
    recorder = nullptr;
    run.calls = calls.take();
    run.stateRestored = gradients == c10::GradMode::is_enabled() &&
                        !at::autocast::is_autocast_enabled(at::kCPU) &&
                        !c10::impl::tls_is_dispatch_key_included(recordingKey);
    return run;
}

std::vector<OpsCoverage> opsCoverage() {
    std::vector<OpsCoverage> rows;
    for (const ops::CallCoverage& row : ops::callCoverage()) {
        rows.push_back({row.name, std::string(base::wordOf(row.kind))});
    }
    return rows;
}

std::string opsCoverageOf(const std::string& name) {
    return std::string(base::wordOf(ops::coverageOf(name)));
}

} // namespace aotscope::test

// LibTorch's macro must be in the global namespace.
TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericWrapper, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&aotscope::test::record>());
}
