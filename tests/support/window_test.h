#pragma once

#include <QtTest>

#include <functional>

namespace aotscope::test {

/// Milliseconds to wait for what must come; long, because sanitizers and other work slow a machine down. A
/// QTRY_… that fails waits three times as long before it says so: ctest's limit (Rooms.cmake) is beyond that.
constexpr int patience = 60'000;

/// One Qt Test class of a program that holds several. The program runs the one that its first argument names.
class WindowTest {
public:
    /// Runs the test with the arguments Qt Test knows and returns how many test functions failed.
    using Run = std::function<int(const QStringList& arguments)>;

    /// To be made before `main`, as AOTSCOPE_WINDOW_TEST does.
    WindowTest(const char* name, Run run);
};

} // namespace aotscope::test

/// Puts a Qt Test class into its program under the name it has in ctest, in place of QTEST_MAIN.
#define AOTSCOPE_WINDOW_TEST(name, Class)                                                                    \
    static const aotscope::test::WindowTest registered_##name(#name, [](const QStringList& arguments) {      \
        Class test;                                                                                          \
        return QTest::qExec(&test, arguments);                                                               \
    });
