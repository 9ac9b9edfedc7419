#include "support/window_test.h"

#include "style/window_style.h"

#include <QApplication>

#include <cstdio>
#include <map>
#include <string>

namespace aotscope::test {

namespace {

/// Filled before `main` by static objects of several files, so it is created on first use.
std::map<std::string, WindowTest::Run>& runs() {
    static std::map<std::string, WindowTest::Run> all;
    return all;
}

} // namespace

WindowTest::WindowTest(const char* name, Run run) {
    runs().emplace(name, std::move(run));
}

} // namespace aotscope::test

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    aotscope::views::WindowStyle::install();
    QStringList arguments = QCoreApplication::arguments();
    const std::string wanted = arguments.size() > 1 ? arguments.takeAt(1).toStdString() : std::string();
    const auto& all = aotscope::test::runs();
    const auto found = all.find(wanted);
    if (found == all.end()) {
        std::fprintf(stderr, "usage: %s TEST [options of Qt Test]; TEST is one of\n", argv[0]);
        for (const auto& [name, run] : all) {
            std::fprintf(stderr, "  %s\n", name.c_str());
        }
        return 2;
    }
    return found->second(arguments);
}
