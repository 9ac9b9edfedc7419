// Many programs called through their wrappers beside eager: a call differs from eager only where PyTorch's
// own compiled call does.
#include "run_support.h"

#include "app/expected_table.h"
#include "support/test_part.h"

#include "files/retrace_targets.h"
#include "judge/recorded_calls.h"
#include "session/session.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

/// By program the values of which compiled and eager call differ in that release of PyTorch ("gradient 1"),
/// as make_call_differences.py recorded it.
using DifferingValues = std::map<std::string, std::set<std::string>>;

DifferingValues differingInTorch(const std::string& release, const std::string& pack) {
    DifferingValues programs;
    for (const auto& row : rowsOf(goldenFolder() / "call_differences.tsv")) {
        if (row.size() > 4 && row[0] == release && row[1] == pack) {
            programs[row[2]].insert(row[4]);
        }
    }
    return programs;
}

/// Programs by compile id ("5/0"), in the log's order where programs share one.
using Programs = std::map<std::string, std::vector<std::string>>;

Programs programsOf(const std::filesystem::path& expected) {
    Programs programs;
    for (const auto& row : rowsOf(expected)) {
        if (row.size() > 1 && row[0] != "compile") {
            programs[row[0].substr(0, row[0].find(' '))].push_back(row[1]);
        }
    }
    return programs;
}

/// What is not as in PyTorch, and why.
const std::map<std::string, std::string>& knownPrograms() {
    static const std::map<std::string, std::string> known = {
        {"cr_index_fill_in_another_layout",
         "not told by the file: AOTAutograd 2.11 refuses what its own decomposition writes to"},
        {"cr_index_fill_of_expanded",
         "not told by the file: AOTAutograd 2.11 refuses what its own decomposition writes to"},
        {"numbers_past_64_bits", "refused: a number past 64 bits"},
        {"un_sorting_zoo", "differs on inputs with ties, as the quantile of PyTorch's compiled call does"},
        {"synthetic_base_views", "not told by the file: which inputs lie in one memory"},
    };
    return known;
}

/// Programs whose numbers are more than 1e-5 apart in PyTorch by roundings alone: the gradient of a bias
/// before a normalization is a sum that cancels. Here what roundings make of it is measured.
const std::set<std::string>& roundingInTorch() {
    static const std::set<std::string> programs = {
        "fm_conv3d_instance_norm_stats",
        "fm_conv_bn_called_twice",
        "fm_dyn_batch_norm_and_losses",
        "in_batch_norm_mutates_changing_batch",
        "in_vgg_block_training",
        "wl_conv3d_video_stem",
        "linalg_more", // strides of a dimension of size 1
    };
    return programs;
}

/// Calls of 2.15's programs that LibTorch 2.11 cannot make.
const std::set<std::string>& beyondLibTorch211() {
    static const std::set<std::string> programs = {
        "ad_twice",                  // no aten.shallow_copy_data_
        "ad_under_no_grad_and_back", // the same
        "bucketize",                 // quantile compares tensors without data
        "un_sorting_zoo",            // the same
        "e_linalg_dyn",              // numel() of symbolic sizes
        "no_power_of_zero",          // equality of symbolic numbers
        "reductions",                // no derivative of aminmax
    };
    return programs;
}

/// Programs of 2.11 whose eager mode in LibTorch 2.15 is not that of 2.11, by whose rules they are compiled.
const std::set<std::string>& beyondLibTorch215() {
    static const std::set<std::string> programs = {
        "conv_channels_last",               // NativeGroupNormBackward0 saves more
        "un_qat_linear_fake_quant_written", // a value clamped at its bound gets no gradient
    };
    return programs;
}

bool mayDiffer(const std::string& program) {
    return knownPrograms().contains(program) ||
           (std::string_view(AOTSCOPE_LIBTORCH_RELEASE) == "2.11" ? beyondLibTorch211() : beyondLibTorch215())
               .contains(program);
}

/// What cannot be called is refused by name: the words for what it is, or empty.
std::string refusal(const std::string& message) {
    constexpr std::array<std::string_view, 5> kinds = {"the custom operator ", "the higher-order operator ",
                                                       "effect tokens ", "tensor subclasses ",
                                                       "there is no Dynamo graph to start from"};
    const auto kind = std::ranges::find_if(
        kinds, [&](std::string_view each) { return message.find(each) != std::string::npos; });
    return kind == kinds.end() ? std::string()
                               : "refused: " + std::string(*kind).substr(0, kind->find_last_not_of(' ') + 1);
}

/// Whether it is within what roundings make of it, and these move it by much: another processor may say of
/// the same value that it is equal, so no table has it.
bool isMovedByRoundings(const steps::ComparedValue& value) {
    return value.agrees && value.structure.empty() &&
           value.notComparable.starts_with("other roundings change eager mode's value");
}

struct CalledPack {
    std::size_t equal = 0;
    /// Programs with such values.
    std::set<std::string> movedByRoundings;
    /// The program and the reason, one for each call.
    std::vector<std::pair<std::string, std::string>> refused;
    /// Programs that fail in eager mode too.
    std::set<std::string> bothFail;
    /// Programs that differ, cannot be compared or fail: each value that does ("gradient 1"; "call" for what
    /// is no value), with what it is.
    std::map<std::string, std::map<std::string, std::string>> others;
    /// Programs whose eager call was given the random numbers that the compiled graph drew, which PyTorch's
    /// eager call is not.
    std::set<std::string> withEqualDraws;
};

bool failsAsEager(const steps::CallRecord& record) {
    return record.error && record.eager &&
           record.eager->skipped.starts_with("In eager mode the program fails too");
}

/// A value as PyTorch's table names it: "gradient 1" for "gradient of L_x_", "argument 0" for "L_x_ after the
/// call"; arguments are counted as the program has them.
std::string valueInTorch(const steps::CallRecord& record, const std::string& name) {
    constexpr std::string_view gradient = "gradient of ";
    constexpr std::string_view after = " after the call";
    for (std::size_t i = 0; i < record.arguments.size(); ++i) {
        const std::string& argument = record.arguments[i].name;
        if (name == std::string(gradient) + argument) {
            return "gradient " + std::to_string(i);
        }
        if (name == argument + std::string(after)) {
            return "argument " + std::to_string(i);
        }
    }
    return name;
}

/// What is not equal, by value; empty: the call equals eager's.
std::map<std::string, std::string> outcomesOf(const steps::CallRecord& record) {
    if (record.error) {
        return {{"call", "fails: " + record.error->message}};
    }
    if (!record.eager || !record.eager->skipped.empty()) {
        return {{"call", "not compared: " + (record.eager ? record.eager->skipped : std::string())}};
    }
    std::map<std::string, std::string> values;
    for (const steps::ComparedValue& value : record.eager->values) {
        if (value.word() != base::VerdictWord::Equal && !isMovedByRoundings(value)) {
            values[valueInTorch(record, value.name)] =
                (value.agrees ? "not comparable: " : "") + steps::comparedValueText(value);
        }
    }
    return values;
}

/// Calls every function of a file; `programs` name its functions, or all are of the program `name`.
void callAll(const std::filesystem::path& path, const Programs& programs, const std::string& name,
             CalledPack& pack) {
    std::map<std::string, std::size_t> seen;
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
        const auto calls = judge::readRecordedCalls(path, target.name);
        const auto joint = target.logged ? session.graph(*target.logged)
                                         : base::Result<session::GraphSnapshotPtr>(base::Error{});
        if (!log->traceLog() && calls && joint && (*joint)->graph) {
            if (auto recorded = judge::recordedArguments(*calls, *(*joint)->graph)) {
                command.call.inputs = std::move(recorded->inputs);
                command.call.seed = recorded->seed.value_or(0);
            }
        }
        const auto called = [&] {
            session::CallSnapshotPtr ended;
            session.execute(command, [&](const session::EventBody& body) {
                if (const auto* snapshot = std::get_if<session::CallSnapshotPtr>(&body)) {
                    ended = *snapshot;
                }
            });
            REQUIRE(ended);
            return ended;
        };
        const session::CallSnapshotPtr call = called();
        const bool isMoved =
            call->record->eager && std::ranges::any_of(call->record->eager->values, isMovedByRoundings);
        const std::map<std::string, std::string> outcomes = outcomesOf(*call->record);
        // Repeated ids have their number: "0/0 (2nd)".
        const std::string id = target.name.substr(0, target.name.find(" ("));
        const auto program = programs.find(id);
        const std::size_t place = seen[id]++;
        const auto nameOf = [&]() -> const std::string& {
            if (program == programs.end()) {
                return name;
            }
            const std::vector<std::string>& names = program->second;
            return names[names.size() == 1 ? 0 : std::min(place, names.size() - 1)];
        };
        if (std::ranges::any_of(call->record->notes, [](const std::string& note) {
                return note.starts_with("Eager mode drew the random numbers");
            })) {
            pack.withEqualDraws.insert(nameOf());
        }
        if (isMoved) {
            pack.movedByRoundings.insert(nameOf());
        }
        const auto refused = outcomes.find("call");
        if (outcomes.empty()) {
            ++pack.equal;
        } else if (const std::string why = refused == outcomes.end() ? "" : refusal(refused->second);
                   !why.empty()) {
            pack.refused.emplace_back(nameOf(), why);
        } else if (failsAsEager(*call->record)) {
            pack.bothFail.insert(nameOf());
        } else {
            pack.others[nameOf()].insert(outcomes.begin(), outcomes.end());
        }
    }
}

/// Why a value of a program may differ; empty: it must not.
std::string reasonToDiffer(const std::string& program, const std::string& value, const std::string& outcome,
                           const DifferingValues& inTorch) {
    if (outcome.starts_with("not comparable: ")) {
        return outcome.find("random: ") != std::string::npos ? "not comparable: random"
               : outcome.find("one of several views") != std::string::npos
                   ? "not comparable: one of several views"
                   : "not comparable: rounding decides it";
    }
    if (const auto theirs = inTorch.find(program); theirs != inTorch.end()) {
        // Where PyTorch's call fails as a whole, or only later, its values are not told.
        const std::set<std::string>& values = theirs->second;
        const bool fails =
            values.contains("call") || values.contains("compile") || values.contains("backward");
        if (values.contains(value) || (fails && (value == "call" || value.starts_with("gradient")))) {
            return "differs, as PyTorch's compiled call does";
        }
    }
    if (const auto known = knownPrograms().find(program); known != knownPrograms().end()) {
        return known->second;
    }
    return mayDiffer(program) ? "differs, made by another release's LibTorch" : "";
}

/// The rows of a pack: how many calls equal eager, and each value that does not.
std::vector<std::string> rowsOf(const std::string& name, const CalledPack& pack,
                                const DifferingValues& inTorch) {
    std::vector<std::string> rows = {name + "\t" + std::to_string(pack.equal) +
                                     " calls\t-\tequal eager, or only roundings apart"};
    const auto add = [&](const std::string& program, const std::string& value, const std::string& what) {
        rows.push_back(name + '\t' + program + '\t' + value + '\t' + what);
    };
    for (const auto& [program, why] : pack.refused) {
        add(program, "call", why);
    }
    for (const std::string& program : pack.bothFail) {
        add(program, "call", "fails, as eager does");
    }
    for (const auto& [program, values] : pack.others) {
        for (const auto& [value, outcome] : values) {
            add(program, value, reasonToDiffer(program, value, outcome, inTorch));
        }
    }
    return rows;
}

/// Every value that is not equal has a reason.
void checkReasons(const CalledPack& pack, const DifferingValues& inTorch) {
    for (const auto& [program, values] : pack.others) {
        for (const auto& [value, outcome] : values) {
            CHECK_MESSAGE(!reasonToDiffer(program, value, outcome, inTorch).empty(), program, ": ", value,
                          ": ", outcome);
        }
    }
}

/// The table has one verdict for each call with the LibTorch that it names. Another one's verdicts are not
/// written down: there only what may differ is checked.
void checkCallsTable(const std::filesystem::path& folder, const std::vector<std::string>& rows,
                     const std::set<std::string>& ofOtherParts = {}) {
    const std::filesystem::path table = test::tableWithThisLibTorch(folder / "calls.expected.tsv");
    if (std::filesystem::exists(table) || std::getenv("AOTSCOPE_WRITE_EXPECTED") != nullptr) {
        test::checkTable(folder / "calls.expected.tsv", rows, [&](const std::string& line) {
            return !ofOtherParts.contains(line.substr(0, line.find('\t')));
        });
    } else {
        MESSAGE("There is no table of calls for LibTorch " AOTSCOPE_LIBTORCH_RELEASE ".");
    }
}

/// In the order of their names.
std::vector<std::filesystem::path> filesOf(const std::string& folder, std::string_view ending) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(goldenFolder() / folder)) {
        if (entry.path().filename().string().ends_with(ending)) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);
    return files;
}

void checkPacks(const std::string& folder, const std::string& release) {
    std::vector<std::string> rows = {"pack\tprogram\tvalue\tverdict"};
    std::set<std::string> ofOtherParts;
    std::size_t number = 0;
    for (const std::filesystem::path& path : filesOf(folder, ".log.xz")) {
        const std::string file = path.filename().string();
        const std::string name = file.substr(0, file.find('.'));
        CAPTURE(name);
        if (!test::isInThisPart(number++)) {
            ofOtherParts.insert(name);
            continue;
        }
        const Programs programs = programsOf(path.parent_path() / (name + ".expected.tsv"));
        const DifferingValues theirs = differingInTorch(release, name.substr(0, name.find("_held_back")));
        CalledPack pack;
        callAll(path, programs, {}, pack);
        std::ranges::move(rowsOf(name, pack, theirs), std::back_inserter(rows));
        checkReasons(pack, theirs);
        for (const auto& [id, names] : programs) {
            for (const std::string& program : names) {
                CHECK_MESSAGE((!theirs.contains(program) || pack.others.contains(program) ||
                               pack.bothFail.contains(program) || pack.withEqualDraws.contains(program) ||
                               pack.movedByRoundings.contains(program) ||
                               roundingInTorch().contains(program) || mayDiffer(program)),
                              program, " differs in PyTorch and not here");
            }
        }
    }
    checkCallsTable(goldenFolder() / folder, rows, ofOtherParts);
}

} // namespace

TEST_CASE("calls of packs of torch 2.11 differ from eager only where PyTorch's compiled calls do") {
    checkPacks("packs", "2.11");
}

TEST_CASE("calls of packs of torch 2.15 differ from eager only where PyTorch's compiled calls do") {
    checkPacks("packs-2.15", "2.15");
}

TEST_CASE("golden programs of torch 2.15 and of features equal eager on PyTorch's own inputs") {
    // Made by make_recorded_calls.py, with the tensors of PyTorch's call.
    if (!test::isInThisPart(0)) {
        CHECK(std::filesystem::exists(goldenFolder() / "goldens-2.15"));
        return;
    }
    CalledPack pack;
    for (const char* folder : {"goldens-2.15", "recorded_calls"}) {
        for (const std::filesystem::path& path : filesOf(folder, ".json.xz")) {
            const std::string file = path.filename().string();
            callAll(path, {}, file.substr(0, file.find('.')), pack);
        }
    }
    std::vector<std::string> rows = {"pack\tprogram\tvalue\tverdict"};
    std::ranges::move(rowsOf("golden programs", pack, {}), std::back_inserter(rows));
    checkCallsTable(goldenFolder() / "goldens-2.15", rows);
    checkReasons(pack, {});
}
