#include "answer.h"
#include "run_report.h"
#include "table.h"

#include "files/reproducer.h"
#include "files/rerun_file.h"

#include "base/formatted.h"
#include "base/joined.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace aotscope::cli {

AOTSCOPE_ANSWER(session::RerunDocument, session::rerunSchema)
AOTSCOPE_ANSWER(session::Reproducer, session::reproducerSchema)

/// A tensor in a file.
struct TensorText {
    std::string dtype;
    std::vector<std::int64_t> shape;
    std::string base64;
};
AOTSCOPE_MEMBERS(TensorText, dtype, shape, base64)

inline Json schemaOf(std::type_identity<aot::TensorData> /*type*/, AnswerContext& context) {
    return schemaOf(std::type_identity<TensorText>(), context);
}

/// Documents with a form of their own.
inline Json schemaOf(std::type_identity<aot::GlobalState> /*type*/, AnswerContext& /*context*/) {
    return true;
}

inline Json schemaOf(std::type_identity<ir::GraphPtr> /*type*/, AnswerContext& /*context*/) {
    return true;
}

// The room of files writes them.
template struct detail::RegisteredAnswer<session::RerunDocument>;
template struct detail::RegisteredAnswer<session::Reproducer>;

namespace {

constexpr std::size_t histogramRows = 10;
constexpr std::size_t widestBar = 40;

std::string nanosecondsText(double nanoseconds) {
    // Times of kernels differ in the third digit, which durationText leaves out below a millisecond.
    if (nanoseconds >= 1e6) {
        return durationText(std::llround(nanoseconds));
    }
    const bool isShort = nanoseconds < 1e3;
    return isShort ? base::formatted("%.0f ns", nanoseconds) : base::formatted("%.2f µs", nanoseconds / 1e3);
}

std::string percentText(double share) {
    return base::formatted("%.0f %%", 100 * share);
}

std::string sizesText(const std::vector<std::int64_t>& sizes) {
    return "[" + base::joined(sizes) + "]";
}

std::string twistText(const session::RerunChanges& changes) {
    std::vector<std::string> parts;
    if (changes.dtype) {
        parts.push_back("in " + std::string(ir::dtypeName(*changes.dtype)));
    }
    for (const auto& [symbol, value] : changes.symbols) {
        parts.push_back(symbol + " = " + std::to_string(value));
    }
    for (const auto& [input, sizes] : changes.sizes) {
        parts.push_back(input + " " + sizesText(sizes));
    }
    if (changes.device) {
        parts.push_back("moved to " + *changes.device);
    }
    if (changes.deterministic) {
        parts.emplace_back(*changes.deterministic ? "deterministic algorithms" : "any algorithms");
    }
    return base::joined(parts);
}

std::string heading(const session::RerunSnapshot& rerun, const std::string& title) {
    const session::RerunResult& result = *rerun.result;
    std::string text = textOf(
        title, ": ", base::joined(result.nodes), "\n", counted(result.samples.size(), "repetition"), " on ",
        result.device, " after ", rerun.settings.warmUp, ", ", rerun.settings.coldCache ? "cold" : "warm",
        " caches, timed by ", result.clock == session::RerunClock::CudaEvents ? "CUDA events" : "the clock",
        ", seed ", result.seed, ", ", result.backend);
    const std::string changes = twistText(rerun.settings.changes);
    return text + (changes.empty() ? "" : "; " + changes) + "\n";
}

std::string histogramText(const session::RerunTimes& times) {
    std::array<std::uint64_t, histogramRows> rows{};
    const std::vector<std::uint64_t>& counts = times.histogram.counts;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        rows[i * histogramRows / counts.size()] += counts[i];
    }
    const std::uint64_t most = *std::ranges::max_element(rows);
    const double width = (times.histogram.to - times.histogram.from) / histogramRows;
    Table table({numbers("from"), numbers("repetitions"), ""});
    for (std::size_t i = 0; i < histogramRows; ++i) {
        std::string bar;
        for (std::size_t k = 0; most > 0 && k < (rows[i] * widestBar + most - 1) / most; ++k) {
            bar += "█";
        }
        table.add({nanosecondsText(times.histogram.from + width * static_cast<double>(i)), rows[i], bar});
    }
    if (times.beyond > 0) {
        table.add({"over " + nanosecondsText(times.histogram.to), times.beyond, ""});
    }
    return table.text();
}

std::string timesText(const session::RerunTimes& times) {
    return "min " + nanosecondsText(times.minimum) + ", median " + nanosecondsText(times.median) + ", p95 " +
           nanosecondsText(times.p95) + ", mean " + nanosecondsText(times.mean) + "\n";
}

std::string rateText(std::optional<double> rate, double limit, const std::string& unit) {
    if (!rate) {
        return {};
    }
    return base::formatted(" at %.3g G%s/s", *rate / 1e9, unit.c_str()) +
           (limit > 0 ? " (" + percentText(*rate / limit) + " of what is possible)" : std::string());
}

std::string costText(const session::RerunResult& result) {
    if (!result.cost) {
        return {};
    }
    const session::DeviceLimits limits = result.limits.value_or(session::DeviceLimits());
    std::string text = "moves " + bytesText(result.cost->bytes) +
                       rateText(result.bytesPerSecond(), limits.bytesPerSecond, "B");
    if (result.cost->flops > 0) {
        text += ", computes " + numberText(static_cast<double>(result.cost->flops)) + " flops" +
                rateText(result.flopsPerSecond(), limits.flopsPerSecond, "flop");
    }
    if (!result.cost->unknown.empty()) {
        text += "; without a formula: " + base::joined(result.cost->unknown);
    }
    return text +
           (limits.device.empty() ? "" : "\nwhat is possible: " + limits.device + ", " + limits.origin) +
           "\n";
}

std::string differenceText(const std::optional<session::ValueDifference>& difference) {
    if (!difference) {
        return {};
    }
    if (!difference->incomparable.empty()) {
        return difference->incomparable;
    }
    if (difference->max == 0) {
        return "equal";
    }
    return "max " + numberText(difference->max) + ", mean " + numberText(difference->mean) + ", relative " +
           numberText(difference->relative) + " at " + sizesText(difference->worstIndex);
}

void addValues(Table& table, const std::string& role, const std::vector<session::RerunValue>& values) {
    for (const session::RerunValue& value : values) {
        table.add({role, value.node + (value.output > 0 ? "." + std::to_string(value.output) : ""),
                   value.summary.dtype + sizesText(value.summary.shape), bytesText(value.summary.bytes),
                   numberText(value.summary.minimum), numberText(value.summary.mean),
                   numberText(value.summary.maximum), differenceText(value.fromRun),
                   differenceText(value.fromBaseline)});
    }
}

std::string baselineText(const session::RerunSnapshot& rerun, const std::string& name) {
    const auto before = rerun.baseline ? session::rerunTimes(rerun.baseline->samples, 1) : std::nullopt;
    const auto now = session::rerunTimes(rerun.result->samples, 1);
    if (!before || !now || before->median <= 0) {
        return {};
    }
    return "baseline " + name + ": min " + nanosecondsText(before->minimum) + ", median " +
           nanosecondsText(before->median) + ", p95 " + nanosecondsText(before->p95) +
           "; the median is now " + percentText(now->median / before->median) + " of that\n";
}

std::string buildText(const session::RerunBuild& build) {
    std::string text = "compiled in " + nanosecondsText(build.seconds * 1e9) + " by " + build.compiler + "\n";
    for (const kernels::CompileMessage& message : build.messages) {
        const bool isError = message.severity == kernels::CompileMessage::Severity::Error;
        const std::string place =
            message.line == 0 ? std::string() : "line " + std::to_string(message.line) + ": ";
        text += place + (isError ? "error: " : "warning: ") + message.text + "\n";
    }
    return text;
}

} // namespace

std::string rerunText(const session::RerunSnapshot& rerun, const std::string& title,
                      const std::string& baselineName) {
    const session::RerunResult& result = *rerun.result;
    std::string text = heading(rerun, title);
    if (result.build) {
        text += buildText(*result.build);
    }
    if (const auto times = session::rerunTimes(result.samples)) {
        text += timesText(*times) + baselineText(rerun, baselineName);
        text += "loop overhead " + nanosecondsText(result.overheadNanoseconds) +
                " per repetition (not subtracted)\n";
        text += costText(result) + "\n" + histogramText(*times) + "\n";
    }
    if (!result.restored.empty()) {
        text += "restored before each repetition: " + base::joined(result.restored) + "\n\n";
    }
    Table table({"", "node", "type", numbers("bytes"), numbers("min"), numbers("mean"), numbers("max"),
                 "beside the run", "beside the baseline"});
    addValues(table, "in", result.inputs);
    addValues(table, "out", result.outputs);
    return text + table.text();
}

} // namespace aotscope::cli
