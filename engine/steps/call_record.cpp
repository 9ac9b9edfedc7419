#include "steps/call_record.h"

#include "base/formatted.h"
#include "base/joined.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace aotscope::steps {

namespace {

/// Three digits.
std::string shortNumber(double number) {
    return base::formatted("%.3g", number);
}

std::string limitText(const ComparedValue& value) {
    return value.allowed ? ", " + shortNumber(*value.allowed) + " allowed" +
                               (value.limit.empty() ? std::string() : " (" + value.limit + ")")
                         : std::string();
}

} // namespace

base::VerdictWord ComparedValue::word() const {
    return !agrees                  ? base::VerdictWord::Differs
           : !notComparable.empty() ? base::VerdictWord::NotComparable
                                    : base::VerdictWord::Equal;
}

std::string comparedValueText(const ComparedValue& value) {
    std::string text = value.name;
    const auto add = [&](const std::string& part) {
        text += (text.size() == value.name.size() ? ": " : "; ") + part;
    };
    if (!value.structure.empty()) {
        add(value.structure);
    }
    if (!value.notComparable.empty()) {
        add(value.notComparable);
    }
    if (value.relativeError) {
        add(shortNumber(*value.relativeError) + " of the largest magnitude apart" + limitText(value));
    }
    std::ranges::for_each(value.causes, add);
    return text;
}

bool EagerCallComparison::agrees() const {
    return skipped.empty() &&
           std::all_of(values.begin(), values.end(), [](const ComparedValue& value) { return value.agrees; });
}

base::Verdict EagerCallComparison::verdict() const {
    base::Verdict verdict;
    verdict.configuration = configuration;
    if (!skipped.empty()) {
        verdict.reason = skipped;
        return verdict;
    }
    verdict.word = base::VerdictWord::Equal;
    const ComparedValue* undecided = nullptr;
    for (const ComparedValue& value : values) {
        const std::string text = comparedValueText(value);
        if (value.word() == base::VerdictWord::Differs) {
            verdict.word = base::VerdictWord::Differs;
            verdict.reason += (verdict.reason.empty() ? "" : "; ") + text;
        }
        if (value.word() == base::VerdictWord::NotComparable) {
            undecided = undecided == nullptr ? &value : undecided;
            verdict.notCompared.push_back(text);
        } else {
            verdict.compared.push_back(text);
        }
        if (value.allowed) {
            verdict.tolerances.push_back(value.name + ": " + shortNumber(*value.allowed) + ", " +
                                         value.limit);
        }
        if (value.hookLoss) {
            verdict.tolerances.push_back(value.name + ": the saved-tensors hooks themselves change it by " +
                                         shortNumber(*value.hookLoss));
        }
    }
    if (verdict.word == base::VerdictWord::Equal && undecided != nullptr) {
        verdict.word = base::VerdictWord::NotComparable;
        verdict.reason = comparedValueText(*undecided);
    }
    return verdict;
}

namespace {

/// Codes of errors that say: something is not supported, or not there.
constexpr std::array<std::string_view, 24> missingHere = {"aot.unsupported",
                                                          "call.subclass",
                                                          "call.unsupported",
                                                          "retrace.not_supported",
                                                          "run.no_cpu_kernel",
                                                          "run.no_gpu",
                                                          "run.no_gpu_kernel",
                                                          "run.no_torch_module",
                                                          "run.unknown_operator",
                                                          "run.unsupported_input",
                                                          "run.unsupported_higher_order",
                                                          "trace.higher_order",
                                                          "trace.no_derivative",
                                                          "trace.subclass",
                                                          "trace.unsupported",
                                                          "ops.internal",
                                                          "ops.no_overload",
                                                          "ops.unknown_attribute",
                                                          "ops.unknown_function",
                                                          "ops.unknown_symbol",
                                                          "run.internal_check",
                                                          "run.python_call",
                                                          "run.too_deep",
                                                          "run.unknown_constant"};
/// Codes of errors that PyTorch has, too: of its operators, its autograd and its wrappers.
constexpr std::array<std::string_view, 13> ofPyTorch = {
    "call.alias",  "call.backward", "call.create_graph",  "call.determinism",    "call.donated_buffer",
    "call.failed", "call.guard",    "call.results",       "ops.operator_failed", "run.division_by_zero",
    "run.hooks",   "run.index",     "run.operator_failed"};

bool isOneOf(std::span<const std::string_view> codes, std::string_view code) {
    return std::ranges::find(codes, code) != codes.end();
}

} // namespace

base::Verdict verdictOf(const CallRecord& record) {
    base::Verdict verdict;
    if (record.eager) {
        verdict = record.eager->verdict();
    } else {
        verdict.reason = "Dynamo's graph was not called in eager mode.";
    }
    if (record.error) {
        const bool isMissing = isOneOf(missingHere, record.error->code);
        const bool isPyTorchs =
            record.eager && record.eager->onlyCompiledFails && isOneOf(ofPyTorch, record.error->code);
        verdict.word = isMissing    ? base::VerdictWord::NotSupported
                       : isPyTorchs ? base::VerdictWord::Differs
                                    : base::VerdictWord::NotComparable;
        const std::string eager = record.eager ? " " + record.eager->skipped : "";
        verdict.reason = (isMissing ? "" : "the call fails: ") + record.error->message + eager;
    }
    const bool isExplained = record.error ? std::ranges::any_of(record.departures, &Departure::fails)
                                          : verdict.word == base::VerdictWord::Differs;
    if (!record.departures.empty() && isExplained) {
        verdict.word = base::VerdictWord::Differs;
        verdict.reason = std::string("PyTorch's compile ") +
                         (record.error ? "fails here: " : "differs from eager here: ") +
                         departuresText(record) + "; " + verdict.reason;
    }
    return verdict;
}

std::string departuresText(const CallRecord& record) {
    return base::joined(record.departures, "; ",
                        [](const Departure& departure) { return departure.name + " " + departure.how; });
}

} // namespace aotscope::steps
