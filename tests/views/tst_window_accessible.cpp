// What a screen reader finds in the painted panels, through QAccessible alone.
#include "support/window_bench.h"
#include "support/window_test.h"

#include "budget/budget_canvas.h"
#include "common/code_view.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "graph/partition_marks.h"
#include "memory/memory_canvas.h"
#include "panels/text_panel.h"
#include "partition/current_partition.h"
#include "window/graph_dock.h"
#include "window/job_status.h"

#include <QAccessible>
#include <QAccessibleActionInterface>
#include <QAccessibleTextInterface>
#include <QDockWidget>

using namespace aotscope;
using namespace aotscope::views;

namespace {

struct AccessibleBench : test::WindowBench {
    [[nodiscard]] bool start() {
        return open(test::sampleLogPath()) && QTest::qWaitForWindowExposed(window.get(), test::patience) &&
               QTest::qWaitFor([this] { return canvas<GraphCanvas>()->scene() != nullptr; }, test::patience);
    }
    void raise(const char* panel) const {
        window->activateWindow();
        window->action(QStringLiteral("show-") + QLatin1String(panel))->trigger();
        QCoreApplication::processEvents();
    }
    template<typename Canvas>
    [[nodiscard]] Canvas* canvas() const {
        return window->findChild<Canvas*>();
    }
};

QAccessibleInterface* interfaceOf(QWidget* widget) {
    return QAccessible::queryAccessibleInterface(widget);
}

/// The child with this name; null: there is none.
QAccessibleInterface* childNamed(const QAccessibleInterface& parent, const QString& name) {
    for (int i = 0; i < parent.childCount(); ++i) {
        if (parent.child(i)->text(QAccessible::Name) == name) {
            return parent.child(i);
        }
    }
    return nullptr;
}

/// Checks that children, parents, rectangles and indexes are consistent, as screen readers expect.
void expectTree(const QAccessibleInterface& list) {
    QVERIFY(list.childCount() > 0);
    for (int i = 0; i < list.childCount(); ++i) {
        QAccessibleInterface* child = list.child(i);
        QVERIFY(child && child->isValid());
        QCOMPARE(child->parent()->object(), list.object());
        QCOMPARE(list.indexOfChild(child), i);
        QCOMPARE(list.child(i), child);
        QCOMPARE(child->role(), QAccessible::ListItem);
        QVERIFY(!child->text(QAccessible::Name).isEmpty());
        QVERIFY(!child->text(QAccessible::Description).isEmpty());
        QVERIFY(child->rect().isEmpty() || list.rect().contains(child->rect()));
    }
    QCOMPARE(list.child(-1), nullptr);
    QCOMPARE(list.child(list.childCount()), nullptr);
}

void press(QAccessibleInterface& item) {
    QAccessibleActionInterface* actions = item.actionInterface();
    QVERIFY(actions && actions->actionNames().contains(QAccessibleActionInterface::pressAction()));
    actions->doAction(QAccessibleActionInterface::pressAction());
}

} // namespace

class WindowAccessibleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theGraphIsAListOfItsBoxes() {
        AccessibleBench bench;
        QVERIFY(bench.start());
        auto* canvas = bench.canvas<GraphCanvas>();
        // Bands are items, too; they come with the partition.
        QTRY_VERIFY_WITH_TIMEOUT(canvas->look().marks, test::patience);
        const QAccessibleInterface* list = interfaceOf(canvas);
        QVERIFY(list);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->text(QAccessible::Name), QStringLiteral("Graph"));
        QCOMPARE(list->childCount(),
                 int(canvas->scene()->boxCount() + canvas->look().marks->split().bands.size()));
        expectTree(*list);

        QAccessibleInterface* input = childNamed(*list, QStringLiteral("primals_1"));
        QVERIFY(input);
        QVERIFY(!input->state().selected);
        press(*input);
        QCOMPARE(bench.selectedNode(), std::string("primals_1"));
        QVERIFY(input->state().selected);
        bench.raise("graph");
        QTRY_VERIFY_WITH_TIMEOUT(canvas->hasFocus(), test::patience);
        QCOMPARE(list->focusChild(), input);
        QVERIFY(input->state().focused && list->state().focused);
        // In sight, where the picture shows it.
        canvas->centerOn(canvas->current());
        QVERIFY(!input->rect().isEmpty());
        const QPoint middle = input->rect().center();
        QCOMPARE(list->childAt(middle.x(), middle.y()), input);
    }

    /// What was handed out of the picture before is of no use, and says so.
    void anotherGraphHasOtherItems() {
        AccessibleBench bench;
        QVERIFY(bench.start());
        auto* canvas = bench.canvas<GraphCanvas>();
        QVERIFY(interfaceOf(canvas)->child(0));
        const GraphScenePtr before = canvas->scene();
        QVERIFY(bench.select(bench.sibling("forward")));
        QTRY_VERIFY_WITH_TIMEOUT(canvas->scene() && canvas->scene() != before, test::patience);
        QCOMPARE(interfaceOf(canvas)->childCount(), int(canvas->scene()->boxCount()));
        expectTree(*interfaceOf(canvas));
    }

    void theMemoryPictureIsAListOfValues() {
        AccessibleBench bench;
        QVERIFY(bench.start());
        bench.raise("memory");
        auto* canvas = bench.canvas<MemoryCanvas>();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->look().scene != nullptr, test::patience);
        (void)bench.window->grab(); // Where the bands lie is known once they were painted.
        QAccessibleInterface* list = interfaceOf(canvas);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->childCount(), int(canvas->look().scene->profile().ranges.size()));
        expectTree(*list);
        QAccessibleInterface* value = list->child(0);
        const memory::LiveRange& range = canvas->look().scene->profile().ranges.front();
        QCOMPARE(value->text(QAccessible::Name), QString::fromStdString(range.name));
        press(*value);
        QTRY_VERIFY_WITH_TIMEOUT(value->state().selected, test::patience);
        QCOMPARE(canvas->look().selected, std::optional<std::uint32_t>(0));
    }

    void theBudgetPictureIsAListOfBudgets() {
        AccessibleBench bench;
        QVERIFY(bench.start());
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->currentPartition()->isCurrent(), test::patience);
        bench.raise("budget");
        auto* canvas = bench.canvas<BudgetCanvas>();
        QTRY_VERIFY_WITH_TIMEOUT(canvas->look().sweep && canvas->look().sweep->points.size() > 2,
                                 test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(!bench.window->parts().jobs->busy(), test::patience);
        QAccessibleInterface* list = interfaceOf(canvas);
        QCOMPARE(list->role(), QAccessible::List);
        QCOMPARE(list->childCount(), int(canvas->look().sweep->points.size()));
        expectTree(*list);
        QAccessibleInterface* least = childNamed(*list, QStringLiteral("budget 0.00"));
        QVERIFY(least && !least->state().selected);
        press(*least);
        QCOMPARE(canvas->look().budget, 0.0);
        QVERIFY(least->state().selected);
        QVERIFY(bench.window->currentPartition()->canUndo());
    }

    void theTextHasACursorAndASelection() {
        AccessibleBench bench;
        QVERIFY(bench.start());
        auto* code = bench.window->panel<TextPanel>()->findChild<CodeView*>();
        QTRY_VERIFY_WITH_TIMEOUT(code->lineCount() > 3, test::patience);
        QAccessibleInterface* found = interfaceOf(code);
        QVERIFY(found && found->textInterface());
        QCOMPARE(found->text(QAccessible::Name), QStringLiteral("Text of the graph"));
        QVERIFY(found->state().readOnly && found->state().multiLine);
        QAccessibleTextInterface& text = *found->textInterface();
        const QString all = code->text();
        QVERIFY(text.characterCount() >= all.size());
        QCOMPARE(text.text(0, int(code->line(0).size())), code->line(0));

        const int third = int(code->line(0).size() + code->line(1).size() + 2);
        text.setCursorPosition(third + 2);
        QCOMPARE(code->currentLine(), 2);
        QCOMPARE(text.cursorPosition(), third + 2);
        QCOMPARE(text.selectionCount(), 0);
        int begin = 0;
        int end = 0;
        QCOMPARE(text.textAtOffset(third + 2, QAccessible::LineBoundary, &begin, &end).trimmed(),
                 code->line(2).trimmed());

        text.setSelection(0, third, third + int(code->line(2).size()));
        QCOMPARE(code->selectedText(), code->line(2));
        QCOMPARE(text.selectionCount(), 1);
        text.selection(0, &begin, &end);
        QCOMPARE(begin, third);
        QCOMPARE(end, third + int(code->line(2).size()));
        const QRect place = text.characterRect(third + 3);
        QVERIFY(found->rect().contains(place.center()));
        QCOMPARE(text.offsetAtPoint(place.topLeft() + QPoint(1, place.height() / 2)), third + 3);
        text.removeSelection(0);
        QCOMPARE(text.selectionCount(), 0);
    }

    /// Too long to be handed out whole: the lines around the cursor, which go with it.
    void ofALongTextTheLinesAroundTheCursor() {
        ThemeSource theme;
        CodeView code(&theme);
        QString words;
        constexpr int lines = 20'000;
        for (int i = 0; i < lines; ++i) {
            words += QStringLiteral("line %1\n").arg(i);
        }
        code.setText(words, CodeLanguage::Plain);
        code.resize(400, 300);
        code.setCurrentLine(12'345);
        QAccessibleTextInterface& text = *interfaceOf(&code)->textInterface();
        QVERIFY(text.characterCount() < words.size() / 10);
        const int cursor = text.cursorPosition();
        QCOMPARE(text.text(cursor, cursor + 10), QStringLiteral("line 12345"));
        code.setCurrentLine(3);
        QCOMPARE(text.text(text.cursorPosition(), text.cursorPosition() + 6), QStringLiteral("line 3"));
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_accessible, WindowAccessibleTest)
#include "tst_window_accessible.moc"
