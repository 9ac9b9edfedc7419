#pragma once

#include <QtTest>

#include <functional>

namespace aotscope::test {

/// Timeout in milliseconds for expected events. Long, because sanitizers and other work slow a machine down.
/// A failing QTRY_… waits three times as long before it reports; ctest's limit (Rooms.cmake) is above that.
constexpr int patience = 60'000;

/// One Qt Test class of a program that contains several. The first argument of the program selects the class
/// to run.
class WindowTest {
public:
    /// Runs the test with Qt Test's arguments and returns the number of failed test functions.
    using Run = std::function<int(const QStringList& arguments)>;

    /// Must be created before `main`, as AOTSCOPE_WINDOW_TEST does.
    WindowTest(const char* name, Run run);
};

} // namespace aotscope::test

/// Registers a Qt Test class in its program under its name in ctest. Replaces QTEST_MAIN.
#define AOTSCOPE_WINDOW_TEST(name, Class)                                                                    \
    static const aotscope::test::WindowTest registered_##name(#name, [](const QStringList& arguments) {      \
        Class test;                                                                                          \
        return QTest::qExec(&test, arguments);                                                               \
    });
