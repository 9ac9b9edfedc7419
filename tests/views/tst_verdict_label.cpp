// A verdict in a panel: one line, and behind it a page with what was compared and what was not.
#include "support/window_test.h"

#include "common/theme.h"
#include "common/verdict_label.h"

#include <QClipboard>
#include <QFrame>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QPushButton>

#include <set>

using namespace aotscope;
using namespace aotscope::views;

namespace {

base::Verdict differing() {
    base::Verdict verdict;
    verdict.word = base::VerdictWord::Differs;
    verdict.reason = "output 1 is 0.33 % off";
    verdict.compared = {"2 outputs", "3 gradients"};
    verdict.notCompared = {"output 2: random"};
    verdict.configuration = {"activation_memory_budget = 0.5 (from the log)"};
    verdict.tolerances = {"output 1: 2e-06, from float32"};
    return verdict;
}

} // namespace

class TestVerdictLabel : public QObject {
    Q_OBJECT

    ThemeSource m_theme;

private Q_SLOTS:
    void theLineHasTheWordAndTheReason() {
        VerdictLabel label(m_theme);
        QVERIFY(label.isHidden());
        label.setVerdict(differing());
        QVERIFY(!label.isHidden());
        QCOMPARE(label.line(), QStringLiteral("✗ differs: output 1 is 0.33 % off"));
        QCOMPARE(label.accessibleName(), label.line());
        label.setVerdict(base::Verdict{.word = base::VerdictWord::Equal});
        QCOMPARE(label.line(), QStringLiteral("✓ equal"));
        label.setVerdict(std::nullopt);
        QVERIFY(label.isHidden());
    }

    /// Colours alone do not tell words apart, and "equal up to names" is not "equal".
    void eachWordHasALineOfItsOwn() {
        VerdictLabel label(m_theme);
        std::set<QString> lines;
        for (const base::VerdictWord word :
             {base::VerdictWord::Equal, base::VerdictWord::EqualUpToNames, base::VerdictWord::Differs,
              base::VerdictWord::EqualUnderDefault, base::VerdictWord::NotComparable,
              base::VerdictWord::NotSupported}) {
            label.setVerdict(base::Verdict{.word = word});
            lines.insert(label.line());
        }
        QCOMPARE(lines.size(), std::size_t(6));
        QVERIFY(verdictSign(base::VerdictWord::Equal) != verdictSign(base::VerdictWord::Differs));
    }

    void aClickOpensThePageWithAllThatIsBehindIt() {
        VerdictLabel label(m_theme);
        label.setVerdict(differing(), QStringLiteral("The call beside eager"));
        label.resize(200, label.sizeHint().height());
        label.show();
        QVERIFY(QTest::qWaitForWindowExposed(&label));
        QTest::mouseClick(&label, Qt::LeftButton);
        QVERIFY(label.page());
        const auto* text = label.page()->findChild<QPlainTextEdit*>(QStringLiteral("verdictText"));
        QVERIFY(text->isReadOnly());
        const base::Verdict shown = differing();
        for (const auto* part :
             {&shown.compared, &shown.notCompared, &shown.configuration, &shown.tolerances}) {
            for (const std::string& each : *part) {
                QVERIFY2(text->toPlainText().contains(QString::fromStdString(each)), each.c_str());
            }
        }
        QGuiApplication::clipboard()->clear();
        label.page()->findChild<QPushButton*>(QStringLiteral("verdictCopy"))->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), label.explanation());
        QVERIFY(label.explanation().startsWith(QStringLiteral("The call beside eager\ndiffers: ")));
        label.page()->close();
        QTRY_VERIFY_WITH_TIMEOUT(!label.page(), test::patience);
    }

    void theKeyboardOpensItAndANewVerdictClosesIt() {
        VerdictLabel label(m_theme);
        label.setVerdict(differing());
        label.show();
        QVERIFY(QTest::qWaitForWindowExposed(&label));
        QTest::keyClick(&label, Qt::Key_Return);
        QVERIFY(label.page());
        label.setVerdict(base::Verdict{.word = base::VerdictWord::NotComparable, .reason = "random"});
        QTRY_VERIFY_WITH_TIMEOUT(!label.page(), test::patience);
        QCOMPARE(label.line(), QStringLiteral("? not comparable: random"));
    }

    /// A long reason does not widen the panel it stands in.
    void aLongReasonIsElided() {
        VerdictLabel label(m_theme);
        base::Verdict verdict = differing();
        verdict.reason = std::string(5000, 'x');
        label.setVerdict(verdict);
        QVERIFY(label.minimumSizeHint().width() <= 120);
        label.resize(label.minimumSizeHint());
        QVERIFY(!label.grab().isNull());
    }
};

AOTSCOPE_WINDOW_TEST(tst_verdict_label, TestVerdictLabel)
#include "tst_verdict_label.moc"
