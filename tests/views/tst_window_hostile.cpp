// A log whose names contain markup, local image files, and links to programs: all must be shown as plain
// text.
#include "support/log_records.h"
#include "support/small_graphs.h"
#include "support/temp_folder.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "panels/compile_model.h"
#include "panels/compiles_panel.h"
#include "panels/json_model.h"
#include "panels/payload_panel.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"

#include <QAbstractItemView>
#include <QDesktopServices>
#include <QLabel>
#include <QTabBar>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTreeView>

#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// A tooltip that is treated as HTML would show this as an image.
constexpr const char* picture = "<img src='file:///dev/null'>";

std::string hostileLog() {
    const std::string name = picture;
    return test::plainRecord("\"dynamo_start\": {\"stack\": [{\"line\": 3, \"name\": \"" + name +
                                 "\", \"filename\": \"" + name + "\", \"loc\": \"" + name + "\"}]}",
                             0) +
           test::payloadRecord("\"aot_joint_graph\": {}", 0,
                               "class GraphModule(torch.nn.Module):\n"
                               "    def forward(self, arg0_1: \"f32[8, 4][4, 1]cpu\"):\n"
                               "        # File: " +
                                   name + ":41 in " + name + ", code: " + name +
                                   "\n"
                                   "        relu: \"f32[8, 4][4, 1]cpu\" = "
                                   "torch.ops.aten.relu.default(arg0_1);  arg0_1 = None\n"
                                   "        return (relu,)\n") +
           test::payloadRecord("\"artifact\": {\"name\": \"" + name + "\", \"encoding\": \"string\"}", 0,
                               "{\"" + name + "\": \"" + name + "\"}") +
           test::plainRecord("\"link\": {\"name\": \"" + name + "\", \"url\": \"javascript:alert(1)\"}", 0) +
           test::payloadRecord("\"artifact\": {\"name\": \"dynamo_graph_break_reason\", "
                               "\"encoding\": \"string\"}",
                               0, "Graph Break Reason: " + name) +
           test::plainRecord("\"compilation_metrics\": {\"co_name\": \"" + name + "\", \"co_filename\": \"" +
                                 name + "\", \"fail_type\": \"" + name + "\", \"fail_reason\": \"" + name +
                                 "\"}",
                             0) +
           "noise " + name + "\n";
}

struct HostileBench : test::WindowBench {
    test::TempFolder folder;

    [[nodiscard]] bool openLog() { return open(folder.write("<b>hostile<b>.log", hostileLog()).string()); }
    [[nodiscard]] bool pick(const std::string& artifact) const {
        window->selection()->select({sibling(artifact), {}});
        return QTest::qWaitFor(
            [&] {
                const auto& shown = window->panel<PayloadPanel>()->shown();
                return shown && shown->reference.artifact == artifact;
            },
            test::patience);
    }
};

/// All tooltips of a model, at any depth.
void collectToolTips(QAbstractItemModel& model, const QModelIndex& parent, QStringList& tips) {
    while (model.canFetchMore(parent)) {
        model.fetchMore(parent);
    }
    for (int row = 0; row < model.rowCount(parent); ++row) {
        for (int column = 0; column < model.columnCount(parent); ++column) {
            tips << model.index(row, column, parent).data(Qt::ToolTipRole).toString();
        }
        collectToolTips(model, model.index(row, 0, parent), tips);
    }
}

/// Whether a tooltip or page contains an image.
bool holdsPicture(const QTextDocument& document) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            if (part.fragment().charFormat().isImageFormat()) {
                return true;
            }
        }
    }
    return false;
}

bool showsPicture(const QString& toolTip) {
    QTextDocument page;
    page.setHtml(Qt::mightBeRichText(toolTip) ? toolTip : QString());
    return holdsPicture(page);
}

} // namespace

/// Records every URL that would be opened in another program.
class OpenedLinks : public QObject {
    Q_OBJECT

public:
    OpenedLinks() {
        for (const char* scheme : schemes) {
            QDesktopServices::setUrlHandler(QLatin1String(scheme), this, "opened");
        }
    }
    ~OpenedLinks() override {
        for (const char* scheme : schemes) {
            QDesktopServices::unsetUrlHandler(QLatin1String(scheme));
        }
    }
    QList<QUrl> all;

public Q_SLOTS:
    void opened(const QUrl& url) { all << url; }

private:
    static constexpr std::array schemes = {"javascript", "file", "http", "https", "mailto"};
};

class WindowHostileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { test::OwnSettings::clear(); }

    void theTestTellsAPictureFromItsWords() {
        QVERIFY(Qt::mightBeRichText(QString::fromLatin1(picture)));
        QVERIFY(showsPicture(QString::fromLatin1(picture)));
        QVERIFY(!showsPicture(QString::fromLatin1(picture).toHtmlEscaped()));
        OpenedLinks opened;
        QDesktopServices::openUrl(QUrl(QStringLiteral("javascript:alert(1)")));
        QCOMPARE(opened.all.size(), 1);
    }

    void namesInTooltipsAreWords() {
        HostileBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick(picture));
        QStringList tips;
        collectToolTips(*bench.window->panel<CompilesPanel>()->model(), {}, tips);
        collectToolTips(*bench.window->panel<PayloadPanel>()->json(), {}, tips);
        QAbstractItemModel* problems =
            bench.window->panel<ProblemsPanel>()->findChild<QAbstractItemView*>()->model();
        QVERIFY(problems->rowCount() > 0);
        collectToolTips(*problems, {}, tips);
        for (const QWidget* widget : bench.window->findChildren<QWidget*>()) {
            tips << widget->toolTip();
        }
        const auto named = std::count_if(tips.begin(), tips.end(), [](const QString& tip) {
            return tip.contains(QLatin1String("/dev/null"));
        });
        QVERIFY2(named >= 4, qPrintable(QString::number(named)));
        for (const QString& tip : tips) {
            QVERIFY2(!showsPicture(tip), qPrintable(tip));
        }
    }

    /// A label that is told nothing decides by what it is given.
    void noLabelTakesWordsForMarkup() {
        HostileBench bench;
        QVERIFY(bench.openLog());
        const auto labels = bench.window->findChildren<QLabel*>();
        QVERIFY(labels.size() > 20);
        for (const QLabel* label : labels) {
            QVERIFY2(label->textFormat() != Qt::AutoText, qPrintable(label->text()));
        }
    }

    void namesOnPagesAreWords() {
        HostileBench bench;
        QVERIFY(bench.openLog());
        int named = 0;
        const auto look = [&] {
            for (const QTextBrowser* page : bench.window->findChildren<QTextBrowser*>()) {
                QVERIFY(!page->openLinks() && !page->openExternalLinks());
                QVERIFY2(!holdsPicture(*page->document()), qPrintable(page->toHtml()));
                named += page->toPlainText().contains(QLatin1String("/dev/null")) ? 1 : 0;
            }
        };
        QTRY_VERIFY_WITH_TIMEOUT((look(), named > 0), test::patience);
        named = 0;
        bench.window->selection()->select({bench.sibling("joint"), "relu"});
        QTRY_VERIFY_WITH_TIMEOUT((look(), named > 0), test::patience);
    }

    void aLinkIsShownAndNeverOpened() {
        OpenedLinks opened;
        HostileBench bench;
        QVERIFY(bench.openLog());
        QVERIFY(bench.pick("link"));
        const PayloadPanel* panel = bench.window->panel<PayloadPanel>();
        QCOMPARE(panel->tabs()->count(), 1);
        QCOMPARE(panel->tabs()->tabText(0), QStringLiteral("Envelope"));
        auto* tree = panel->findChild<QTreeView*>();
        QAbstractItemModel* json = tree->model();
        const QModelIndex link = json->index(0, 0);
        QCOMPARE(link.data().toString(), QStringLiteral("link"));
        while (json->canFetchMore(link)) {
            json->fetchMore(link);
        }
        const QModelIndex url = json->index(1, 1, link);
        QVERIFY(url.data().toString().contains(QLatin1String("javascript:alert(1)")));
        bench.window->dock(QStringLiteral("payload"))->raise();
        tree->expand(link);
        tree->scrollTo(url);
        const QPoint place = tree->visualRect(url).center();
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, place);
        QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, place);
        QTest::mouseClick(tree->viewport(), Qt::LeftButton, Qt::ControlModifier, place);
        QTest::keyClick(tree, Qt::Key_Return);
        // Nor does a page that is made to hold one.
        for (QTextBrowser* page : bench.window->findChildren<QTextBrowser*>()) {
            Q_EMIT page->anchorClicked(QUrl(QStringLiteral("javascript:alert(1)")));
            Q_EMIT page->anchorClicked(QUrl(QStringLiteral("file:///dev/null")));
        }
        QCoreApplication::processEvents();
        QVERIFY(opened.all.isEmpty());
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_hostile, WindowHostileTest)
#include "tst_window_hostile.moc"
