#include "shape_check.h"

#include "fake/meta/compute_shapes.h"
#include "fake/meta/coverage.h"
#include "fake/meta/device_in_question.h"
#include "fake/meta/real_zeros.h"
#include "fake/meta/shape_kernels.h"
#include "run/failure.h"
#include "run/operators.h"
#include "run/schema_match.h"

#include <ATen/EmptyTensor.h>
#include <c10/core/Layout.h>
#include <c10/core/MemoryFormat.h>

#include <nlohmann/json.hpp>

#include <map>
#include <sstream>

namespace aotscope::test {

namespace {

using c10::IValue;
using Json = nlohmann::json;

/// An argument whose metadata says too little to call the operator.
struct NotKnown {
    std::string why;
};

c10::ScalarType dtypeOf(const std::string& name) {
    static const std::map<std::string, c10::ScalarType> types = {
        {"float32", c10::kFloat},
        {"float64", c10::kDouble},
        {"float16", c10::kHalf},
        {"bfloat16", c10::kBFloat16},
        {"int64", c10::kLong},
        {"int32", c10::kInt},
        {"int16", c10::kShort},
        {"int8", c10::kChar},
        {"uint8", c10::kByte},
        {"uint16", c10::kUInt16},
        {"uint32", c10::kUInt32},
        {"uint64", c10::kUInt64},
        {"bool", c10::kBool},
        {"complex64", c10::kComplexFloat},
        {"complex128", c10::kComplexDouble},
        {"complex32", c10::kComplexHalf},
        {"float8_e4m3fn", c10::kFloat8_e4m3fn},
        {"float8_e5m2", c10::kFloat8_e5m2},
    };
    const auto found = types.find(name);
    if (found == types.end()) {
        throw NotKnown{"dtype " + name};
    }
    return found->second;
}

std::string dtypeName(const std::string& text) {
    return text.starts_with("torch.") ? text.substr(6) : text;
}

std::int64_t sizeOf(const Json& size) {
    if (size.is_number_integer()) {
        return size.get<std::int64_t>();
    }
    if (size.is_object() && size.contains("hint") && size["hint"].is_number_integer()) {
        return size["hint"].get<std::int64_t>();
    }
    throw NotKnown{"a size without a hint"};
}

std::vector<std::int64_t> sizesOf(const Json& sizes) {
    std::vector<std::int64_t> values;
    for (const Json& size : sizes) {
        values.push_back(sizeOf(size));
    }
    return values;
}

/// The description of a tensor in either spelling; null for anything else.
const Json* tensorJson(const Json& value) {
    if (!value.is_object()) {
        return nullptr;
    }
    if (value.contains("tensor")) {
        return &value["tensor"];
    }
    return value.value("kind", "") == "tensor" ? &value : nullptr;
}

std::int64_t offsetOf(const Json& tensor) {
    const auto found = tensor.contains("offset") ? tensor.find("offset") : tensor.find("storage_offset");
    return found == tensor.end() ? 0 : sizeOf(*found);
}

at::Tensor metaTensor(const Json& tensor) {
    if (tensor.contains("layout") && tensor["layout"] != "torch.strided" && tensor["layout"] != "strided") {
        throw NotKnown{"a tensor that is not strided"};
    }
    if (!tensor.contains("shape") || !tensor.contains("stride") || tensor["stride"].is_null()) {
        throw NotKnown{"a tensor without strides"};
    }
    const std::vector<std::int64_t> shape = sizesOf(tensor["shape"]);
    const std::vector<std::int64_t> stride = sizesOf(tensor["stride"]);
    const at::Tensor made =
        at::detail::empty_strided_meta(shape, stride, dtypeOf(dtypeName(tensor["dtype"].get<std::string>())));
    if (const std::int64_t offset = offsetOf(tensor); offset != 0) {
        return made.as_strided(shape, stride, offset);
    }
    return made;
}

IValue decoded(const Json& value);

IValue listOf(const Json& items) {
    c10::impl::GenericList list(c10::AnyType::get());
    for (const Json& item : items) {
        list.push_back(decoded(item));
    }
    return list;
}

std::int64_t layoutOf(const std::string& name) {
    if (name != "strided" && name != "torch.strided") {
        throw NotKnown{"layout " + name};
    }
    return static_cast<std::int64_t>(c10::kStrided);
}

std::int64_t memoryFormatOf(const std::string& text) {
    static const std::map<std::string, c10::MemoryFormat> formats = {
        {"contiguous_format", c10::MemoryFormat::Contiguous},
        {"preserve_format", c10::MemoryFormat::Preserve},
        {"channels_last", c10::MemoryFormat::ChannelsLast},
        {"channels_last_3d", c10::MemoryFormat::ChannelsLast3d},
    };
    const auto found = formats.find(dtypeName(text));
    if (found == formats.end()) {
        throw NotKnown{"memory format " + text};
    }
    return static_cast<std::int64_t>(found->second);
}

IValue decodedObject(const Json& value) {
    if (const Json* tensor = tensorJson(value)) {
        return metaTensor(*tensor);
    }
    if (value.contains("dtype")) {
        return static_cast<std::int64_t>(dtypeOf(dtypeName(value["dtype"].get<std::string>())));
    }
    if (value.contains("device")) {
        return c10::Device(c10::kMeta);
    }
    if (value.contains("layout")) {
        return layoutOf(value["layout"].get<std::string>());
    }
    if (value.contains("memory_format")) {
        return memoryFormatOf(value["memory_format"].get<std::string>());
    }
    if (value.contains("float")) {
        return std::stod(value["float"].get<std::string>());
    }
    if (value.contains("complex")) {
        return c10::complex<double>(value["complex"][0].get<double>(), value["complex"][1].get<double>());
    }
    if (value.contains("hint")) {
        return sizeOf(value);
    }
    if (value.contains("unknown")) {
        return std::string("unknown");
    }
    if (value.contains("partial")) {
        return c10::ivalue::Tuple::create(listOf(value["partial"]).toList().vec());
    }
    if (value.contains("tuple")) {
        return listOf(value["tuple"]);
    }
    if (value.contains("elements")) {
        return listOf(value["elements"]);
    }
    if (value.value("kind", "") == "other" && value.value("type", "") == "NoneType") {
        return {};
    }
    throw NotKnown{value.dump()};
}

IValue decoded(const Json& value) {
    if (value.is_null()) {
        return {};
    }
    if (value.is_boolean()) {
        return value.get<bool>();
    }
    if (value.is_number_integer()) {
        return value.get<std::int64_t>();
    }
    if (value.is_number()) {
        return value.get<double>();
    }
    if (value.is_string()) {
        return value.get<std::string>();
    }
    return value.is_array() ? listOf(value) : decodedObject(value);
}

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

/// Where a result differs from what was recorded; empty where it agrees.
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

/// Tensors are to be made on the meta device whatever device the call names.
void onMeta(const c10::FunctionSchema& schema, c10::Stack& stack) {
    for (std::size_t i = 0; i < stack.size(); ++i) {
        if (schema.arguments()[i].name() == "device") {
            stack[i] = c10::Device(c10::kMeta);
        }
    }
}

struct Prepared {
    c10::OperatorHandle op;
    c10::Stack stack;
    IValue expected;
};

Prepared prepare(const ShapeQuestion& question) {
    const auto op = torch::findOperator(question.target);
    if (!op) {
        throw NotKnown{"no operator of LibTorch"};
    }
    std::vector<IValue> values;
    for (const Json& arg : question.args) {
        values.push_back(decoded(arg));
    }
    torch::NamedValues named;
    for (const auto& [name, value] : question.kwargs.items()) {
        named.emplace_back(name, decoded(value));
    }
    Prepared prepared{*op, torch::matchSchema(op->schema(), std::move(values), named), decoded(question.val)};
    onMeta(op->schema(), prepared.stack);
    return prepared;
}

ShapeOutcome outcomeOf(const ShapeQuestion& question) {
    using Kind = ShapeOutcome::Kind;
    try {
        Prepared prepared = prepare(question);
        const std::size_t results = prepared.op.schema().returns().size();
        torch::computeShapes(prepared.op, prepared.stack);
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
    const torch::DeviceInQuestion device(question.cuda ? c10::kCUDA : c10::kCPU);
    ShapeOutcome outcome = outcomeOf(question);
    outcome.onRealZeros = !torch::takeRealZerosOperators().empty();
    return outcome;
}

RealZerosAnswers askRealZeros() {
    const auto meta = [](at::IntArrayRef sizes, c10::ScalarType type = c10::kFloat) {
        return at::detail::empty_meta(sizes, type);
    };
    const auto operatorOf = [](const char* target) { return torch::findOperator(target).value(); };
    RealZerosAnswers answers;
    [[maybe_unused]] const std::vector<std::string> before = torch::takeRealZerosOperators();

    c10::Stack edges = {meta({5, 2}), std::vector<std::int64_t>{3, 4}, c10::IValue(), c10::IValue(), false};
    const bool ran = torch::runOnRealZeros(operatorOf("aten._histogramdd_bin_edges.default"), edges);
    const std::vector<at::Tensor> made = edges.back().toTensorVector();
    answers.resultsAreMeta = ran && made.size() == 2 && made[1].is_meta() && made[1].size(0) == 5;

    const at::Tensor self = meta({4});
    c10::Stack put = {self, meta({2}, c10::kLong), meta({2}), false};
    answers.inPlaceGivesTheArgument =
        torch::runOnRealZeros(operatorOf("aten.put_.default"), put) && put.back().toTensor().is_same(self);

    c10::Stack nonzero = {self};
    answers.refusesDataDependence = !torch::runOnRealZeros(operatorOf("aten.nonzero.default"), nonzero);
    answers.refusalKeepsTheStack = nonzero.size() == 1 && nonzero.back().toTensor().is_same(self);
    c10::Stack transposed = {meta({2, 3}), 0, 1};
    answers.refusesViews = !torch::runOnRealZeros(operatorOf("aten.transpose.int"), transposed);
    c10::Stack large = {meta({torch::elementLimit + 1})};
    answers.refusesTooMany = !torch::runOnRealZeros(operatorOf("aten.relu.default"), large);
    answers.names = torch::takeRealZerosOperators();
    return answers;
}

std::vector<CoverageRow> coverageRows() {
    std::vector<CoverageRow> rows;
    for (const torch::ShapeCoverage& row : torch::shapeCoverage()) {
        rows.push_back({row.op, std::string(torch::shapeSourceName(row.source)), row.functional});
    }
    return rows;
}

std::vector<std::string> unknownRuleNames() {
    return torch::installShapeKernels().unknown();
}

} // namespace aotscope::test
