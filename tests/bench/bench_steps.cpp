// Going back in time over training steps: how long a jump takes from the answer to the pause where it ends. A
// made-up program and the largest of the corpus's logs of about 2,000 nodes; the jumps are over the last of
// three steps with an optimizer, and to places all over it. The bar: under a second, with the usual bound of
// memory.
#include "largest_program.h"
#include "support/corpus.h"
#include "torch_module.h"

#include "aot/compile.h"
#include "ir/text/parser.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace aotscope;
using bench::orStop;

constexpr double bar = 1;
constexpr std::size_t calls = 3;
/// The usual bound of what is kept for going back, and one that all checkpoints do not fit in.
constexpr std::int64_t limits[] = {std::int64_t{1} << 30, std::int64_t{1} << 24};
/// Jumps to places within the step.
constexpr std::size_t places = 24;

/// Layers of x = x + relu(x @ w): 2,000 nodes of forward and backward with 180 of them.
aot::RetraceRequest madeUp(std::size_t layers) {
    std::string parameters = "x: \"f32[64, 64][64, 1]cpu\"";
    std::string body;
    std::string last = "x";
    for (std::size_t i = 0; i < layers; ++i) {
        const std::string n = std::to_string(i);
        parameters += ", w" + n + ": \"f32[64, 64][64, 1]cpu\"";
        body += "        product_" + n + " = " + last + " @ w" + n + "\n        active_" + n +
                " = torch.nn.functional.relu(product_" + n + ")\n        sum_" + n + " = " + last +
                " + active_" + n + "\n";
        last = "sum_" + n;
    }
    aot::RetraceRequest request;
    request.torch = aot::TorchVersion{2, 15};
    request.program =
        orStop(ir::parseGraphText("class GraphModule(torch.nn.Module):\n    def forward(self, " + parameters +
                                  "):\n" + body + "        return (" + last + ",)\n"));
    request.inputs.resize(layers + 1);
    for (aot::RetraceInput& input : request.inputs) {
        input.requiresGrad = &input != &request.inputs.front();
    }
    return request;
}

struct Measured {
    std::string name;
    std::size_t stepEvents = 0;
    std::int64_t limit = 0;
    double wholeStepSeconds = 0;
    double medianSeconds = 0;
    double worstSeconds = 0;
    double forwardSeconds = 0;
    std::int64_t keptBytes = 0;
};

/// Goes to the end, back over the last step, and between the end and places in it.
class Jumper {
public:
    steps::StepAnswer answer(const steps::StepPause& pause) {
        using Kind = steps::StepAnswer::Kind;
        const auto now = std::chrono::steady_clock::now();
        const double took = std::chrono::duration<double>(now - m_answered).count();
        const auto& events = pause.record->events;
        if (m_jumps == 0 && pause.next == 0) {
            m_answered = std::chrono::steady_clock::now();
            return {Kind::Resume};
        }
        const std::size_t end = events.size();
        const auto first = static_cast<std::size_t>(
            std::ranges::find(events, calls - 1, &steps::CallEvent::call) - events.begin());
        if (pause.next != end) {
            if (m_jumps == 1) {
                m_measured.wholeStepSeconds = took;
            }
            m_back.push_back(took);
        } else if (m_jumps == 0) {
            m_measured.forwardSeconds = took;
            m_measured.stepEvents = end - first;
        }
        m_measured.keptBytes = std::max(m_measured.keptBytes, pause.checkpointBytes);
        steps::StepAnswer next{Kind::Resume};
        if (pause.next != end) {
            next = {Kind::RunTo, end};
        } else if (m_jumps <= places) {
            next = {Kind::RunTo, first + m_jumps * (end - first) / (places + 1)};
            ++m_jumps;
        }
        m_answered = std::chrono::steady_clock::now();
        return next;
    }

    [[nodiscard]] Measured measured() {
        std::ranges::sort(m_back);
        m_measured.medianSeconds = m_back[m_back.size() / 2];
        m_measured.worstSeconds = m_back.back();
        return m_measured;
    }

private:
    std::chrono::steady_clock::time_point m_answered = std::chrono::steady_clock::now();
    std::size_t m_jumps = 0;
    std::vector<double> m_back;
    Measured m_measured;
};

Measured measure(session::Backend& backend, const std::string& name, const session::CallRequest& request,
                 std::int64_t limit) {
    Jumper jumper;
    steps::StepPauses pauses;
    pauses.atStart = true;
    pauses.atEnd = true;
    pauses.checkpointLimit = limit;
    pauses.onPause = [&](const steps::StepPause& pause) { return jumper.answer(pause); };
    const steps::CallRecord record = orStop(backend.answer(session::FunctionCall{request, pauses}));
    if (record.error) {
        bench::stop(*record.error);
    }
    Measured measured = jumper.measured();
    measured.name = name;
    measured.limit = limit;
    return measured;
}

session::CallRequest compiled(session::Backend& backend, aot::RetraceRequest program) {
    session::CallRequest request;
    request.request = std::move(program);
    const aot::CompiledFunction traced =
        orStop(backend.answer(session::RetraceCall{request.request})).function;
    request.function = orStop(aot::compile(traced, aot::ownChoices(traced)));
    request.options.calls = calls;
    request.options.learningRate = 0.01;
    request.options.compareWithEager = false;
    return request;
}

std::string jsonOf(const std::vector<Measured>& rows) {
    std::string out = "{\"benchmark\": \"steps\", \"bar_seconds\": " + std::to_string(bar) + ", \"rows\": [";
    for (const Measured& row : rows) {
        out += (out.back() == '[' ? "" : ", ");
        out += "{\"name\": \"" + row.name + "\", \"step_events\": " + std::to_string(row.stepEvents) +
               ", \"limit_bytes\": " + std::to_string(row.limit) +
               ", \"kept_bytes\": " + std::to_string(row.keptBytes) +
               ", \"forward_seconds\": " + std::to_string(row.forwardSeconds) +
               ", \"whole_step_seconds\": " + std::to_string(row.wholeStepSeconds) +
               ", \"median_seconds\": " + std::to_string(row.medianSeconds) +
               ", \"worst_seconds\": " + std::to_string(row.worstSeconds) + "}";
    }
    return out + "]}\n";
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::unique_ptr<session::Backend> backend = orStop(app::torchBackendFactory()());
    const std::filesystem::path log =
        test::corpusDir() / "traces-2.15/gpt2_12l/dedicated_log_torch_trace_gpt2_12l.log.xz";
    std::vector<std::pair<std::string, aot::RetraceRequest>> programs{{"180 layers", madeUp(180)}};
    if (std::filesystem::exists(log)) {
        programs.emplace_back("gpt2_12l", bench::largestProgram(log));
    }
    std::vector<Measured> rows;
    std::printf("%-12s %7s %9s %9s %11s %9s %9s %9s\n", "program", "events", "limit", "kept", "three steps",
                "step back", "median", "worst");
    for (auto& [name, program] : programs) {
        const session::CallRequest request = compiled(*backend, std::move(program));
        for (const std::int64_t limit : limits) {
            rows.push_back(measure(*backend, name, request, limit));
            const Measured& row = rows.back();
            std::printf("%-12s %7zu %6.0f MB %6.0f MB %9.3f s %7.3f s %7.3f s %7.3f s\n", name.c_str(),
                        row.stepEvents, double(row.limit) / 1e6, double(row.keptBytes) / 1e6,
                        row.forwardSeconds, row.wholeStepSeconds, row.medianSeconds, row.worstSeconds);
            std::fflush(stdout);
        }
    }
    if (arguments.size() == 2 && arguments[0] == "--json") {
        std::ofstream(arguments[1]) << jsonOf(rows);
    }
    const bool isReached = std::ranges::all_of(
        rows, [](const Measured& row) { return row.limit != limits[0] || row.worstSeconds < bar; });
    return isReached ? 0 : 1;
}
