#include "ops/value.h"

#include "base/joined.h"
#include "base/mapped.h"
#include "base/overloaded.h"
#include "dispatch/failure.h"

namespace aotscope::torch::ops {

namespace {

[[noreturn]] void wrongType(std::string_view wanted, const Value& value) {
    fail("ops.type",
         "A value of type " + value.typeName() + " stands where " + std::string(wanted) + " is needed.");
}

/// The value if it is of this type; else throws with what is wanted.
template<typename T>
const T& held(const Value& value, std::string_view wanted) {
    if (const T* found = value.as<T>()) {
        return *found;
    }
    wrongType(wanted, value);
}

} // namespace

Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;

Value::Value(at::Tensor tensor) {
    if (tensor.defined()) {
        m_value = std::move(tensor);
    }
}

Value::Value(c10::SymBool value) {
    if (const auto known = value.maybe_as_bool()) {
        m_value = *known;
    } else {
        m_value = std::move(value);
    }
}

Value Value::list(Values items) {
    return List{std::make_shared<Values>(std::move(items))};
}

Value Value::tuple(Values items, std::vector<std::string> fields, std::string typeName) {
    return Tuple{std::make_shared<const Tuple::Data>(
        Tuple::Data{std::move(items), std::move(fields), std::move(typeName)})};
}

Value Value::size(c10::SymIntArrayRef sizes) {
    return tuple(Values(sizes.begin(), sizes.end()), {}, "torch.Size");
}

Value Value::ints(c10::IntArrayRef items) {
    return list(Values(items.begin(), items.end()));
}

Value Value::slice(Value start, Value stop, Value step) {
    return Slice{std::make_shared<const Values>(Values{std::move(start), std::move(stop), std::move(step)})};
}

const at::Tensor& Value::tensor() const {
    return held<at::Tensor>(*this, "a tensor");
}

const std::string& Value::string() const {
    return held<std::string>(*this, "a string");
}

c10::ScalarType Value::dtype() const {
    return held<c10::ScalarType>(*this, "a dtype");
}

c10::SymInt Value::symInt() const {
    if (isBool()) {
        return static_cast<std::int64_t>(truth());
    }
    return held<c10::SymInt>(*this, "an integer");
}

std::int64_t Value::integer() const {
    return symInt().guard_int(__FILE__, __LINE__);
}

c10::SymFloat Value::symFloat() const {
    if (isInt() || isBool()) {
        return symInt().operator c10::SymFloat();
    }
    return held<c10::SymFloat>(*this, "a float");
}

double Value::real() const {
    return symFloat().guard_float(__FILE__, __LINE__);
}

c10::Scalar Value::scalar() const {
    const auto number = [](const auto& value) { return c10::Scalar(value); };
    return std::visit(base::Overloaded{[&](bool value) { return number(value); },
                                       [&](const c10::SymInt& value) { return number(value); },
                                       [&](const c10::SymFloat& value) { return number(value); },
                                       [&](const c10::SymBool& value) { return number(value); },
                                       [&](const c10::complex<double>& value) { return number(value); },
                                       [&](const auto&) -> c10::Scalar { wrongType("a number", *this); }},
                      m_value);
}

std::span<const Value> Value::items() const {
    if (const auto* value = as<List>()) {
        return *value->items;
    }
    if (const auto* value = as<Tuple>()) {
        return value->data->items;
    }
    wrongType("a list or tuple", *this);
}

std::vector<c10::SymInt> Value::symInts() const {
    return isSequence() ? base::mapped(items(), &Value::symInt) : std::vector{symInt()};
}

bool Value::truth() const {
    return std::visit(
        base::Overloaded{
            [](bool value) { return value; },
            [](const c10::SymBool& value) { return value.guard_bool(__FILE__, __LINE__); },
            [](const c10::SymInt& value) { return value.guard_int(__FILE__, __LINE__) != 0; },
            [](const c10::SymFloat& value) { return value.guard_float(__FILE__, __LINE__) != 0; },
            [](const c10::complex<double>& value) { return value != c10::complex<double>(0); },
            [](const None&) { return false; }, [](const std::string& value) { return !value.empty(); },
            [](const List& value) { return !value.items->empty(); },
            [](const Tuple& value) { return !value.data->items.empty(); },
            [](const Dict& value) { return !value.items->empty(); },
            [&](const at::Tensor&) -> bool {
                wrongType("a truth value that does not depend on data", *this);
            },
            [](const auto&) { return true; }},
        m_value);
}

namespace {

struct TypeName {
    std::string operator()(const None&) const { return "None"; }
    std::string operator()(const at::Tensor&) const { return "Tensor"; }
    std::string operator()(bool) const { return "bool"; }
    std::string operator()(const c10::SymInt& value) const { return value.is_symbolic() ? "SymInt" : "int"; }
    std::string operator()(const c10::SymFloat& value) const {
        return value.is_symbolic() ? "SymFloat" : "float";
    }
    std::string operator()(const c10::SymBool&) const { return "SymBool"; }
    std::string operator()(const c10::complex<double>&) const { return "complex"; }
    std::string operator()(const std::string&) const { return "str"; }
    std::string operator()(c10::ScalarType) const { return "torch.dtype"; }
    std::string operator()(const c10::Device&) const { return "torch.device"; }
    std::string operator()(c10::Layout) const { return "torch.layout"; }
    std::string operator()(c10::MemoryFormat) const { return "torch.memory_format"; }
    std::string operator()(const Ellipsis&) const { return "ellipsis"; }
    std::string operator()(const Slice&) const { return "slice"; }
    std::string operator()(const List& list) const { return "list of " + itemTypes(*list.items); }
    std::string operator()(const Tuple& tuple) const { return "tuple of " + itemTypes(tuple.data->items); }
    std::string operator()(const Dict&) const { return "dict"; }
    std::string operator()(const FunctionReference&) const { return "function"; }
    std::string operator()(const GraphReference&) const { return "GraphModule"; }
    std::string operator()(const Object& object) const { return object.typeName; }

    static std::string itemTypes(const Values& items) {
        std::string text = "(";
        for (std::size_t i = 0; i < items.size() && i < 5; ++i) {
            text += (i == 0 ? "" : ", ") + items[i].typeName();
        }
        return text + (items.size() > 5 ? ", ...)" : ")");
    }
};

} // namespace

std::string Value::typeName() const {
    return std::visit(TypeName{}, m_value);
}

std::string argumentTypes(std::span<const Value> args, const Keywords& kwargs) {
    std::string text = "(" + base::joined(args, ", ", &Value::typeName);
    for (const auto& [name, value] : kwargs) {
        text += (text.size() > 1 ? ", " : "") + name + "=" + value.typeName();
    }
    return text + ")";
}

} // namespace aotscope::torch::ops
