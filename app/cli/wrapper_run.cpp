#include "wrapper_run.h"

#include "compile_answer.h"
#include "selection.h"

#include "judge/recorded_calls.h"

namespace aotscope::cli {

session::CallOptions withRecordedInputs(Program& program, const session::LogSnapshot& log,
                                        const session::RetraceTarget& target, session::CallOptions options) {
    if (log.traceLog() || !target.logged || !target.name.starts_with("units/")) {
        return options;
    }
    const auto calls = judge::readRecordedCalls(log.path, target.name);
    const auto joint = program.session.graph(*target.logged);
    if (!calls || !joint || !(*joint)->graph) {
        return options;
    }
    if (auto recorded = judge::recordedArguments(*calls, *(*joint)->graph)) {
        options.inputs.merge(recorded->inputs);
        options.seed = recorded->seed.value_or(options.seed);
    }
    return options;
}

namespace {

std::string shownText(const session::CallSnapshot& call, CallShown shown, bool explain) {
    switch (shown) {
    case CallShown::Events:
        return callText(call, explain);
    case CallShown::Values:
        return comparisonText(call, explain);
    case CallShown::FirstDifference:
        return firstDifferenceText(call, explain);
    }
    return {};
}

bool isGood(const session::CallSnapshot& call, CallShown shown) {
    return callAgrees(call) && (shown == CallShown::Events || isCompared(call));
}

} // namespace

int runWrappers(Program& program, const WrapperRunOptions& options) {
    const auto logs = program.open(options.files);
    bool allAgree = true;
    std::size_t called = 0;
    CallsAnswer answer;
    for (const TargetChoice& choice : selectTargets(logs, options.id)) {
        for (const session::RetraceTarget& target : choice.targets) {
            session::CallCompiled command;
            command.log = choice.log->log;
            command.target = target;
            command.options.cache = options.cache;
            command.options.config = options.config;
            command.call = withRecordedInputs(program, *choice.log, target, options.call);
            const auto snapshot = program.resultOf<session::CallSnapshotPtr>(command);
            ++called;
            const session::RetraceSnapshot& retraced = *snapshot->retraced;
            const aot::TorchVersion made = retraced.rules ? retraced.rules->release() : aot::unnamedVersion();
            allAgree = isGood(*snapshot, options.shown) && allAgree;
            if (options.json) {
                CallAnswer& function = answer.functions.emplace_back(callAnswer(*snapshot, options.shown));
                function.file = choice.log->path.filename().string();
                function.configuration = configurationAnswer(retraced.functorch, made, aot::touches::all);
            } else {
                program.console.result(choice.log->path.filename().string() + "\n" +
                                       shownText(*snapshot, options.shown, options.explain) +
                                       configurationText(retraced.functorch, made, aot::touches::all));
            }
        }
    }
    if (called == 0) {
        throw usageFailure("There is nothing to call: no Dynamo graph" +
                           (options.id.empty() ? std::string() : " of " + options.id) + ".");
    }
    if (options.json) {
        program.console.result(answerText(answer));
    }
    return allAgree ? ExitYes : ExitNo;
}

} // namespace aotscope::cli
