// What app/cli/README.md says of JSON is true: every schema has a paragraph there, and every key that a
// command writes is in it.
#include "app/cli_support.h"
#include "app/documented_schemas.h"
#include "support/small_graphs.h"

#include <doctest/doctest.h>

using namespace aotscope;
using Json = nlohmann::json;

namespace {

/// Failing checks show texts.
std::string linesOf(const std::set<std::string>& names) {
    std::string text;
    for (const std::string& name : names) {
        text += name + "\n";
    }
    return text;
}

/// Every "aotscope.run/1" in the sources of the command line and the engine.
std::set<std::string> schemasInSources() {
    const std::string prefix = "aotscope.";
    std::set<std::string> names;
    for (const char* folder : {"/app", "/engine"}) {
        for (const auto& [path, text] : test::filesBelow(AOTSCOPE_SOURCE_DIR + std::string(folder))) {
            if (!path.ends_with(".cpp") && !path.ends_with(".h")) {
                continue;
            }
            for (std::size_t at = text.find(prefix); at != std::string::npos;
                 at = text.find(prefix, at + 1)) {
                const std::size_t slash =
                    text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + prefix.size());
                if (slash < text.size() - 1 && text[slash] == '/' && text[slash + 1] >= '1' &&
                    text[slash + 1] <= '9') {
                    names.insert(text.substr(at, slash + 2 - at));
                }
            }
        }
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

TEST_CASE("every schema of the sources is documented, and no other") {
    CHECK(linesOf(test::DocumentedSchemas().schemas()) == linesOf(schemasInSources()));
}

TEST_CASE("a key that the README does not name is found, wherever it is") {
    const Json answer = Json::parse(R"({"schema": "aotscope.run/1", "new": 1, "symbols": {"s0": 8},
        "error": {"code": "run.x", "other": 2}, "nodes": [{"name": "add", "outputs": [{"least": 3}]}]})");
    CHECK(linesOf(test::DocumentedSchemas().undocumented(answer)) ==
          "aotscope.run/1: error: other\naotscope.run/1: new\naotscope.run/1: nodes: outputs: least\n");
    const Json unknown = {{"schema", "aotscope.none/1"}, {"name", "add"}};
    CHECK(linesOf(test::DocumentedSchemas().undocumented(unknown)) == "aotscope.none/1: name\n");
}

TEST_CASE("every key that a command writes is named in the paragraph of its schema") {
    const test::DocumentedSchemas documented;
    const SchemaCommands commands;
    std::set<std::string> seen;
    const auto check = [&](const Json& answer) {
        if (answer.is_object()) {
            seen.insert(answer.value("schema", "no schema"));
            CHECK(linesOf(documented.undocumented(answer)) == "");
        }
    };
    for (const std::vector<std::string>& arguments : commands.all()) {
        INFO(arguments.front() << " … " << arguments.back());
        const Json answer = commands.run(arguments);
        check(answer);
        if (answer.is_object() && answer.value("schema", "") == "aotscope.cache/1") {
            REQUIRE_FALSE(answer["entries"].empty());
            check(commands.run({"cache", "show", answer["entries"][0]["key"].get<std::string>()}));
            check(commands.run({"cache", "clear"}));
        }
    }
    for (const Json& file : commands.files()) {
        check(file);
    }
    // Without NVRTC it is written nowhere.
    seen.insert("aotscope.kernel_compile/1");
    CHECK(linesOf(seen) == linesOf(documented.schemas()));
}
