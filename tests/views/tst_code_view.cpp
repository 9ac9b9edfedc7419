// The code view by itself: what it paints beside and over its lines.
#include "common/code_view.h"
#include "common/theme.h"
#include "support/window_test.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>
#include <utility>

using namespace aotscope;
using namespace aotscope::views;

class CodeViewTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// A message about a line once covered the line in a narrow panel.
    void aMarkLeavesTheLineInSight() {
        const ThemeSource theme;
        const QString message(200, QLatin1Char('m'));
        const auto pictureOf = [&](const QString& line) {
            CodeView view(&theme);
            view.resize(360, 120);
            view.setText(line, CodeLanguage::Plain);
            view.setMark(0, message);
            view.show();
            return view.viewport()->grab().toImage().copy(0, 0, 180, 30);
        };
        QVERIFY(pictureOf(QStringLiteral("joint")) != pictureOf(QStringLiteral("nnnnn")));
        // It is there nevertheless.
        CodeView plain(&theme);
        plain.resize(360, 120);
        plain.setText(QStringLiteral("joint"), CodeLanguage::Plain);
        plain.show();
        const QImage without = plain.viewport()->grab().toImage().copy(200, 0, 160, 30);
        plain.setMark(0, message);
        QVERIFY(plain.viewport()->grab().toImage().copy(200, 0, 160, 30) != without);
    }

    void theMarginOffersOnlyWhatCanBeMarked() {
        const ThemeSource theme;
        CodeView view(&theme);
        view.resize(360, 120);
        view.setText(QStringLiteral("a\nb\nc"), CodeLanguage::Plain);
        view.setMarginTip(QStringLiteral("pause here"));
        view.setMarkable([](int line) { return line == 1; });
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view, test::patience));
        const int high = view.fontMetrics().height() * 12 / 10;
        // A display server may tell of the mouse later.
        const auto moveTo = [&](int line) {
            QTest::mouseMove(view.viewport(), QPoint(4, high * line + high / 2));
        };
        moveTo(0);
        QTRY_COMPARE_WITH_TIMEOUT(view.viewport()->cursor().shape(), Qt::IBeamCursor, test::patience);
        moveTo(1);
        QTRY_COMPARE_WITH_TIMEOUT(view.viewport()->cursor().shape(), Qt::PointingHandCursor, test::patience);
        moveTo(2);
        QTRY_COMPARE_WITH_TIMEOUT(view.viewport()->cursor().shape(), Qt::IBeamCursor, test::patience);
    }

    void aMatchIsFoundInWhateverText_data() {
        QTest::addColumn<int>("lines");
        QTest::newRow("short") << 40;
        QTest::newRow("long") << 200'000;
    }
    void aMatchIsFoundInWhateverText() {
        QFETCH(int, lines);
        const ThemeSource theme;
        CodeView view(&theme);
        QString text;
        for (int i = 0; i < lines; ++i) {
            text += QStringLiteral("ä line %1 😀 end\n").arg(i);
        }
        view.setText(text, CodeLanguage::Plain);
        QCOMPARE(view.lineCount(), lines);
        QSignalSpy found(&view, &CodeView::found);
        const auto find = [&](const QString& pattern, bool backwards) {
            found.clear();
            view.find(QRegularExpression(pattern), backwards);
            return QTest::qWaitFor([&] { return !found.isEmpty(); }, test::patience) &&
                   found.first().first().toBool();
        };
        QVERIFY(find(QStringLiteral("line 7 😀"), false));
        QCOMPARE(view.selectedText(), QStringLiteral("line 7 😀"));
        QVERIFY(find(QStringLiteral("^ä line \\d+"), false));
        QCOMPARE(view.selectedText(), QStringLiteral("ä line 8"));
        QVERIFY(find(QStringLiteral("line \\d+"), true));
        QCOMPARE(view.selectedText(), QStringLiteral("line 7"));
        // Around the ends.
        QVERIFY(find(QStringLiteral("line 0 "), false));
        QVERIFY(find(QStringLiteral("line \\d+"), true));
        QCOMPARE(view.selectedText(), QStringLiteral("line %1").arg(lines - 1));
        QVERIFY(!find(QStringLiteral("nowhere"), false));
        QVERIFY(!find(QStringLiteral("nowhere"), true));
        view.selectAll();
        QCOMPARE(view.selectedText(), text.chopped(1));
    }

    void aSearchInALongTextIsGivenUpForAnother() {
        const ThemeSource theme;
        CodeView view(&theme);
        auto lines = linesOf(std::string(20'000'000, 'x') + "\nneedle");
        view.setText(lines, CodeLanguage::Plain);
        QSignalSpy found(&view, &CodeView::found);
        view.find(QRegularExpression(QStringLiteral("nowhere")));
        QVERIFY(view.findingProgress().has_value());
        QVERIFY(found.isEmpty());
        view.find(QRegularExpression(QStringLiteral("needle")));
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, test::patience);
        QVERIFY(found.first().first().toBool());
        QVERIFY(!view.findingProgress());
        view.find(QRegularExpression(QStringLiteral("nowhere")));
        view.stopFinding();
        QVERIFY(!view.findingProgress());
        // Its thread lets go of the text once its answer is on the way.
        const std::weak_ptr<const base::TextLines> searched = std::exchange(lines, nullptr);
        view.setText(QString(), CodeLanguage::Plain);
        QTRY_VERIFY_WITH_TIMEOUT(searched.expired(), test::patience);
        QCoreApplication::processEvents();
        QCOMPARE(found.size(), 1);
    }

    void bytesThatAreNoTextAreShownAsSuch() {
        const ThemeSource theme;
        CodeView view(&theme);
        view.setText(linesOf("a\xff"
                             "b\n\xe2\x86"),
                     CodeLanguage::Plain);
        QCOMPARE(view.line(0), QStringLiteral("a\uFFFDb"));
        QCOMPARE(view.line(1), QStringLiteral("\uFFFD\uFFFD"));
        view.selectAll();
        QCOMPARE(view.selectedText(), QStringLiteral("a\uFFFDb\n\uFFFD\uFFFD"));
    }
};

AOTSCOPE_WINDOW_TEST(tst_code_view, CodeViewTest)
#include "tst_code_view.moc"
