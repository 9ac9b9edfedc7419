#include "shape_check.h"

#include "recorded_call.h"

#include "dispatch/failure.h"
#include "dispatch/operators.h"
#include "dispatch/release_rules.h"
#include "fake/meta/compute_shapes.h"
#include "fake/meta/coverage.h"
#include "fake/meta/device_hint.h"
#include "fake/meta/real_zeros.h"
#include "fake/meta/shape_kernels.h"
#include "operators/operator_rows.h"

#include <ATen/EmptyTensor.h>

#include <nlohmann/json.hpp>

#include <set>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace aotscope::test {

namespace {

using c10::IValue;

std::string describe(const at::Tensor& tensor) {
    std::ostringstream out;
    out << tensor.scalar_type() << tensor.sizes() << " strides " << tensor.strides();
    if (tensor.storage_offset() != 0) {
        out << " offset " << tensor.storage_offset();
    }
    return std::move(out).str();
}

bool equals(const at::Tensor& actual, const at::Tensor& expected, bool offsets) {
    return actual.scalar_type() == expected.scalar_type() && actual.sizes() == expected.sizes() &&
           actual.strides() == expected.strides() &&
           (!offsets || actual.storage_offset() == expected.storage_offset());
}

std::vector<IValue> itemsOf(const IValue& value) {
    if (value.isTuple()) {
        return value.toTupleRef().elements().vec();
    }
    return value.isList() ? value.toList().vec() : std::vector<IValue>{value};
}

std::string difference(const IValue& actual, const IValue& expected, bool offsets);

std::string listDifference(const IValue& actual, const IValue& expected, bool offsets) {
    const std::vector<IValue> wanted = itemsOf(expected);
    const std::vector<IValue> given = itemsOf(actual);
    // A tuple stands for the first results only.
    if (expected.isTuple() ? given.size() < wanted.size() : given.size() != wanted.size()) {
        return std::to_string(given.size()) + " results, recorded " + std::to_string(wanted.size());
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (std::string apart = difference(given[i], wanted[i], offsets); !apart.empty()) {
            return "result " + std::to_string(i) + ": " + apart;
        }
    }
    return {};
}

/// The difference between a result and the recorded one; empty if they agree.
std::string difference(const IValue& actual, const IValue& expected, bool offsets) {
    if (expected.isTensor()) {
        const at::Tensor wanted = expected.toTensor();
        if (!actual.isTensor() || !actual.toTensor().defined()) {
            return "nothing, recorded " + describe(wanted);
        }
        return equals(actual.toTensor(), wanted, offsets)
                   ? std::string()
                   : describe(actual.toTensor()) + ", recorded " + describe(wanted);
    }
    if (expected.isNone()) {
        const bool none = actual.isNone() || (actual.isTensor() && !actual.toTensor().defined());
        return none ? std::string() : "a value, recorded None";
    }
    if (expected.isList() || expected.isTuple()) {
        return listDifference(actual, expected, offsets);
    }
    if (expected.isInt() && actual.isInt()) {
        return actual.toInt() == expected.toInt()
                   ? std::string()
                   : std::to_string(actual.toInt()) + ", recorded " + std::to_string(expected.toInt());
    }
    return {};
}

ShapeOutcome outcomeOf(const ShapeQuestion& question, std::vector<std::string>& onZeros) {
    using Kind = ShapeOutcome::Kind;
    try {
        RecordedCall prepared = recordedCall(question);
        const std::size_t results = prepared.op.schema().returns().size();
        torch::computeShapes(prepared.op, prepared.stack, onZeros);
        IValue actual;
        if (results == 1) {
            actual = prepared.stack.back();
        } else if (results > 1) {
            actual = c10::ivalue::Tuple::create(std::move(prepared.stack));
        }
        std::string apart = difference(actual, prepared.expected, question.offsets);
        return {apart.empty() ? Kind::Agrees : Kind::Differs, std::move(apart)};
    } catch (const NotKnown& unknown) {
        return {Kind::NotCalled, unknown.why};
    } catch (const torch::RunFailure& failure) {
        return {Kind::NotCalled, failure.error().message};
    } catch (const c10::NotImplementedError& error) {
        return {Kind::NoRule, error.what_without_backtrace()};
    } catch (const c10::Error& error) {
        return {Kind::Throws, error.what_without_backtrace()};
    } catch (const std::exception& error) {
        return {Kind::Throws, error.what()};
    }
}

} // namespace

ShapeOutcome checkShape(const ShapeQuestion& question) {
    const torch::UseTraceRules rules{aot::TraceRules()};
    const torch::DeviceHint device(question.cuda ? c10::kCUDA : c10::kCPU);
    std::vector<std::string> onZeros;
    ShapeOutcome outcome = outcomeOf(question, onZeros);
    outcome.onRealZeros = !onZeros.empty();
    return outcome;
}

RealZerosAnswers askRealZeros() {
    const auto meta = [](at::IntArrayRef sizes, c10::ScalarType type = c10::kFloat) {
        return at::detail::empty_meta(sizes, type);
    };
    const auto operatorOf = [](const char* target) { return torch::findOperator(target).value(); };
    RealZerosAnswers answers;

    c10::Stack edges = {meta({5, 2}), std::vector<std::int64_t>{3, 4}, c10::IValue(), c10::IValue(), false};
    const bool ran =
        torch::runOnRealZeros(operatorOf("aten._histogramdd_bin_edges.default"), edges, answers.names);
    const std::vector<at::Tensor> made = edges.back().toTensorVector();
    answers.resultsAreMeta = ran && made.size() == 2 && made[1].is_meta() && made[1].size(0) == 5;

    const at::Tensor self = meta({4});
    c10::Stack put = {self, meta({2}, c10::kLong), meta({2}), false};
    answers.inPlaceGivesTheArgument =
        torch::runOnRealZeros(operatorOf("aten.put_.default"), put, answers.names) &&
        put.back().toTensor().is_same(self);

    c10::Stack nonzero = {self};
    answers.refusesDataDependence =
        !torch::runOnRealZeros(operatorOf("aten.nonzero.default"), nonzero, answers.names);
    answers.refusalKeepsTheStack = nonzero.size() == 1 && nonzero.back().toTensor().is_same(self);
    c10::Stack transposed = {meta({2, 3}), 0, 1};
    answers.refusesViews =
        !torch::runOnRealZeros(operatorOf("aten.transpose.int"), transposed, answers.names);
    c10::Stack large = {meta({torch::elementLimit + 1})};
    answers.refusesTooMany = !torch::runOnRealZeros(operatorOf("aten.relu.default"), large, answers.names);
    return answers;
}

std::string errorWithoutRelease() {
    c10::Stack stack = {at::detail::empty_meta({3, 4}, c10::kComplexFloat), std::vector<std::int64_t>{1}, 0,
                        true};
    std::vector<std::string> onZeros;
    try {
        torch::computeShapes(torch::findOperator("aten._fft_c2c.default").value(), stack, onZeros);
    } catch (const c10::Error& error) {
        return error.what_without_backtrace();
    }
    return {};
}

HintAnswers askDeviceHint() {
    HintAnswers answers;
    {
        const torch::DeviceHint cuda(c10::kCUDA);
        answers.inScope = torch::fakingCuda();
        try {
            const torch::UseTraceRules rules{aot::TraceRules()};
            answers.inScopeOfOtherPart = torch::fakingCuda();
            const torch::DeviceHint cpu(c10::kCPU);
            answers.inInnerScope = torch::fakingCuda();
            throw std::runtime_error("unwinds");
        } catch (const std::runtime_error&) {
            answers.afterUnwinding = torch::fakingCuda();
        }
        std::thread([&] { answers.onOtherThread = torch::fakingCuda(); }).join();
    }
    answers.afterAll = torch::fakingCuda();
    return answers;
}

std::vector<CoverageRow> coverageRows() {
    std::vector<CoverageRow> rows;
    for (const torch::ShapeCoverage& row : torch::shapeCoverage()) {
        const std::size_t dot = row.op.find('.');
        const auto op = c10::Dispatcher::singleton().findSchema(
            {row.op.substr(0, dot), dot == std::string::npos ? "" : row.op.substr(dot + 1)});
        const bool composite = op && op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
        rows.push_back({row.op, std::string(base::wordOf(row.source)), row.functional, composite});
    }
    return rows;
}

std::vector<std::string> unknownRuleNames() {
    const std::vector<std::string>& unknown = torch::installShapeKernels().unknown();
    std::set<std::string> names(unknown.begin(), unknown.end());
    // The row of a name without overload may speak for overloads alone ("aten::norm").
    std::set<std::string> known;
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
        known.insert({name.name, c10::toString(name)});
    }
    for (const auto& [name, row] : torch::operatorRows()) {
        if (!known.contains(name)) {
            names.insert(name);
        }
    }
    return {names.begin(), names.end()};
}

} // namespace aotscope::test
