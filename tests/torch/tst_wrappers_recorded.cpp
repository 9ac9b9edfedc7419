// Programs called through their wrappers on PyTorch's own inputs and tangents: what a caller sees is what
// PyTorch's compiled halves returned. Unlike eager, these have the program's saved-tensors hooks inlined.
#include "recorded_wrapper_call.h"
#include "run_support.h"

#include "app/expected_table.h"
#include "support/corpus_case.h"
#include "support/fake_backend.h"

#include "files/retrace_targets.h"
#include "session/session.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace aotscope;

namespace {

/// Hooks that are Python functions are called at run time. No record has them, so they are written again
/// here, after programs/saved_tensors_hooks.py.
const std::map<std::string, std::string>& pythonHooks() {
    const auto through = [](const std::string& dtype) {
        return "class pack(torch.nn.Module):\n    def forward(self, x):\n        to = x.to(" + dtype +
               ")\n        return to\n\nclass unpack(torch.nn.Module):\n    def forward(self, packed):\n"
               "        to = packed.to(torch.float32)\n        return to\n";
    };
    static const std::map<std::string, std::string> hooks = {
        {"sth_no_graphs", through("torch.bfloat16")},
        {"sth_one_is_no_graph", through("torch.float16")},
    };
    return hooks;
}

/// Compiles with LibTorch and makes each call as PyTorch's was recorded.
class RecordedProgram {
public:
    explicit RecordedProgram(std::filesystem::path file) : m_file(std::move(file)), m_session(factory()) {
        m_session.execute(session::OpenLogs{{m_file}}, [&](const session::EventBody& body) {
            if (const auto* opened = std::get_if<session::LogSnapshotPtr>(&body)) {
                m_log = (*opened)->complete ? *opened : m_log;
            }
        });
        REQUIRE(m_log);
    }

    /// A row for each call: the program, the call, how many outputs, written arguments, saved tensors and
    /// gradients are equal, and what is not.
    [[nodiscard]] std::vector<std::string> rows() {
        std::vector<std::string> rows;
        for (const session::RetraceTarget& target : session::retraceTargets(*m_log)) {
            const auto recorded = judge::readRecordedCalls(m_file, target.name);
            REQUIRE_MESSAGE(recorded.ok(), recorded.error().text());
            m_recorded = *recorded;
            for (const char* partitioner : {"default", "min_cut"}) {
                rows.push_back(program() + '\t' + target.name + ' ' + partitioner + '\t' +
                               rowOf(target, partitioner));
            }
        }
        return rows;
    }

private:
    session::BackendFactory factory() {
        auto control = std::make_shared<test::FakeBackendControl>();
        control->onRetrace = [](const aot::RetraceRequest& request, const session::TracePauses& pauses,
                                base::Progress& progress) {
            return test::backend().answer(session::RetraceCall{request, pauses}, progress);
        };
        control->onCall = [this](const session::CallRequest& request, const steps::StepPauses&,
                                 base::Progress&) {
            m_saw = test::callAsRecorded(request, *m_forward, m_backward);
            return base::Result<steps::CallRecord>(steps::CallRecord());
        };
        return test::fakeBackendFactory(std::move(control));
    }

    [[nodiscard]] std::string program() const {
        const std::string file = m_file.filename().string();
        return file.substr(0, file.find(".json"));
    }

    [[nodiscard]] const judge::RecordedCall* recordedHalf(const std::string& partitioner,
                                                          std::initializer_list<std::string> halves) const {
        const auto found = std::ranges::find_if(m_recorded, [&](const judge::RecordedCall& call) {
            return call.partitioner == partitioner && std::ranges::count(halves, call.half) > 0;
        });
        return found == m_recorded.end() ? nullptr : &*found;
    }

    std::string rowOf(const session::RetraceTarget& target, const std::string& partitioner) {
        m_forward = recordedHalf(partitioner, {"fw", "inf"});
        m_backward = recordedHalf(partitioner, {"bw"});
        if (m_forward == nullptr) {
            return "0\t0\t0\t0\tPyTorch's call is not in the file";
        }
        session::CallCompiled command;
        command.log = m_log->log;
        command.target = target;
        command.choices.partitioner =
            partitioner == "default" ? passes::Partitioner::Default : passes::Partitioner::MinCut;
        if (const auto hooks = pythonHooks().find(program()); hooks != pythonHooks().end()) {
            command.call.runTimeHooks = hooks->second;
        }
        m_saw.reset();
        session::CallSnapshotPtr ended;
        m_session.execute(command, [&](const session::EventBody& body) {
            if (const auto* snapshot = std::get_if<session::CallSnapshotPtr>(&body)) {
                ended = *snapshot;
            }
        });
        REQUIRE(ended);
        if (!m_saw) {
            return "0\t0\t0\t0\t" + test::firstLine(ended->record->error.value().message);
        }
        const std::string apart = whyApart(*ended);
        return std::to_string(m_saw->outputs) + '\t' + std::to_string(m_saw->writtenArguments) + '\t' +
               std::to_string(m_saw->saved) + '\t' + std::to_string(m_saw->gradients) + '\t' +
               (apart.empty() ? "-" : apart);
    }

    /// What differs, and the reason if hooks could not be inlined.
    [[nodiscard]] std::string whyApart(const session::CallSnapshot& call) const {
        std::string why;
        for (const std::string& line : m_saw->apart) {
            why += (why.empty() ? "" : "; ") + line;
        }
        for (const std::string& note : call.retraced->notes) {
            if (note.starts_with("The program's saved-tensors hooks were not inlined")) {
                why += (why.empty() ? "" : "; ") + note.substr(note.find(": ") + 2);
            }
        }
        return why;
    }

    std::filesystem::path m_file;
    session::Session m_session;
    session::LogSnapshotPtr m_log;
    std::vector<judge::RecordedCall> m_recorded;
    const judge::RecordedCall* m_forward = nullptr;
    const judge::RecordedCall* m_backward = nullptr;
    std::optional<test::CallerSaw> m_saw;
};

/// Checks the table of all calls of the golden files whose name starts with `prefix`.
void checkCalls(const std::filesystem::path& folder, const std::string& prefix,
                const std::filesystem::path& table) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(prefix) && (name.ends_with(".json") || name.ends_with(".json.xz"))) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    std::vector<std::string> rows = {
        "program\tcall\toutputs\twritten arguments\tsaved\tgradients\tnot equal"};
    for (const std::filesystem::path& file : files) {
        CAPTURE(file);
        std::ranges::move(RecordedProgram(file).rows(), std::back_inserter(rows));
    }
    test::checkTable(table, rows);
}

const std::filesystem::path goldenFolder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden";

} // namespace

TEST_CASE("through the wrappers hook programs give the outputs and gradients of PyTorch's compiled calls") {
    checkCalls(goldenFolder / "saved_tensors_hooks", "",
               goldenFolder / "saved_tensors_hooks" / "calls_through_wrappers.tsv");
}

TEST_CASE("so do golden programs without hooks") {
    checkCalls(goldenFolder / "goldens-2.15", "",
               goldenFolder / "goldens-2.15" / "calls_through_wrappers.tsv");
    checkCalls(goldenFolder / "recorded_calls", "",
               goldenFolder / "recorded_calls" / "calls_through_wrappers.tsv");
}

TEST_CASE("so do the corpus's hook programs" * test::needsCorpus()) {
    checkCalls(test::corpusDir() / "golden", "hooks_", goldenFolder / "corpus.calls_through_wrappers.tsv");
}
