#include "run_support.h"

#include "files/retrace_targets.h"
#include "judge/recorded_calls.h"
#include "session/session.h"
#include "support/corpus_case.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <optional>

using namespace aotscope;
using Json = nlohmann::ordered_json;

namespace {

/// What the calls of many functions came to.
struct Totals {
    int equal = 0;
    int differ = 0;
    std::map<std::string, int> notCalled;
    double worst = 0;

    void print(const std::string& what) const {
        std::cout << what << ": " << equal << " equal to eager (largest difference " << worst << "), "
                  << differ << " differ\n";
        for (const auto& [why, count] : notCalled) {
            std::cout << "  not called, " << count << "×: " << why << "\n";
        }
    }
};

constexpr const char* hooksDiffer =
    "its saved-tensors hooks keep less than the tensor, and eager is called without them; tst_cli_goldens "
    "compares the numbers of both halves with PyTorch's";

/// Functions whose call cannot equal the program's eager run, and why.
const std::map<std::string, std::string>& knownDifferences() {
    static const std::map<std::string, std::string> known = {
        {"transformer_encoder_layer__coredecomp",
         "PyTorch decomposes flash attention's forward into one that returns the attention where its "
         "backward "
         "expects the logsumexp; the gradients are those of PyTorch's own graph"},
        {"hooks_fp8_mlp", hooksDiffer},
        {"hooks_fp8_mlp__inductor", hooksDiffer},
        {"hooks_fp8_scale_all", hooksDiffer},
        {"hooks_sym_dynamic", hooksDiffer},
    };
    return known;
}

/// Programs that are called with made-up inputs, since the recorded ones are of another compile.
bool isOfOtherInputs(const std::string& name) {
    // The golden file does not say that its inputs are views of one base; the log does.
    return name == "synthetic_base_views";
}

session::LogSnapshotPtr opened(session::Session& session, const std::filesystem::path& path) {
    session::LogSnapshotPtr found;
    session.execute(session::OpenLogs{{path}}, [&](const session::EventBody& body) {
        if (const auto* log = std::get_if<session::LogSnapshotPtr>(&body); log && (*log)->complete) {
            found = *log;
        }
    });
    return found;
}

session::CallSnapshotPtr called(session::Session& session, session::CallCompiled command) {
    session::CallSnapshotPtr found;
    session.execute(std::move(command), [&](const session::EventBody& body) {
        if (const auto* call = std::get_if<session::CallSnapshotPtr>(&body)) {
            found = *call;
        }
    });
    return found;
}

void count(const std::string& name, const session::CallSnapshot& call, Totals& totals) {
    const steps::CallRecord& record = *call.record;
    if (record.error) {
        ++totals.notCalled[name + ": " + record.error->message.substr(0, 150)];
        return;
    }
    if (!record.eager->skipped.empty()) {
        ++totals.notCalled[name + ": eager: " + record.eager->skipped.substr(0, 150)];
        return;
    }
    for (const steps::ComparedValue& value : record.eager->values) {
        totals.worst = std::max(totals.worst, value.agrees ? value.relativeError.value_or(0) : 0);
        CHECK_MESSAGE((value.agrees || knownDifferences().contains(name)),
                      name << " " << call.target.name << ": " << value.name << ": " << value.structure << " "
                           << value.relativeError.value_or(0));
    }
    ++(record.eager->agrees() ? totals.equal : totals.differ);
}

/// The losses that PyTorch recorded for the first call of a golden program.
std::optional<double> recordedLoss(const std::filesystem::path& golden) {
    const Json document = Json::parse(test::readPlainOrXz(golden), nullptr, false);
    if (!document.contains("eager") || document["eager"].empty() || document["units"].size() != 1 ||
        !document["eager"][0].contains("loss") || !document["eager"][0]["loss"].is_number()) {
        return std::nullopt;
    }
    return document["eager"][0]["loss"].get<double>();
}

} // namespace

TEST_CASE("golden programs called through their wrappers equal eager and PyTorch's recorded losses" *
          test::needsCorpus()) {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    Totals totals;
    int losses = 0;
    int otherLosses = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "golden")) {
        const std::string file = entry.path().filename().string();
        const std::string name = file.substr(0, file.find('.'));
        if (file.find(".json") == std::string::npos || (only != nullptr && name != only) ||
            !std::filesystem::exists(entry.path().parent_path() / (name + ".tensors.safetensors"))) {
            continue;
        }
        session::Session session(app::torchBackendFactory());
        const session::LogSnapshotPtr log = opened(session, entry.path());
        REQUIRE(log);
        for (const session::RetraceTarget& target : session::retraceTargets(*log)) {
            session::CallCompiled command;
            command.log = log->log;
            command.target = target;
            const auto calls = judge::readRecordedCalls(entry.path(), target.name);
            const auto joint = target.logged ? session.graph(*target.logged)
                                             : base::Result<session::GraphSnapshotPtr>(base::Error{});
            if (calls && joint && (*joint)->graph && !isOfOtherInputs(name)) {
                if (auto recorded = judge::recordedArguments(*calls, *(*joint)->graph)) {
                    command.call.inputs = std::move(recorded->inputs);
                    command.call.seed = recorded->seed.value_or(0);
                }
            }
            const session::CallSnapshotPtr call = called(session, command);
            REQUIRE(call);
            count(name, *call, totals);
            const auto loss = recordedLoss(entry.path());
            if (loss && !call->record->error && call->record->eager && !call->record->eager->losses.empty()) {
                const double ours = call->record->eager->losses.front();
                const bool same = std::abs(ours - *loss) <= 1e-5 * std::max(1.0, std::abs(*loss));
                ++(same ? losses : otherLosses);
                if (!same) {
                    std::cout << "  " << name << ": loss " << ours << ", PyTorch's " << *loss << "\n";
                }
            }
        }
    }
    totals.print("golden programs");
    std::cout << losses << " losses as PyTorch recorded them, " << otherLosses << " of another loss\n";
    if (only == nullptr) {
        CHECK(totals.equal >= 40);
        CHECK(losses >= 30);
    }
}

TEST_CASE("functions of logs called through their wrappers equal eager" * test::needsCorpus()) {
    const char* only = std::getenv("AOTSCOPE_ONLY");
    Totals totals;
    for (const auto& entry : std::filesystem::directory_iterator(test::corpusDir() / "traces")) {
        const std::string name = entry.path().filename().string();
        const std::filesystem::path trace = test::corpusTrace(name);
        if ((only != nullptr && name != only) || !std::filesystem::exists(trace) ||
            name.find("huge") != std::string::npos) {
            continue;
        }
        session::Session session(app::torchBackendFactory());
        const session::LogSnapshotPtr log = opened(session, trace);
        if (!log) {
            continue;
        }
        for (const session::RetraceTarget& target : session::retraceTargets(*log)) {
            if (!target.program) {
                continue;
            }
            session::CallCompiled command;
            command.log = log->log;
            command.target = target;
            const session::CallSnapshotPtr call = called(session, command);
            REQUIRE(call);
            count(name, *call, totals);
        }
    }
    totals.print("logged programs");
    if (only == nullptr) {
        CHECK(totals.equal >= 60);
    }
}
