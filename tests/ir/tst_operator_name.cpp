#include "ir/operator_name.h"

#include <doctest/doctest.h>

using namespace aotscope;

TEST_CASE("a target is taken apart into namespace, name and overload") {
    const auto check = [](std::string_view target, std::string_view space, std::string_view name,
                          std::string_view overload, std::string_view packet) {
        CAPTURE(target);
        const ir::OperatorName parts = ir::splitTarget(target);
        CHECK(parts.space == space);
        CHECK(parts.name == name);
        CHECK(parts.overload == overload);
        CHECK(parts.packet == packet);
    };
    check("aten.add.Tensor", "aten", "add", "Tensor", "aten.add");
    check("aten.index_put_.default", "aten", "index_put_", "default", "aten.index_put_");
    check("profiler._record_function_exit._RecordFunction", "profiler", "_record_function_exit",
          "_RecordFunction", "profiler._record_function_exit");
    check("_operator.getitem", "_operator", "getitem", "", "_operator.getitem");
    check("higher_order.cond", "higher_order", "cond", "", "higher_order.cond");
    check("getattr", "", "getattr", "", "getattr");
    check("", "", "", "", "");
}

TEST_CASE("the name of a function is the last part, that of an operator stands before its overload") {
    CHECK(ir::lastPart("torch.nn.functional.gelu") == "gelu");
    CHECK(ir::lastPart("getattr") == "getattr");
    CHECK(ir::functionName("aten.add.Tensor") == "add");
    CHECK(ir::functionName("_operator.add") == "add");
    CHECK(ir::functionName("torch.special.log") == "log");
    CHECK(ir::functionName("torch.nn.functional.gelu") == "gelu");
    CHECK(ir::functionName("len") == "len");
}
