// The programs of tests/golden/programs/saved_tensors_hooks.py: hooks of many kinds, inlined from Dynamo's
// records alone, against what PyTorch logged and recorded.
#include "app/cli_support.h"
#include "app/expected_table.h"
#include "support/statements.h"
#include "support/stripped_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

using namespace aotscope;
using Json = nlohmann::json;
using test::LoggedRecord;
using test::statements;

namespace {

const std::filesystem::path goldenFolder = std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden";
const std::string hooksRecord = "artifact aot_saved_tensors_hooks_graphs";

/// The graphs before hooks and those of the hooks, in the record's order.
using Sections = std::vector<std::pair<std::string, std::string>>;

Sections sectionsOf(const std::string& record) {
    Sections sections;
    std::istringstream lines(statements(record));
    bool isWanted = false;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(' ')) {
            if (isWanted) {
                sections.back().second += line + '\n';
            }
            continue;
        }
        const std::size_t colon = line.find(':');
        const std::string name = line.substr(0, colon);
        isWanted = name.ends_with("_graph_pre_saved_tensors_hooks") ||
                   name.starts_with("aot_saved_tensors_hooks_pack ") ||
                   name.starts_with("aot_saved_tensors_hooks_unpack ");
        if (isWanted) {
            sections.emplace_back(name, line.substr(colon + 1) + '\n');
        }
    }
    return sections;
}

/// The records of one compile, by key; the last of several.
using Compile = std::map<std::string, const LoggedRecord*>;

std::map<std::string, Compile> compilesOf(const std::vector<LoggedRecord>& records) {
    std::map<std::string, Compile> compiles;
    for (const LoggedRecord& record : records) {
        compiles[record.compile][record.key] = &record;
    }
    return compiles;
}

std::string firstDifference(const std::string& logged, const std::string& made) {
    std::istringstream left(logged);
    std::istringstream right(made);
    for (std::string a, b;;) {
        const bool hasLeft = static_cast<bool>(std::getline(left, a));
        const bool hasRight = static_cast<bool>(std::getline(right, b));
        if (!hasLeft && !hasRight) {
            return "";
        }
        if (!hasLeft || !hasRight || a != b) {
            return (hasLeft ? a : "(end)") + " | " + (hasRight ? b : "(end)");
        }
    }
}

std::string differenceOfHooks(const std::string& logged, const std::string& made) {
    const Sections expected = sectionsOf(logged);
    const Sections found = sectionsOf(made);
    for (std::size_t i = 0; i < std::max(expected.size(), found.size()); ++i) {
        const std::string name = i < expected.size() ? expected[i].first : "nothing";
        if (i >= expected.size() || i >= found.size() || found[i].first != name) {
            return name + " is not the graph at its place";
        }
        if (const std::string why = firstDifference(expected[i].second, found[i].second); !why.empty()) {
            return name + ": " + why;
        }
    }
    return "";
}

/// PyTorch failed after it had made the halves. Its log then does not say which backend asked for them.
bool isRefused(const Compile& logged) {
    return logged.contains("aot_joint_graph") && !logged.contains("aot_forward_graph");
}

/// The first difference of a compile; empty: equal. We must refuse the hooks that PyTorch refuses.
std::string differenceOf(const Compile& logged, const Compile& made) {
    const auto text = [](const Compile& compile, const std::string& key) {
        const auto found = compile.find(key);
        return found == compile.end() ? std::string() : found->second->payload;
    };
    if (isRefused(logged)) {
        return made.contains(hooksRecord) ? "PyTorch refuses these hooks" : "";
    }
    for (const char* key :
         {"aot_joint_graph", "aot_forward_graph", "aot_backward_graph", "aot_inference_graph"}) {
        const std::string why = firstDifference(statements(text(logged, key)), statements(text(made, key)));
        if (!why.empty()) {
            return std::string(key) + ": " + why;
        }
    }
    if (logged.contains(hooksRecord) != made.contains(hooksRecord)) {
        return logged.contains(hooksRecord) ? "the hooks were not inlined" : "PyTorch inlined no hooks";
    }
    return differenceOfHooks(text(logged, hooksRecord), text(made, hooksRecord));
}

/// "3/0" of the ids of a record.
std::string compileName(const std::string& compile) {
    const auto number = [&](const std::string& key) {
        const std::size_t at = compile.find(key);
        return at == std::string::npos
                   ? std::string("?")
                   : compile.substr(at + key.size(), compile.find(' ', at) - at - key.size());
    };
    return number("frame_id") + '/' + number("frame_compile_id");
}

/// The program of each compile, by the table of the pack.
std::map<std::string, std::string> programsOf(const std::filesystem::path& pack) {
    std::map<std::string, std::string> programs;
    for (const std::string& line : test::tableLines(pack.string() + ".expected.tsv")) {
        std::istringstream columns(line);
        std::string compile;
        std::getline(columns, compile, '\t');
        std::getline(columns, programs[compile.substr(0, compile.find(' '))], '\t');
    }
    return programs;
}

/// `programs`: how many of the log have inlined hooks; `partitions`: how many joint graphs are split.
void checkHooksOf(const std::string& name, std::size_t programs, std::size_t partitions) {
    const std::filesystem::path pack = goldenFolder / "packs-2.15" / name;
    CAPTURE(name);
    const test::TempFolder folder;
    const std::string log = test::readPlainOrXz(pack.string() + ".log.xz");
    const auto question = folder.write("question.log", test::withoutAnswers(log));
    const auto answer = folder.path() / "answer.log";
    CHECK(test::cli({"retrace", question.string(), "--log", answer.string()}).code <= 1);
    const auto logged = test::recordsOf(log);
    const auto made = test::recordsOf(test::readFile(answer));
    const auto expected = compilesOf(logged);
    auto found = compilesOf(made);
    auto nameOf = programsOf(pack);
    std::set<std::string> inlined;
    std::set<std::string> refused;
    std::vector<std::string> rows = {"compile\tprogram\tdifference"};
    for (const auto& [ids, compile] : expected) {
        const bool isOfAOTAutograd =
            compile.contains("aot_joint_graph") || compile.contains("aot_inference_graph");
        if (!isOfAOTAutograd) {
            continue; // Of another backend.
        }
        const std::string id = compileName(ids);
        if (isRefused(compile)) {
            refused.insert(id);
        }
        if (compile.contains(hooksRecord)) {
            inlined.insert(nameOf[id]);
        }
        if (const std::string why = differenceOf(compile, found[ids]); !why.empty()) {
            rows.push_back(id + '\t' + nameOf[id] + '\t' + why);
        }
    }
    CHECK(inlined.size() == programs);
    // Their metadata, and that the halves stay what they are when the joint graph is split again.
    const Json told = test::json(
        test::cli({"partition", "--compare", "--input", "traced", "--json", pack.string() + ".log.xz"}));
    for (const Json& half : told["partitions"]) {
        std::string id = half["graph"].get<std::string>();
        id = id.substr(id.find(':') + 1);
        id = id.substr(0, id.find(':'));
        const bool isEqual = half["equal"] == true && half["metadata_equal"] != false;
        if (!half["equal"].is_null() && !isEqual && !refused.contains(id)) {
            const Json& differences =
                half["equal"] == true ? half["metadata_differences"] : half["differences"];
            rows.push_back(id + '\t' + nameOf[id] + "\tsplit: " + test::firstLine(differences.at(0)));
        }
    }
    CHECK(told["partitions"].size() == partitions);
    test::checkTable(pack.string() + ".hooks.tsv", rows);
}

Json ofGoldens(std::vector<std::string> arguments) {
    const Json told =
        test::jsonAbout(test::goldenFiles(goldenFolder / "saved_tensors_hooks"), std::move(arguments));
    REQUIRE(told.is_object());
    return told;
}

std::string goldenProgram(const Json& graph) {
    const std::string text = graph.get<std::string>();
    return text.substr(0, text.find('.'));
}

} // namespace

TEST_CASE("hooks of many kinds are inlined as PyTorch does: the halves before, each hook, the halves after") {
    checkHooksOf("saved_tensors_hooks", 96, 106);
}

TEST_CASE("the same with Inductor's decompositions") {
    checkHooksOf("saved_tensors_hooks_decomp_partition", 94, 106);
}

TEST_CASE("by both partitioners their halves and metadata equal those that PyTorch recorded") {
    std::vector<std::string> rows = {"program\tcompile\thalves\tmetadata\treason"};
    const Json told = ofGoldens({"partition", "--compare", "--input", "traced", "--json"});
    CHECK(told["partitions"].size() == 198);
    for (const Json& half : told["partitions"]) {
        const std::string graph = half["graph"];
        const std::string reason = half["error"].is_object()      ? test::firstLine(half["error"]["message"])
                                   : !half["differences"].empty() ? test::firstLine(half["differences"].at(0))
                                   : !half["metadata_differences"].empty()
                                       ? test::firstLine(half["metadata_differences"].at(0))
                                       : "-";
        const bool isEqual = half["equal"] == true && half["metadata_equal"] != false;
        if (!isEqual) {
            rows.push_back(goldenProgram(half["graph"]) + '\t' + graph.substr(graph.find(':') + 1) + " by " +
                           half["partitioner"].get<std::string>() + '\t' +
                           (half["equal"] == true ? "equal" : "differs") + '\t' +
                           (half["metadata_equal"] == false ? "differs" : "-") + '\t' + reason);
        }
    }
    test::checkTable(goldenFolder / "saved_tensors_hooks" / "halves.differ.tsv", rows);
}

TEST_CASE(
    "run on the recorded inputs they give the outputs, saved values and gradients of PyTorch's halves") {
    std::size_t compared = 0;
    std::vector<std::string> rows = {"program\tcall\treason"};
    const Json told = ofGoldens({"retrace", "--numbers", "--json"});
    for (const Json& compile : told["compiles"]) {
        for (const Json& call : compile["numbers"]) {
            if (call["call"] == "eager") {
                continue;
            }
            ++compared;
            if (call["agrees"] == true) {
                continue;
            }
            std::string reason = test::firstLine(call["skipped"]);
            for (const Json& tensor : call["apart"]) {
                reason += tensor["name"].get<std::string>() + ' ';
            }
            rows.push_back(goldenProgram(compile["graph"]) + '\t' + call["call"].get<std::string>() + '\t' +
                           reason);
        }
    }
    CHECK(compared == 398);
    test::checkTable(goldenFolder / "saved_tensors_hooks" / "numbers.differ.tsv", rows);
}
