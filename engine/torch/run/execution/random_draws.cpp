#include "run/execution/random_draws.h"

#include "dispatch/failure.h"

#include "ir/operators/operator.h"

#include <c10/core/GradMode.h>

#include <algorithm>
#include <optional>

namespace aotscope::torch {

namespace {

/// What kind of numbers operators draw: those of one kind can stand for each other.
std::string_view kindOf(std::string_view name) {
    const std::string_view known = ir::operatorNamed(name).facts.draws;
    return known.empty() ? name : known;
}

const at::Tensor* firstTensor(c10::ArrayRef<c10::IValue> values) {
    const auto* found = std::ranges::find_if(
        values, [](const c10::IValue& value) { return value.isTensor() && value.toTensor().defined(); });
    return found == values.end() ? nullptr : &found->toTensor();
}

/// None: there is no argument of that name.
c10::IValue argumentNamed(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                          std::string_view name) {
    const auto index = op.schema().argumentIndexWithName(name);
    return index ? arguments[static_cast<std::size_t>(*index)] : c10::IValue();
}

std::optional<double> numberArgument(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                                     std::string_view name) {
    const c10::IValue value = argumentNamed(op, arguments, name);
    return value.isScalar() ? std::optional(value.toScalar().toDouble()) : std::nullopt;
}

[[noreturn]] void another(std::string_view asked, std::string_view drawn) {
    fail("call.random", "eager draws random numbers by " + std::string(asked) + " where the compiled graph " +
                            (drawn.empty() ? "draws none" : "draws them by " + std::string(drawn)));
}

bool isWritten(const c10::OperatorHandle& op) {
    return !op.schema().arguments().empty() && writesTo(op, 0);
}

/// Whether an operator that draws truth values returns what it kept of its argument, and then the mask.
bool returnsMask(const c10::OperatorHandle& op) {
    return op.schema().returns().size() > 1;
}

/// The drawn numbers as the operator asks for them: uniform from 0 to 1 or normal with mean 0 and deviation 1
/// where another one drew them.
at::Tensor numbersFor(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments,
                      const RandomDraw& drawn) {
    const std::string_view name = plainName(op);
    const std::string_view kind = kindOf(name);
    if (name == drawn.op) {
        return drawn.result;
    }
    if (kind == "bernoulli") {
        return drawn.mask;
    }
    if (kindOf(drawn.op) != kind) {
        return {};
    }
    if (kind != "uniform" && kind != "normal") {
        return drawn.result;
    }
    const bool isUniform = kind == "uniform";
    const double start = numberArgument(op, arguments, isUniform ? "from" : "mean").value_or(0);
    const double step = isUniform ? numberArgument(op, arguments, "to").value_or(1) - start
                                  : numberArgument(op, arguments, "std").value_or(1);
    return start == 0 && step == 1 ? drawn.result : drawn.result.mul(step).add(start);
}

} // namespace

bool drawsNumbers(const c10::OperatorHandle& op, c10::ArrayRef<c10::IValue> arguments) {
    if (!op.hasTag(at::Tag::nondeterministic_seeded)) {
        return false;
    }
    if (const auto probability = numberArgument(op, arguments, "dropout_p")) {
        return *probability > 0;
    }
    const c10::IValue training = argumentNamed(op, arguments, "train");
    return !training.isBool() || training.toBool();
}

bool haveEqualNumbers(const RandomDraws& left, const RandomDraws& right) {
    return std::ranges::equal(left, right, [](const RandomDraw& one, const RandomDraw& other) {
        const at::Tensor& first = one.mask.defined() ? one.mask : one.result;
        const at::Tensor& second = other.mask.defined() ? other.mask : other.result;
        return kindOf(one.op) == kindOf(other.op) && first.numel() == second.numel() &&
               first.detach().flatten().to(c10::kDouble).equal(second.detach().flatten().to(c10::kDouble));
    });
}

void DrawRecorder::call(const c10::OperatorHandle& op, c10::Stack& stack) {
    const std::string_view name = plainName(op);
    const bool isDraw = drawsNumbers(op, argumentsOn(op, stack));
    RandomDraw* compared = nullptr;
    if (name == "gt" || name == "ge" || name == "lt" || name == "le") {
        const at::Tensor* tensor = firstTensor(argumentsOn(op, stack));
        const auto found = std::ranges::find_if(draws, [&](const RandomDraw& draw) {
            return tensor != nullptr && draw.result.is_same(*tensor) && !draw.mask.defined();
        });
        compared = found == draws.end() ? nullptr : &*found;
    }
    carryOut(op, stack);
    const c10::ArrayRef<c10::IValue> results = resultsOn(op, stack);
    const at::Tensor* result = firstTensor(results);
    if (result == nullptr) {
        return;
    }
    if (compared != nullptr) {
        compared->mask = *result;
    } else if (isDraw) {
        RandomDraw& draw = draws.emplace_back();
        draw.op = name;
        // Written to later, the numbers would be lost.
        draw.result = isWritten(op) ? result->detach().clone() : *result;
        if (kindOf(name) == "bernoulli") {
            draw.mask = returnsMask(op) ? results[1].toTensor() : draw.result;
        }
    }
}

void DrawAgain::call(const c10::OperatorHandle& op, c10::Stack& stack) {
    const c10::ArrayRef<c10::IValue> arguments = argumentsOn(op, stack);
    const std::string_view name = plainName(op);
    if (!drawsNumbers(op, arguments)) {
        carryOut(op, stack);
        return;
    }
    if (m_next >= m_draws.size()) {
        another(name, {});
    }
    const c10::AutoGradMode noGrad(false);
    const RandomDraw& drawn = m_draws[m_next++];
    const std::size_t below = stack.size() - arguments.size();
    if (kindOf(name) == "bernoulli" && returnsMask(op) && drawn.mask.defined()) {
        const at::Tensor input = arguments[0].toTensor();
        const double keeps = 1 - numberArgument(op, arguments, "p").value_or(0);
        if (drawn.mask.numel() != input.numel()) {
            another(name, drawn.op);
        }
        const at::Tensor mask = drawn.mask.view_as(input).to(c10::kBool);
        const at::Tensor out = input.mul(mask).mul(keeps == 0 ? 0 : 1 / keeps);
        stack.resize(below);
        stack.emplace_back(out);
        stack.emplace_back(mask);
        return;
    }
    const at::Tensor numbers = numbersFor(op, arguments, drawn);
    const bool takesNumbers = std::ranges::any_of(arguments, [&](const c10::IValue& value) {
        return value.isTensor() && value.toTensor().defined() && value.toTensor().is_floating_point();
    });
    // What it makes of other numbers is not known.
    const bool isKnown = kindOf(name) != name || !takesNumbers || name == "multinomial";
    carryOut(op, stack);
    const at::Tensor* result = numbers.defined() && isKnown && stack.size() == below + 1
                                   ? firstTensor(c10::ArrayRef<c10::IValue>(stack.data() + below, 1))
                                   : nullptr;
    if (result == nullptr || result->numel() != numbers.numel()) {
        another(name, drawn.op);
    }
    result->detach().copy_(numbers.reshape(result->sizes()));
}

} // namespace aotscope::torch
