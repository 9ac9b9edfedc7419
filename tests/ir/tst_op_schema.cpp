#include "ir/op_schema.h"

#include "support/corpus.h"

#include <doctest/doctest.h>

#include <sstream>

using aotscope::ir::OpSchema;
using aotscope::ir::parseSchema;
using aotscope::ir::trySchema;

TEST_CASE("a schema's arguments, defaults, keyword-only part and returns are read") {
    const std::shared_ptr<const OpSchema> schema = trySchema("aten.add.Tensor");
    REQUIRE(schema);
    CHECK(schema->target == "aten.add.Tensor");
    REQUIRE(schema->arguments.size() == 3);
    CHECK(schema->arguments[0].name == "self");
    CHECK(schema->arguments[0].type == "Tensor");
    CHECK_FALSE(schema->arguments[1].keywordOnly);
    CHECK(schema->arguments[2].name == "alpha");
    CHECK(schema->arguments[2].keywordOnly);
    CHECK(schema->arguments[2].hasDefault);
    CHECK(schema->arguments[2].defaultText == "1");
    CHECK(schema->returns == std::vector<std::string>{"Tensor"});
}

TEST_CASE("operators without an overload name are found as default") {
    const std::shared_ptr<const OpSchema> schema = trySchema("aten.convolution_backward.default");
    REQUIRE(schema);
    CHECK(schema->arguments.size() == 11);
    CHECK(schema->returns.size() == 3);
}

TEST_CASE("operators registered from Python are known") {
    const std::shared_ptr<const OpSchema> schema = trySchema("prims.convert_element_type.default");
    REQUIRE(schema);
    CHECK(schema->arguments.size() == 2);
    CHECK(trySchema("prims.inductor_seeds.default"));
    CHECK(trySchema("rngprims.philox_rand.default"));
}

TEST_CASE("written arguments are told apart from aliased ones") {
    const std::shared_ptr<const OpSchema> inPlace = trySchema("aten.add_.Tensor");
    REQUIRE(inPlace);
    CHECK(inPlace->arguments[0].isMutated);
    CHECK_FALSE(inPlace->arguments[1].isMutated);
    const std::shared_ptr<const OpSchema> view = trySchema("aten.split.Tensor");
    REQUIRE(view);
    CHECK(view->arguments[0].type == "Tensor(a -> *)");
    CHECK(view->arguments[0].name == "self");
    CHECK_FALSE(view->arguments[0].isMutated);
}

TEST_CASE("names that are no operators have no schema") {
    for (const char* name :
         {"", ".", "aten", "aten.add", "aten.add.NoSuch", "_operator.getitem", "torch._C._nn.linear",
          "aten..default", "zzzz.zz.z", "....", "aten.add.default"}) {
        CAPTURE(name);
        CHECK_FALSE(trySchema(name));
    }
}

TEST_CASE("strings and brackets in defaults don't split arguments") {
    const auto schema =
        parseSchema("a::b.c(Tensor(a!)[] x, str s=\"a, (b\", int[2] d=[0, 1], *, bool k=False) "
                    "-> (Tensor(a!)[], Tensor? t)");
    REQUIRE(schema);
    REQUIRE(schema->arguments.size() == 4);
    CHECK(schema->arguments[1].defaultText == "\"a, (b\"");
    CHECK(schema->arguments[2].type == "int[2]");
    CHECK(schema->arguments[2].defaultText == "[0, 1]");
    CHECK(schema->arguments[3].keywordOnly);
    CHECK(schema->returns == std::vector<std::string>{"Tensor(a!)[]", "Tensor? t"});
}

TEST_CASE("text that is no schema is refused") {
    for (const char* text : {"", "x", "a::b", "a::b(", "a::b(x) -> Tensor", "a::b(Tensor x)", "::b() -> ()",
                             "a::() -> ()", "a::b(Tensor x -> Tensor", "a::b(,) -> ()", ")(::"}) {
        CAPTURE(text);
        CHECK_FALSE(parseSchema(text));
    }
}

TEST_CASE("every schema of both tables is read and found by its name") {
    std::size_t count = 0;
    for (const char* file : {"op_schemas.txt", "op_schemas_python.txt"}) {
        std::istringstream in(
            aotscope::test::readFile(std::filesystem::path(AOTSCOPE_SOURCE_DIR) / "resources" / file));
        for (std::string line; std::getline(in, line); ++count) {
            CAPTURE(line);
            const std::optional<OpSchema> schema = parseSchema(line);
            REQUIRE(schema);
            const std::shared_ptr<const OpSchema> found = trySchema(schema->target);
            REQUIRE(found);
            REQUIRE(found->arguments.size() == schema->arguments.size());
            REQUIRE(found->returns == schema->returns);
        }
    }
    CHECK(count > 3500);
}
