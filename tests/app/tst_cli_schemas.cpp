// What commands print with --json, and files that the program writes, are as their JSON Schemas say, and
// docs/schema has these schemas.
#include "app/cli_support.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

const std::filesystem::path schemaFolder = std::filesystem::path(AOTSCOPE_SOURCE_DIR) / "docs" / "schema";

/// "aotscope.run-2.json"
std::string fileOf(std::string schema) {
    std::ranges::replace(schema, '/', '-');
    return schema + ".json";
}

std::set<std::string> describedSchemas() {
    std::istringstream lines(test::cli({"schema"}).out);
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        names.insert(line);
    }
    return names;
}

/// A graph with an operator that nobody has.
std::string graphThatCannotRun() {
    std::string text = test::smallGraphText();
    const std::string before = "aten.relu";
    return text.replace(text.find(before), before.size(), "aten.no_such");
}

/// Commands that write every schema, each a cheap one, with the small files that they read.
class SchemaCommands {
public:
    [[nodiscard]] std::vector<std::vector<std::string>> all() const {
        const std::string sources = AOTSCOPE_SOURCE_DIR;
        const std::string tests = AOTSCOPE_TEST_DIR;
        const std::string log = sources + "/resources/sample/transformer_encoder_layer.log";
        const std::string trace = tests + "/timeline/gpu_trace.json";
        const auto write = [&](const char* name, const std::string& text) {
            return m_folder.write(name, text).string();
        };
        const std::string graph = write("graph.txt", test::smallGraphText());
        const std::string other = write("other.txt", test::smallGraphText("2"));
        const std::string broken = write("broken.txt", graphThatCannotRun());
        const std::string cut = write("cut.json", R"({"traceEvents": [{"ph": "X", "name": "a",)");
        const std::string script = write("script", "into\nvalues\nevents\nwrappers\nprint x\nclear\n");
        return {{"open", log},
                {"open", graph},
                {"open", trace},
                {"open", "--config", log},
                {"diff", graph, other},
                {"rerun", graph, "--node", "add", "--repeat", "2", "--save", saved().string()},
                {"run", graph, "--value", "add=" + (m_folder.path() / "add.npy").string()},
                {"run", broken},
                {"run", log},
                {"run", graph, "--reference", "float64"},
                {"run", log, "--reference", "float64"},
                {"run", log, "--reference", "eager"},
                {"run", log, "--trace-wrappers"},
                {"step", log, "--script", script},
                {"retrace", log, "--stages", "--numbers"},
                {"retrace", log, "--cache"},
                {"metadata", log},
                {"wrappers", log},
                {"cache", "list"},
                {"coverage", "--missing"},
                {"rules"},
                {"devices"},
                {"payload", log, "--id", "0/0", "--name", "aot_joint_graph"},
                {"payload", log, "--list"},
                {"payload", log, "--records"},
                {"problems", tests + "/golden/graph_warnings/random-2.15.log.xz"},
                {"hooks", log, "--hook", "bf16", "--errors"},
                {"partition", log, "--compare", "--input", "logged"},
                {"why", log, "--node", "relu", "--input", "logged"},
                {"budget", log},
                {"kernels", graph, "--compile"},
                {"kernels", graph, "--check", "--nodes"},
                {"kernels", tests + "/inductor/records/mlp.log.xz"},
                {"memory", log, "--compare"},
                {"profile", cut},
                {"profile", trace, "--graphs", tests + "/timeline/mlp_forward.txt"}};
    }

    /// What the command writes; no object where there is no NVRTC for it.
    [[nodiscard]] Json run(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), std::string(AOTSCOPE_BINARY_DIR) + "/bin/aotscope-cli");
        arguments.emplace_back("--json");
        const std::string home = m_folder.path().string();
        const test::Ran ran =
            test::runChild(std::move(arguments), {"XDG_CACHE_HOME=" + home, "XDG_STATE_HOME=" + home});
        Json answer = test::json(ran);
        const bool lacksNvrtc = test::contains(ran.err, "NVRTC, which compiles kernels for GPUs, was not");
        CHECK_MESSAGE((answer.is_object() || lacksNvrtc), ran.err);
        return answer;
    }

    /// The files that `all` leaves: the rerun, and the reproducer of the graph that cannot run.
    [[nodiscard]] std::vector<Json> files() const {
        std::vector<Json> read{Json::parse(test::readFile(saved()))};
        for (const auto& [path, text] : test::filesBelow(m_folder.path() / "aotscope" / "reproducers")) {
            read.push_back(Json::parse(text));
        }
        return read;
    }

private:
    [[nodiscard]] std::filesystem::path saved() const { return m_folder.path() / "saved.json"; }

    test::TempFolder m_folder;
};

} // namespace

TEST_CASE("docs/schema has the schema of every answer, and no other") {
    const bool writes = std::getenv("AOTSCOPE_WRITE_EXPECTED") != nullptr;
    std::set<std::string> files;
    for (const std::string& name : describedSchemas()) {
        const test::Ran ran = test::cli({"schema", name});
        CHECK(ran.code == 0);
        const std::filesystem::path file = schemaFolder / fileOf(name);
        files.insert(file.filename().string());
        if (writes) {
            std::filesystem::create_directories(schemaFolder);
            std::ofstream(file) << ran.out;
        }
        INFO(name << ": AOTSCOPE_WRITE_EXPECTED=1 writes it");
        CHECK(test::readFile(file) == ran.out);
    }
    REQUIRE_FALSE(files.empty());
    for (const auto& [path, text] : test::filesBelow(schemaFolder)) {
        CHECK_MESSAGE(files.contains(std::filesystem::path(path).filename().string()), path);
    }
    CHECK(test::cli({"schema", "aotscope.none/1"}).code == 2);
}

TEST_CASE("every answer is as its schema says") {
    const std::set<std::string> described = describedSchemas();
    const SchemaCommands commands;
    const test::TempFolder answers;
    std::set<std::string> seen;
    std::size_t count = 0;
    const auto check = [&](const Json& answer) {
        if (!answer.is_object()) {
            return;
        }
        const std::string schema = answer.value("schema", "no schema");
        seen.insert(schema);
        CHECK_MESSAGE(described.contains(schema), schema);
        answers.write((std::to_string(count++) + ".json").c_str(), answer.dump());
    };
    for (const std::vector<std::string>& arguments : commands.all()) {
        INFO(arguments.front() << " … " << arguments.back());
        const Json answer = commands.run(arguments);
        check(answer);
        if (answer.is_object() && answer.contains("entries") && answer.contains("most_bytes")) {
            REQUIRE_FALSE(answer["entries"].empty());
            check(commands.run(
                {"cache", "show", answer["entries"][0]["file"]["name"]["key"].get<std::string>()}));
            check(commands.run({"cache", "clear"}));
        }
    }
    for (const Json& file : commands.files()) {
        check(file);
    }
    // Debian's package belongs to the system's Python, which need not be the first one in PATH.
    const std::string system = "/usr/bin/python3";
    const std::string python = std::filesystem::exists(system) ? system : "python3";
    const test::Ran ran = test::runChild({python, std::string(AOTSCOPE_TEST_DIR) + "/app/check_answers.py",
                                          schemaFolder.string(), answers.path().string()});
    CHECK_MESSAGE(ran.code == 0, ran.out, ran.err);
    // Without NVRTC kernels --compile answers nothing.
    for (const std::string& schema : described) {
        CHECK_MESSAGE((seen.contains(schema) || schema.starts_with("aotscope.kernel_compile/")), schema);
    }
}
