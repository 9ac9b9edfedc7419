#include "kernels/host_compiler.h"

#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

using namespace aotscope;
using namespace aotscope::kernels;

namespace {

/// Sets an environment variable for one test.
class Variable {
public:
    Variable(const char* name, const std::string& value) : m_name(name) {
        if (const char* before = std::getenv(name)) {
            m_before = before;
        }
        ::setenv(name, value.c_str(), 1);
    }
    ~Variable() {
        if (m_before) {
            ::setenv(m_name, m_before->c_str(), 1);
        } else {
            ::unsetenv(m_name);
        }
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    const char* m_name;
    std::optional<std::string> m_before;
};

HostCompiler theCompiler() {
    static const base::Result<HostCompiler> found = findHostCompiler();
    REQUIRE_MESSAGE(found.ok(), found.error().text());
    return *found;
}

const std::string scale = "__global__ void scale(float* out, const float* in, int n, float by) {\n"
                          "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                          "    if (i < n) {\n"
                          "        out[i] = in[i] * by;\n"
                          "    }\n"
                          "}\n";

constexpr const char* scaleLauncher =
    "extern \"C\" HOST_EXPORT void launch(float* out, const float* in, int n, float by) {\n"
    "    blockDim.x = 32;\n"
    "    for (blockIdx.x = 0; blockIdx.x * 32 < unsigned(n); ++blockIdx.x) {\n"
    "        for (threadIdx.x = 0; threadIdx.x < 32; ++threadIdx.x) {\n"
    "            scale(out, in, n, by);\n"
    "        }\n"
    "    }\n"
    "}\n";

/// With enough of CUDA for `scale`.
HostSource scaled(const std::string& kernel) {
    return {.prelude = "#define __global__\n"
                       "struct Dim { unsigned x; };\n"
                       "static thread_local Dim blockIdx, blockDim, threadIdx;\n",
            .kernels = {{.name = "scale", .source = kernel, .launcher = scaleLauncher}}};
}

std::size_t temporaryFolders() {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
        count += entry.path().filename().string().starts_with("aotscope-kernel-") ? 1 : 0;
    }
    return count;
}

} // namespace

TEST_CASE("a kernel's text is compiled and runs over its grid") {
    const test::TempFolder folder;
    const Variable temporary("TMPDIR", folder.path().string());
    const auto build = compileForHost(theCompiler(), scaled(scale));
    REQUIRE_MESSAGE(build.ok(), build.error().text());
    REQUIRE(build->library);
    CHECK(build->seconds > 0);
    CHECK_FALSE(bool(build->library->function<void()>("scale")));
    auto* launch = build->library->function<void(float*, const float*, int, float)>("launch");
    REQUIRE(bool(launch));
    std::array<float, 70> in{};
    std::array<float, 70> out{};
    for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = static_cast<float>(i);
    }
    launch(out.data(), in.data(), int(in.size()), 3);
    CHECK(std::ranges::equal(in, out, [](float x, float y) { return 3 * x == y; }));
    CHECK(temporaryFolders() == 0);
}

TEST_CASE("who compiles a prelude again has it compiled beforehand, with the same results and messages") {
    const test::TempFolder folder;
    const Variable temporary("TMPDIR", folder.path().string());
    const auto scaledBy = [](const std::string& factor) {
        std::string text = scale;
        text.replace(text.find("in[i] * by"), 10, "in[i] * by * " + factor);
        HostSource source = scaled(text);
        source.prelude += "// For this test alone.\n";
        return compileForHost(theCompiler(), source);
    };
    const auto tripled = [](const base::Result<HostBuild>& build) {
        REQUIRE_MESSAGE(build.ok(), build.error().text());
        REQUIRE(build->library);
        float in = 5;
        float out = 0;
        build->library->function<void(float*, const float*, int, float)>("launch")(&out, &in, 1, 3);
        return out;
    };
    CHECK(tripled(scaledBy("1")) == 15);
    CHECK(tripled(scaledBy("2")) == 30);
    CHECK(temporaryFolders() == 0);
    CHECK(tripled(scaledBy("4")) == 60);
    CHECK(temporaryFolders() == 1);
    const auto wrong = scaledBy("bye");
    REQUIRE(wrong.ok());
    CHECK_FALSE(wrong->library);
    REQUIRE(hasErrors(wrong->messages));
    CHECK(wrong->messages.front().file == "scale.cu");
    CHECK(wrong->messages.front().line == 4);
    // Temporary files may be tidied up meanwhile.
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
        std::filesystem::remove_all(entry.path());
    }
    CHECK(tripled(scaledBy("8")) == 120);
}

TEST_CASE("two libraries with functions and variables of one name stay apart") {
    const auto source = [](const std::string& number) {
        HostKernel kernel{.name = "count",
                          .source = "template<typename T> int& counter() { static int count = " + number +
                                    "; return count; }\ninline int shared = " + number + ";\n",
                          .launcher =
                              "extern \"C\" HOST_EXPORT int get() { return ++counter<int>() + shared; }"};
        return HostSource{.prelude = "", .kernels = {std::move(kernel)}};
    };
    const auto first = compileForHost(theCompiler(), source("10"));
    const auto second = compileForHost(theCompiler(), source("20"));
    REQUIRE((first.ok() && second.ok()));
    REQUIRE((first->library && second->library));
    CHECK(first->library->function<int()>("get")() == 21);
    CHECK(second->library->function<int()>("get")() == 41);
}

TEST_CASE("errors are at lines of the kernel's text") {
    std::string wrong = scale;
    wrong.replace(wrong.find("in[i] * by"), 10, "in[i] * bye");
    const auto build = compileForHost(theCompiler(), scaled(wrong));
    REQUIRE(build.ok());
    CHECK_FALSE(build->library);
    REQUIRE(hasErrors(build->messages));
    CHECK(build->messages.front().file == "scale.cu");
    CHECK(build->messages.front().line == 4);
    CHECK(build->messages.front().column == 26);
    CHECK(build->messages.front().text.find("bye") != std::string::npos);
    const base::Error error = compileError(build->messages);
    CHECK(error.code == "kernels.not_compiled");
    CHECK(error.place.line == 4);
    CHECK(error.text().starts_with("scale.cu:4:26: "));
}

TEST_CASE("an error outside the kernel's text names the text it is of") {
    HostSource source = scaled(scale);
    source.kernels[0].launcher = "int f() { return nothing; }";
    const auto build = compileForHost(theCompiler(), source);
    REQUIRE(build.ok());
    REQUIRE(hasErrors(build->messages));
    CHECK(build->messages.front().file == "launcher.h");
    CHECK(build->messages.front().line == 1);
    source = scaled("__global__ void scale(float*, const float*, int, float);\n");
    source.kernels[0].launcher += "void missing(); extern \"C\" HOST_EXPORT void f() { missing(); }";
    const auto unlinked = compileForHost(theCompiler(), source);
    // A shared object may miss functions until it is opened.
    REQUIRE_FALSE(unlinked.ok());
    CHECK(unlinked.error().code == "kernels.compiler_failed");
    CHECK(unlinked.error().text().find("missing") != std::string::npos);
}

TEST_CASE("a text that would read a file is refused at its line") {
    const auto build = compileForHost(theCompiler(), scaled("int a;\n#include \"/etc/passwd\"\n"));
    REQUIRE(build.ok());
    CHECK_FALSE(build->library);
    REQUIRE(build->messages.size() == 1);
    CHECK(build->messages.front().file == "scale.cu");
    CHECK(build->messages.front().line == 2);
}

TEST_CASE("several kernels are compiled as one, each with lines of its own") {
    HostSource source = scaled(scale);
    source.kernels.push_back(
        {.name = "second/one",
         .source = "\nint second(int x) { return x + 1; }",
         .launcher = "extern \"C\" HOST_EXPORT int callSecond(int x) { return second(x); }"});
    const auto build = compileForHost(theCompiler(), source);
    REQUIRE(build.ok());
    REQUIRE(build->library);
    CHECK(build->library->function<int(int)>("callSecond")(2) == 3);
    source.kernels[1].source += "int third() { return y; }";
    const auto wrong = compileForHost(theCompiler(), source);
    REQUIRE(wrong.ok());
    REQUIRE(hasErrors(wrong->messages));
    CHECK(wrong->messages.front().file == "second_one.cu");
    CHECK(wrong->messages.front().line == 2);
}

TEST_CASE(
    "compilers are found by $CXX with its arguments, and where there is none the error says what to do") {
    {
        const Variable chosen("CXX", "env g++");
        const auto found = findHostCompiler();
        REQUIRE(found.ok());
        CHECK(found->command == std::vector<std::string>{"env", "g++"});
        CHECK(found->version.starts_with("g++"));
    }
    const test::TempFolder folder;
    std::filesystem::create_symlink("/usr/bin/env", folder.path() / "env");
    const Variable chosen("CXX", "no-such-compiler");
    const Variable path("PATH", folder.path().string());
    const auto none = findHostCompiler();
    REQUIRE_FALSE(none.ok());
    CHECK(none.error().code == "kernels.no_host_compiler");
    CHECK(none.error().hint.find("g++") != std::string::npos);
}

TEST_CASE("a compiler that hangs is given up, and one that is canceled is gone") {
    const test::TempFolder folder;
    const std::filesystem::path program = folder.write("slow", "#!/bin/sh\nexec sleep 600\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    const HostCompiler slow{{program.string()}, "slow 1"};
    HostCompileOptions options;
    options.limit = std::chrono::milliseconds(50);
    const auto late = compileForHost(slow, scaled(scale), options);
    REQUIRE_FALSE(late.ok());
    CHECK(late.error().code == "kernels.compiler_late");
    std::stop_source stop;
    std::thread stopper([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop.request_stop();
    });
    const auto canceled = compileForHost(slow, scaled(scale), {}, base::Progress({}, stop.get_token()));
    stopper.join();
    REQUIRE_FALSE(canceled.ok());
    CHECK(base::isCanceled(canceled.error()));
}
