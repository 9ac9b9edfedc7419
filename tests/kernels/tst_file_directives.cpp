#include "kernels/file_directives.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace aotscope::kernels;

namespace {

/// "line:column" of every refusal.
std::string places(std::string_view source) {
    std::string text;
    for (const CompileMessage& message : fileDirectives(source)) {
        CHECK(message.severity == CompileMessage::Severity::Error);
        CHECK_FALSE(message.text.empty());
        text +=
            (text.empty() ? "" : " ") + std::to_string(message.line) + ":" + std::to_string(message.column);
    }
    return text;
}

} // namespace

TEST_CASE("each way to have a compiler read a file is refused at its place") {
    CHECK(places("#include \"/etc/passwd\"\n") == "1:1");
    CHECK(places("int a;\n  #  include <vector>\n") == "2:3");
    CHECK(places("#include_next <x.h>\n#import \"x\"\n#embed \"/etc/passwd\"\n") == "1:1 2:1 3:1");
    CHECK(places("%:include \"x\"\n") == "1:1");
    CHECK(places("?\?=include \"x\"\n") == "1:1");
    CHECK(places("#inc\\\nlude \"x\"\n") == "1:1");
    CHECK(places("#inc?\?/  \nlude \"x\"\n") == "1:1");
    CHECK(places("int a;\\\n#\\  \r\n  include \"x\"\n") == "2:1");
    CHECK(places("# /* a\n b */ include \"x\"\n") == "1:1");
    CHECK(places("/* a */ # include MACRO\n") == "1:9");
    CHECK(places("#if __has_include(\"/etc/passwd\")\n#endif\n") == "1:5");
    CHECK(places("_Pragma(\"GCC dependency\")\n#pragma GCC poison x\n") == "1:1 2:1");
    CHECK(places("#line 7 \"other.cu\"\n# 7 \"other.cu\"\n") == "1:1 2:1");
}

TEST_CASE("no spelling that only looks like a comment or a string hides one") {
    CHECK(places("int a = 1'0; int b = '/*';\n#include \"x\"\n") == "2:1");
    CHECK(places("const char* s = \"/*\";\n#include \"x\"\n") == "2:1");
    CHECK(places("auto s = uR\"(\";\n#include \"x\"\n//)\"") == "2:1");
}

TEST_CASE("what kernels are made of is not refused") {
    CHECK(places("").empty());
    CHECK(places("#define A(x) #x\n#if defined(A) && A > 3\n#pragma unroll 4\n#undef A\n#endif\n").empty());
    CHECK(places("int included = a % b; // # of includes\nint include = 3;\n").empty());
    CHECK(places("#").empty());
    CHECK(places("# /*").empty());
    CHECK(places("\\").empty());
}
