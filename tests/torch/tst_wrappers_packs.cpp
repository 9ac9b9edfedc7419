// Many programs called through their wrappers beside eager: a call differs from eager only where PyTorch's
// own compiled call does.
#include "run_support.h"

#include "session/recorded_calls.h"
#include "session/session.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace aotscope;

namespace {

std::filesystem::path goldenFolder() {
    return std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden";
}

std::vector<std::vector<std::string>> rowsOf(const std::filesystem::path& table) {
    std::ifstream file(table);
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(file, line);) {
        std::vector<std::string>& cells = rows.emplace_back();
        std::istringstream cut(line);
        for (std::string cell; std::getline(cut, cell, '\t');) {
            cells.push_back(cell);
        }
    }
    return rows;
}

/// Programs whose compiled call differs from their eager call in that release of PyTorch, as
/// make_call_differences.py recorded it.
std::set<std::string> differingInTorch(const std::string& release) {
    std::set<std::string> programs;
    for (const auto& row : rowsOf(goldenFolder() / "call_differences.tsv")) {
        if (row.size() > 1 && row[0] == release) {
            programs.insert(row[1]);
        }
    }
    return programs;
}

/// Programs by compile id ("5/0").
std::map<std::string, std::string> programsOf(const std::filesystem::path& expected) {
    std::map<std::string, std::string> programs;
    for (const auto& row : rowsOf(expected)) {
        if (row.size() > 1) {
            programs[row[0].substr(0, row[0].find(' '))] = row[1];
        }
    }
    return programs;
}

constexpr const char* lossyHooks =
    "eager is called without the program's saved-tensors hooks, which keep less than the tensor";

/// What is not as in PyTorch, and why.
const std::map<std::string, std::string>& knownPrograms() {
    static const std::map<std::string, std::string> known = {
        {"wl_joining_and_cutting", "a part that torch.split cut off an input is no view of it for autograd"},
        {"rl_item_scaled_rows", "the made-up input does not hold the program's torch._check"},
        {"cs_item_cuts_rows", "the made-up input does not hold the program's torch._check"},
        {"cs_items_reshape", "the made-up inputs do not hold the program's assertion"},
        {"fm_hooks_int8_pack", lossyHooks},
        {"fm_hooks_bf16_dynamic", lossyHooks},
        {"hooks_fp8_mlp", lossyHooks},
        {"hooks_fp8_scale_all", lossyHooks},
        {"hooks_sym_dynamic", lossyHooks},
        {"cs_inplace_as_strided", "eager's as_strided_ with symbolic sizes is not supported by name"},
    };
    return known;
}

/// What cannot be called is refused by name.
bool isRefusedByName(const std::string& message) {
    constexpr std::array<std::string_view, 4> kinds = {"the custom operator ", "the higher-order operator ",
                                                       "effect tokens ", "tensor subclasses "};
    return std::ranges::any_of(
        kinds, [&](std::string_view kind) { return message.find(kind) != std::string::npos; });
}

struct CalledPack {
    int equal = 0;
    int refused = 0;
    /// Programs that differ, cannot be compared or fail.
    std::map<std::string, std::string> others;
};

std::string outcomeOf(const steps::CallRecord& record) {
    if (record.error) {
        return "fails: " + record.error->message;
    }
    if (!record.eager || !record.eager->skipped.empty()) {
        return "not compared: " + (record.eager ? record.eager->skipped : std::string());
    }
    for (const steps::ComparedValue& value : record.eager->values) {
        if (!value.agrees) {
            return value.name + ": " + value.structure + " " +
                   std::to_string(value.relativeError.value_or(0));
        }
    }
    return {};
}

/// Calls every function of a file; `programs` name its functions, or all are of the program `name`.
void callAll(const std::filesystem::path& path, const std::map<std::string, std::string>& programs,
             const std::string& name, CalledPack& pack) {
    session::Session session(app::torchBackendFactory());
    session::LogSnapshotPtr log;
    session.execute(session::OpenLogs{{path}}, [&](const session::EventBody& body) {
        if (const auto* opened = std::get_if<session::LogSnapshotPtr>(&body); opened && (*opened)->complete) {
            log = *opened;
        }
    });
    REQUIRE(log);
    for (const session::RetraceTarget& target : session::retraceTargets(*log)) {
        session::CallCompiled command;
        command.log = log->log;
        command.target = target;
        const auto calls = session::readRecordedCalls(path, target.name);
        const auto joint = target.logged ? session.graph(*target.logged)
                                         : base::Result<session::GraphSnapshotPtr>(base::Error{});
        if (!log->traceLog && calls && joint && (*joint)->graph) {
            if (auto recorded = session::recordedArguments(*calls, *(*joint)->graph)) {
                command.call.inputs = std::move(recorded->inputs);
                command.call.seed = recorded->seed.value_or(0);
            }
        }
        session::CallSnapshotPtr call;
        session.execute(std::move(command), [&](const session::EventBody& body) {
            if (const auto* ended = std::get_if<session::CallSnapshotPtr>(&body)) {
                call = *ended;
            }
        });
        REQUIRE(call);
        const std::string outcome = outcomeOf(*call->record);
        const auto program = programs.find(target.name);
        if (outcome.empty()) {
            ++pack.equal;
        } else if (isRefusedByName(outcome)) {
            ++pack.refused;
        } else {
            pack.others[program == programs.end() ? name : program->second] = outcome;
        }
    }
}

} // namespace

TEST_CASE("calls of packs differ from eager where PyTorch's compiled calls do, and nowhere else") {
    struct Row {
        const char* pack;
        const char* release;
        int equal;
    };
    for (const Row& row :
         {Row{"packs/aotautograd_features", "2.11", 105}, Row{"packs/inplace_on_changing_sizes", "2.11", 134},
          Row{"packs/changing_batch_and_length", "2.11", 154}, Row{"packs/training_steps", "2.11", 101},
          Row{"packs-2.15/aotautograd_features", "2.15", 18},
          Row{"packs-2.15/aotautograd_features_held_back", "2.15", 24},
          Row{"packs-2.15/rare_metadata", "2.15", 6}, Row{"packs-2.15/training_steps", "2.15", 28},
          Row{"packs-2.15/training_steps_held_back", "2.15", 21}}) {
        const std::filesystem::path path = goldenFolder() / row.pack;
        CAPTURE(row.pack);
        const std::set<std::string> theirs = differingInTorch(row.release);
        const auto programs = programsOf(path.string() + ".expected.tsv");
        CalledPack pack;
        callAll(path.string() + ".log.xz", programs, {}, pack);
        std::cout << row.pack << ": " << pack.equal << " equal to eager, " << pack.refused
                  << " refused by name, " << pack.others.size() << " differ as in PyTorch or are known\n";
        CHECK(pack.equal >= row.equal);
        for (const auto& [program, outcome] : pack.others) {
            CHECK_MESSAGE((theirs.contains(program) || knownPrograms().contains(program)), program, ": ",
                          outcome);
        }
        for (const auto& [id, program] : programs) {
            CHECK_MESSAGE((!theirs.contains(program) || pack.others.contains(program)), program,
                          " differs in PyTorch and not here");
        }
    }
}

TEST_CASE("golden programs of torch 2.15 and of features equal eager on PyTorch's own inputs") {
    // Made by make_recorded_calls.py, with the tensors of PyTorch's call.
    CalledPack pack;
    for (const char* folder : {"goldens-2.15", "recorded_calls"}) {
        for (const auto& entry : std::filesystem::directory_iterator(goldenFolder() / folder)) {
            const std::string file = entry.path().filename().string();
            if (file.ends_with(".json.xz")) {
                callAll(entry.path(), {}, file.substr(0, file.find('.')), pack);
            }
        }
    }
    std::cout << "golden programs: " << pack.equal << " equal to eager, " << pack.refused
              << " refused by name\n";
    CHECK(pack.equal >= 45);
    for (const auto& [program, outcome] : pack.others) {
        // Inputs of several tensors in one memory, and of a nested tensor, are not told by the file.
        CHECK_MESSAGE((program == "synthetic_base_views" || program == "subclass_nested_jagged" ||
                       knownPrograms().contains(program)),
                      program, ": ", outcome);
    }
}
