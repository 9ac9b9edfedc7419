#include "symbolic_check.h"

#include "layout_check.h"
#include "recorded_call.h"

#include "dispatch/failure.h"
#include "dispatch/map_tensors.h"
#include "dispatch/release_rules.h"
#include "fake/fake_operators.h"
#include "fake/fake_tensor.h"
#include "fake/meta/compute_shapes.h"
#include "fake/meta/device_hint.h"

#include <ATen/EmptyTensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

namespace aotscope::test {

namespace {

using c10::IValue;
using Kind = SymbolicOutcome::Kind;
using Sizes = std::vector<c10::SymInt>;

constexpr int sizesWanted = 20;
constexpr int sizesTried = 400;

/// A tensor argument whose sizes and strides are symbols.
struct SymbolicTensor {
    Sizes sizes;
    Sizes strides;
    std::int64_t offset = 0;
    c10::ScalarType dtype = c10::kFloat;
};

std::int64_t valueOf(const c10::SymInt& number, const ir::SymbolBindings& bindings) {
    const torch::SymbolicNode* node = torch::asSymbolic(number);
    if (node == nullptr) {
        return number.expect_int();
    }
    const auto value = node->expression().evaluateInt(bindings);
    TORCH_CHECK(value.has_value(), node->expression().text(), " has no value");
    return *value;
}

std::vector<std::int64_t> valuesOf(c10::SymIntArrayRef numbers, const ir::SymbolBindings& bindings) {
    std::vector<std::int64_t> values;
    for (const c10::SymInt& number : numbers) {
        values.push_back(valueOf(number, bindings));
    }
    return values;
}

/// Whether an integer argument is a size, and not the length of a window or a step.
bool namesSizes(const c10::Argument& argument) {
    constexpr std::array<std::string_view, 11> names = {
        "size", "sizes", "input_sizes", "self_sizes", "sym_size", "output_size", "input_size"};
    return std::find(names.begin(), names.end(), argument.name()) != names.end();
}

class SymbolicCall {
public:
    SymbolicCall(RecordedCall call, std::optional<SpecializedSize> specialized)
        : m_call(std::move(call)), m_specialized(specialized) {
        for (std::size_t i = 0; i < m_call.stack.size(); ++i) {
            mapped(m_call.stack[i], [&](const at::Tensor& tensor) {
                collect(tensor.sizes());
                return tensor;
            });
        }
        if (m_different.empty()) {
            m_specialized.reset();
        } else if (m_specialized) {
            m_specialized->which %= m_different.size();
        }
        std::vector<std::pair<std::string, std::int64_t>> hints;
        for (const std::int64_t size : m_different) {
            const bool isNumber = m_specialized && size == m_different[m_specialized->which];
            if (!isNumber) {
                hints.emplace_back("s" + std::to_string(hints.size()), size);
            }
        }
        m_environment.announceSymbols(hints);
        for (const auto& [name, hint] : hints) {
            m_symbols.emplace(hint, m_environment.symbol(name, hint));
            m_names.push_back(name);
            m_hints.emplace(name, hint);
        }
        for (const IValue& value : m_call.stack) {
            mapped(value, [&](const at::Tensor& tensor) {
                m_tensors.emplace(tensor.unsafeGetTensorImpl(), symbolic(tensor));
                return tensor;
            });
        }
    }

    [[nodiscard]] SymbolicOutcome check();

private:
    template<typename Map>
    static IValue mapped(const IValue& value, Map map) {
        return torch::mapTensors(value, [&](const at::Tensor& tensor) -> at::Tensor {
            return isWrappedNumber(tensor) ? tensor : map(tensor);
        });
    }
    void collect(c10::IntArrayRef sizes) {
        for (const std::int64_t size : sizes) {
            if (size > 1 && std::find(m_different.begin(), m_different.end(), size) == m_different.end()) {
                m_different.push_back(size);
            }
        }
    }
    [[nodiscard]] c10::SymInt symbolOf(std::int64_t size) const {
        if (m_specialized && size == m_different[m_specialized->which]) {
            return m_specialized->value;
        }
        const auto symbol = m_symbols.find(size);
        return symbol == m_symbols.end() ? c10::SymInt(size) : symbol->second;
    }
    [[nodiscard]] SymbolicTensor symbolic(const at::Tensor& tensor) const;
    [[nodiscard]] IValue symbolicSizes(const IValue& value) const;
    [[nodiscard]] c10::Stack fakeArguments();
    [[nodiscard]] c10::Stack argumentsAt(const ir::SymbolBindings& bindings) const;
    [[nodiscard]] bool fulfilsGuards(const ir::SymbolBindings& bindings) const;
    [[nodiscard]] ir::SymbolBindings draw(int round);
    /// What the operator returns for these sizes; nothing where it does not take them.
    [[nodiscard]] std::optional<c10::Stack> resultsAt(const ir::SymbolBindings& bindings);
    /// Whether the operator itself, on zeros, takes these sizes.
    [[nodiscard]] bool runsAt(const ir::SymbolBindings& bindings) const;
    [[nodiscard]] std::string difference(const IValue& expression, const IValue& result,
                                         const ir::SymbolBindings& bindings) const;

    RecordedCall m_call;
    std::optional<SpecializedSize> m_specialized;
    torch::ShapeEnvironment m_environment{aot::TraceRules()};
    std::vector<std::int64_t> m_different;
    std::map<std::int64_t, c10::SymInt> m_symbols;
    std::vector<std::string> m_names;
    ir::SymbolBindings m_hints;
    std::map<const c10::TensorImpl*, SymbolicTensor> m_tensors;
    std::mt19937 m_random{20211};
};

/// A stride that is a product of the sizes further inside becomes that product of symbols; any other stays a
/// number.
SymbolicTensor SymbolicCall::symbolic(const at::Tensor& tensor) const {
    SymbolicTensor made{{}, {}, tensor.storage_offset(), tensor.scalar_type()};
    for (const std::int64_t size : tensor.sizes()) {
        made.sizes.push_back(symbolOf(size));
    }
    const auto dims = static_cast<std::size_t>(tensor.dim());
    std::vector<std::size_t> order(dims);
    std::iota(order.rbegin(), order.rend(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
        return std::pair(tensor.strides()[left], tensor.sizes()[left]) <
               std::pair(tensor.strides()[right], tensor.sizes()[right]);
    });
    made.strides.resize(dims);
    std::int64_t reach = 1;
    c10::SymInt reached = 1;
    for (const std::size_t d : order) {
        const std::int64_t stride = tensor.strides()[d];
        const bool follows = stride != 0 && stride % reach == 0;
        made.strides[d] = follows ? reached * (stride / reach) : c10::SymInt(stride);
        if (stride != 0) {
            reach = stride * std::max<std::int64_t>(tensor.sizes()[d], 1);
            const auto number = made.sizes[d].maybe_as_int();
            reached =
                made.strides[d] * (number ? c10::SymInt(std::max<std::int64_t>(*number, 1)) : made.sizes[d]);
        }
    }
    return made;
}

IValue SymbolicCall::symbolicSizes(const IValue& value) const {
    if (value.isInt()) {
        return value.toInt() > 1 ? IValue(symbolOf(value.toInt())) : value;
    }
    if (!value.isIntList()) {
        return value;
    }
    Sizes sizes;
    for (const std::int64_t size : value.toIntVector()) {
        sizes.push_back(size > 1 ? symbolOf(size) : c10::SymInt(size));
    }
    return IValue(c10::SymIntArrayRef(sizes));
}

c10::Stack SymbolicCall::fakeArguments() {
    c10::Stack stack;
    const auto& declared = m_call.op.schema().arguments();
    for (std::size_t i = 0; i < declared.size(); ++i) {
        IValue value = mapped(m_call.stack[i], [&](const at::Tensor& tensor) {
            const SymbolicTensor& symbolic = m_tensors.at(tensor.unsafeGetTensorImpl());
            return torch::makeFake(symbolic.sizes, symbolic.strides, symbolic.offset, symbolic.dtype,
                                   c10::kCPU, m_environment);
        });
        stack.push_back(namesSizes(declared[i]) ? symbolicSizes(value) : std::move(value));
    }
    return stack;
}

c10::Stack SymbolicCall::argumentsAt(const ir::SymbolBindings& bindings) const {
    c10::Stack stack;
    const auto& declared = m_call.op.schema().arguments();
    for (std::size_t i = 0; i < declared.size(); ++i) {
        IValue value = mapped(m_call.stack[i], [&](const at::Tensor& tensor) {
            const SymbolicTensor& symbolic = m_tensors.at(tensor.unsafeGetTensorImpl());
            const auto sizes = valuesOf(symbolic.sizes, bindings);
            const auto strides = valuesOf(symbolic.strides, bindings);
            const at::Tensor made = at::detail::empty_strided_meta(sizes, strides, symbolic.dtype);
            return symbolic.offset == 0 ? made : made.as_strided(sizes, strides, symbolic.offset);
        });
        if (namesSizes(declared[i])) {
            value = symbolicSizes(value);
            if (value.isSymInt()) {
                value = valueOf(value.toSymInt(), bindings);
            } else if (value.isList()) {
                c10::List<std::int64_t> numbers;
                for (const IValue& size : value.toListRef()) {
                    numbers.push_back(valueOf(size.toSymInt(), bindings));
                }
                value = numbers;
            }
        }
        stack.push_back(std::move(value));
    }
    return stack;
}

bool SymbolicCall::fulfilsGuards(const ir::SymbolBindings& bindings) const {
    return std::all_of(m_environment.guards().begin(), m_environment.guards().end(), [&](const auto& guard) {
        const auto answer = guard.expression.evaluate(bindings);
        const bool* holds = answer ? std::get_if<bool>(&*answer) : nullptr;
        return holds == nullptr || *holds;
    });
}

/// Values for one round: first all equal, then alternately multiples of the original sizes and small ones.
ir::SymbolBindings SymbolicCall::draw(int round) {
    ir::SymbolBindings bindings;
    std::uniform_int_distribution<std::int64_t> size(2, 13);
    std::uniform_int_distribution<std::int64_t> factor(1, 4);
    const std::int64_t shared = size(m_random);
    for (const std::string& name : m_names) {
        bindings[name] = round % 5 == 0   ? shared
                         : round % 2 == 0 ? m_hints.at(name) * factor(m_random)
                                          : size(m_random);
    }
    return bindings;
}

/// Checked by running, because a shape function may accept sizes that the kernel refuses.
bool SymbolicCall::runsAt(const ir::SymbolBindings& bindings) const {
    c10::Stack stack = argumentsAt(bindings);
    for (IValue& value : stack) {
        value = value.isDevice() ? IValue(c10::Device(c10::kCPU)) : mapped(value, [](const at::Tensor& meta) {
            return at::zeros(meta.storage_offset() + elementsReached(meta), meta.options().device(c10::kCPU))
                .as_strided(meta.sizes(), meta.strides(), meta.storage_offset());
        });
    }
    try {
        m_call.op.callBoxed(stack);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

std::optional<c10::Stack> SymbolicCall::resultsAt(const ir::SymbolBindings& bindings) {
    try {
        c10::Stack stack = argumentsAt(bindings);
        torch::computeShapes(m_call.op, stack, m_environment.ranOnZeros);
        return stack;
    } catch (const c10::Error&) {
        return std::nullopt;
    }
}

std::string SymbolicCall::difference(const IValue& expression, const IValue& result,
                                     const ir::SymbolBindings& bindings) const {
    if (expression.isTensorList() && result.isTensorList()) {
        const auto left = expression.toTensorVector();
        const auto right = result.toTensorVector();
        if (left.size() != right.size()) {
            return "another number of results";
        }
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (std::string apart = difference(left[i], right[i], bindings); !apart.empty()) {
                return apart;
            }
        }
        return {};
    }
    if (!expression.isTensor() || !result.isTensor()) {
        return {};
    }
    const at::Tensor& made = expression.toTensor();
    const at::Tensor& real = result.toTensor();
    if (made.defined() != real.defined()) {
        return "a result is missing";
    }
    if (!made.defined()) {
        return {};
    }
    const auto sizes = valuesOf(made.sym_sizes(), bindings);
    const auto strides = valuesOf(made.sym_strides(), bindings);
    const std::int64_t offset = valueOf(made.sym_storage_offset(), bindings);
    if (real.sizes() == sizes && areSameStrides(sizes, real.strides(), strides) &&
        real.storage_offset() == offset && real.scalar_type() == made.scalar_type()) {
        return {};
    }
    std::ostringstream out;
    out << made.sym_sizes() << " strides " << made.sym_strides() << " offset " << made.sym_storage_offset()
        << ' ' << made.scalar_type() << " is " << c10::IntArrayRef(sizes) << " strides "
        << c10::IntArrayRef(strides) << " offset " << offset << ", returned " << real.sizes() << " strides "
        << real.strides() << " offset " << real.storage_offset() << ' ' << real.scalar_type();
    return std::move(out).str();
}

SymbolicOutcome SymbolicCall::check() {
    SymbolicOutcome outcome;
    outcome.symbols = static_cast<int>(m_names.size());
    if (m_names.empty()) {
        outcome.kind = Kind::NoSymbols;
        return outcome;
    }
    if (!resultsAt(m_hints)) {
        return outcome;
    }
    c10::Stack results = fakeArguments();
    try {
        torch::callOnFakes(m_call.op, results, m_environment);
    } catch (const c10::Error& error) {
        outcome.kind = Kind::Refused;
        outcome.detail = error.what_without_backtrace();
        return outcome;
    }
    if (m_environment.hasUnbacked()) {
        outcome.detail = "only the data tell";
        return outcome;
    }
    for (int round = 0; round < sizesTried && outcome.sizes < sizesWanted; ++round) {
        const ir::SymbolBindings bindings = round == 0 ? m_hints : draw(round - 1);
        const auto real = fulfilsGuards(bindings) ? resultsAt(bindings) : std::nullopt;
        if (!real) {
            continue;
        }
        ++outcome.sizes;
        for (std::size_t i = 0; i < std::min(results.size(), real->size()); ++i) {
            const std::string apart = difference(results[i], (*real)[i], bindings);
            if (!apart.empty() && !runsAt(bindings)) {
                --outcome.sizes;
                break;
            }
            if (!apart.empty()) {
                outcome.kind = Kind::Differs;
                outcome.detail = apart + " where";
                for (const auto& [name, value] : bindings) {
                    outcome.detail += ' ' + name + " = " + std::to_string(value);
                }
                for (const auto& guard : m_environment.guards()) {
                    outcome.detail += ", " + guard.expression.text();
                }
                return outcome;
            }
        }
    }
    // The sizes that were seen are no proof.
    outcome.kind = outcome.sizes > 1 ? Kind::Agrees : Kind::NoSizes;
    return outcome;
}

} // namespace

SymbolicOutcome checkSymbolicShape(const ShapeQuestion& question,
                                   std::optional<SpecializedSize> specialized) {
    const torch::UseTraceRules rules{aot::TraceRules()};
    const torch::DeviceHint device(c10::kCPU);
    try {
        return SymbolicCall(recordedCall(question), specialized).check();
    } catch (const NotKnown& unknown) {
        return {Kind::NotCalled, unknown.why};
    } catch (const torch::RunFailure& failure) {
        return {Kind::NotCalled, failure.error().message};
    } catch (const c10::Error& error) {
        return {Kind::NotCalled, error.what_without_backtrace()};
    }
}

} // namespace aotscope::test
