// What a person does to a plan of hooks, by the rules that come out of it.
#include "support/window_test.h"

#include "hooks/byte_amount.h"
#include "hooks/hook_choices.h"
#include "hooks/hook_library.h"

#include <QObject>

#include <algorithm>

using namespace aotscope;
using namespace aotscope::views;

namespace {

session::SavedTensor tensor(const char* name) {
    session::SavedTensor saved;
    saved.name = name;
    saved.dtype = "float32";
    saved.bytes = 1024;
    return saved;
}

} // namespace

class TestHookChoices : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aHookForAllReplacesTheRulesAndKeepsTheRest() {
        hooks::HookPlan plan;
        plan.rules = {{"name=mm", "bf16"}, {"", "fp8_e4m3"}};
        plan.own["mine"] = "text";
        plan.filter = passes::HookFilter::All;
        const hooks::HookPlan all = withHookForAll(plan, "int8_row");
        QCOMPARE(hookForAll(all), std::string("int8_row"));
        QCOMPARE(all.rules.size(), std::size_t(1));
        QCOMPARE(all.own, plan.own);
        QCOMPARE(all.filter, plan.filter);
        QVERIFY(withHookForAll(plan, std::string(hooks::noHook)).rules.empty());
    }

    void aHookForSomeComesFirst() {
        hooks::HookPlan plan = withHookForAll({}, "bf16");
        const std::vector<std::string> both{"mm", "add"};
        plan = withHookFor(plan, both, "fp8_e4m3");
        plan = withHookFor(plan, std::vector<std::string>{"mm"}, "int8_row");
        QCOMPARE(hookByRule(plan, tensor("mm")), std::string("int8_row"));
        QCOMPARE(hookByRule(plan, tensor("add")), std::string("fp8_e4m3"));
        QCOMPARE(hookByRule(plan, tensor("mm_1")), std::string("bf16"));
        QCOMPARE(plan.rules.size(), std::size_t(3));
    }

    void whatIsSwitchedOffAndOnAgainIsAsBefore() {
        const hooks::HookPlan plan =
            withHookFor(withHookForAll({}, "bf16"), std::vector<std::string>{"mm"}, "fp8_e4m3");
        const hooks::HookPlan off = switchedOff(plan, "mm");
        QCOMPARE(hookByRule(off, tensor("mm")), std::string(hooks::noHook));
        QCOMPARE(hookByRule(off, tensor("add")), std::string("bf16"));
        QCOMPARE(switchedOn(off, "mm"), plan);
        QCOMPARE(switchedOff(off, "mm"), off);
    }

    void whatIsComputedAgainIsSavedAgain() {
        const hooks::HookPlan plan = withHookForAll({}, "bf16");
        const hooks::HookPlan again =
            withHookFor(plan, std::vector<std::string>{"mm"}, std::string(hooks::recomputeHook));
        QCOMPARE(recomputedByName(again), std::vector<std::string>{"mm"});
        QCOMPARE(withoutRecompute(again), plan);
    }

    void aCopyTakesThePlaceOfItsOriginal() {
        hooks::HookPlan plan = withHookForAll({}, "bf16");
        const std::string name = ownName(plan, "bf16");
        QCOMPARE(name, std::string("my_bf16"));
        plan = withOwnCopy(plan, "bf16", name);
        QCOMPARE(hookForAll(plan), name);
        QCOMPARE(*plan.tryText(name), *plan.tryText("bf16"));
        QCOMPARE(ownName(plan, "bf16"), std::string("my_bf16_2"));
        QCOMPARE(ownName(plan, "my_bf16"), std::string("my_bf16_2"));
        const std::vector<std::string> names = namesOfHooks(plan);
        QVERIFY(std::ranges::find(names, name) != names.end());
        plan = withText(plan, name, "other");
        QCOMPARE(*plan.tryText(name), std::string_view("other"));
        const hooks::HookPlan without = withoutOwn(plan, name);
        QVERIFY(without.rules.empty() && without.own.empty());
    }

    void byteAmountsAreReadAsPeopleWriteThem() {
        QCOMPARE(readByteAmount(QStringLiteral("4096"), 0), std::optional<std::int64_t>(4096));
        QCOMPARE(readByteAmount(QStringLiteral("200kB"), 0), std::optional<std::int64_t>(200'000));
        QCOMPARE(readByteAmount(QStringLiteral(" 1.5 MiB "), 0), std::optional<std::int64_t>(1'572'864));
        QCOMPARE(readByteAmount(QStringLiteral("25%"), 8000), std::optional<std::int64_t>(2000));
        for (const char* wrong : {"", "kB", "-4", "4 cats", "1e9", "999999999999 GiB"}) {
            QVERIFY2(!readByteAmount(QLatin1String(wrong), 8000), wrong);
        }
    }
};

AOTSCOPE_WINDOW_TEST(tst_hook_choices, TestHookChoices)
#include "tst_hook_choices.moc"
