// The text view alone: what it paints beside and over its lines.
#include "common/code_view.h"
#include "common/theme.h"
#include "support/window_test.h"

#include <QSignalSpy>
#include <QTest>

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
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const int high = view.fontMetrics().height() * 12 / 10;
        // A display server may tell of the mouse later.
        const auto moveTo = [&](int line) {
            QTest::mouseMove(view.viewport(), QPoint(4, high * line + high / 2));
        };
        moveTo(0);
        QTRY_COMPARE(view.viewport()->cursor().shape(), Qt::IBeamCursor);
        moveTo(1);
        QTRY_COMPARE(view.viewport()->cursor().shape(), Qt::PointingHandCursor);
        moveTo(2);
        QTRY_COMPARE(view.viewport()->cursor().shape(), Qt::IBeamCursor);
    }
};

AOTSCOPE_WINDOW_TEST(tst_code_view, CodeViewTest)
#include "tst_code_view.moc"
