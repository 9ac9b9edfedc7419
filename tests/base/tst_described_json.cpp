#include "base/json_schema.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace aotscope {
namespace {

enum class Half { Forward, Backward };
AOTSCOPE_WORDS(Half, "forward", "backward")

struct Named {
    std::string name;
};
AOTSCOPE_MEMBERS(Named, name)

struct Saved : Named {
    std::optional<std::int64_t> sizeInBytes = {};
    Half half = Half::Forward;
    bool default_ = false;
    std::vector<Named> users = {};
    std::map<std::string, double> costs = {};
};
AOTSCOPE_MORE_MEMBERS(Saved, Named, sizeInBytes, half, default_, users, costs)

struct Tree {
    std::vector<Tree> children = {};
};
AOTSCOPE_MEMBERS(Tree, children)

struct Context {
    base::SchemaDefinitions definitions;
};

} // namespace

TEST_CASE("a struct is an object with its base's members first, words and null") {
    const Saved saved{{"add"}, {}, Half::Backward, true, {{"mul"}}, {{"flops", 2.5}}};
    Context context;
    CHECK(base::toJson(saved, context).dump() ==
          R"({"name":"add","size_in_bytes":null,"half":"backward","default":true,"users":[{"name":"mul"}],)"
          R"("costs":{"flops":2.5}})");
}

TEST_CASE("lists of every kind are arrays, and maps by number lists of pairs") {
    Context context;
    CHECK(base::toJson(std::set<std::string>{"b", "a"}, context).dump() == R"(["a","b"])");
    CHECK(base::toJson(std::vector<bool>{true, false}, context).dump() == "[true,false]");
    CHECK(base::toJson(std::array<int, 2>{1, 2}, context).dump() == "[1,2]");
    CHECK(base::toJson(std::map<int, std::string>{{1, "one"}}, context).dump() == R"([[1,"one"]])");
}

TEST_CASE("the schema of a struct names every member, and no other is allowed") {
    Context context;
    const base::Json schema = base::objectSchema<Saved>(context);
    CHECK(schema["properties"].dump() ==
          R"({"name":{"type":"string"},"size_in_bytes":{"type":["integer","null"]},)"
          R"("half":{"type":"string","enum":["forward","backward"]},"default":{"type":"boolean"},)"
          R"("users":{"type":"array","items":{"$ref":"#/$defs/Named"}},)"
          R"("costs":{"type":"object","additionalProperties":{"type":"number"}}})");
    CHECK(schema["required"].size() == 6);
    CHECK(schema["additionalProperties"] == false);
    CHECK(context.definitions.all()["Named"]["required"].dump() == R"(["name"])");
}

TEST_CASE("a struct that holds itself is defined once") {
    Context context;
    CHECK(base::schemaOf(std::type_identity<Tree>(), context).dump() == R"({"$ref":"#/$defs/Tree"})");
    CHECK(context.definitions.all()["Tree"]["properties"]["children"]["items"]["$ref"] == "#/$defs/Tree");
}

} // namespace aotscope
