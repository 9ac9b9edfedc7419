// Exporting from the whole window: every format, the whole graph and the selection, and the File menu.
#include "support/corpus.h"
#include "support/pictures.h"
#include "support/watchdog.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "common/file_jobs.h"
#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "ir/json/graph_json.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"
#include "panels/problem_model.h"
#include "panels/problems_panel.h"
#include "window/graph_dock.h"
#include "window/graph_exporter.h"
#include "window/job_status.h"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QThread>
#include <QTimer>
#include <QToolButton>
#include <QXmlStreamReader>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include <sys/resource.h>

using namespace aotscope;
using namespace aotscope::views;
using Format = ExportFormat;

namespace {

struct ExportBench : test::WindowBench {
    QTemporaryDir folder;

    [[nodiscard]] bool openSample() {
        return open(test::sampleLogPath()) &&
               QTest::qWaitFor([this] { return window->panel<GraphDock>()->panel()->shown() != nullptr; },
                               test::patience);
    }
    [[nodiscard]] QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }
    /// What was written; nothing, and a message, when it failed.
    QByteArray exported(Format format, bool selectionOnly) {
        const QString target = path("out");
        std::optional<QString> failure;
        window->parts().exporter->exportTo(target, format, selectionOnly,
                                           [&](const QString& reason) { failure = reason; });
        if (!QTest::qWaitFor([&] { return failure.has_value(); }, test::patience) || !failure->isEmpty()) {
            qWarning("export failed: %s", qPrintable(failure.value_or(QStringLiteral("no answer"))));
            return {};
        }
        return read(target);
    }
    /// Opens the largest graph of the corpus with every node in the picture.
    [[nodiscard]] bool openLargest() {
        const bool isOpen = open(test::corpusTrace("huge_transformer").string());
        GraphPanel* panel = window->panel<GraphDock>()->panel();
        auto* grouping = panel->findChild<QComboBox*>(QStringLiteral("graphGrouping"));
        grouping->setCurrentIndex(grouping->findData(int(layout::Grouping::None)));
        Q_EMIT grouping->activated(grouping->currentIndex());
        return isOpen && QTest::qWaitFor(
                             [&] {
                                 const session::LayoutSnapshotPtr shown = panel->shown();
                                 return shown && shown->layout && shown->layout->boxes.size() > 20'000;
                             },
                             test::patience);
    }
    /// What lies in the folder, temporary files too.
    [[nodiscard]] QStringList files() const {
        return QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// Goes through the dialogs that the File menu's Export opens.
    void exportByMenu(const QString& format, const QString& target) {
        QTimer steps;
        QObject::connect(&steps, &QTimer::timeout, &steps, [&] {
            QWidget* shown = QApplication::activeModalWidget();
            if (auto* files = qobject_cast<QFileDialog*>(shown)) {
                files->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(target);
                QMetaObject::invokeMethod(files, "accept");
            } else if (auto* options = qobject_cast<QDialog*>(shown)) {
                auto* choice = options->findChild<QComboBox*>();
                choice->setCurrentIndex(choice->findText(format));
                options->accept();
            }
        });
        steps.start(0);
        window->action(QStringLiteral("export"))->trigger();
    }
};

/// Limits the size of files that this process can write, while it exists.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t bytes) : m_signal(std::signal(SIGXFSZ, SIG_IGN)) {
        getrlimit(RLIMIT_FSIZE, &m_before);
        const rlimit small{bytes, m_before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &small);
    }
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &m_before);
        (void)std::signal(SIGXFSZ, m_signal);
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    rlimit m_before{};
    void (*m_signal)(int);
};

/// Number of elements of each name in an XML document; empty if it is not well-formed.
QMap<QString, int> elements(const QByteArray& xml) {
    QXmlStreamReader reader(xml);
    QMap<QString, int> counts;
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement) {
            ++counts[reader.name().toString()];
        }
    }
    return reader.hasError() ? QMap<QString, int>() : counts;
}

} // namespace

class WindowExportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs); }
    void init() { test::OwnSettings::clear(); }

    void everyFormatIsWritten() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        const session::GraphSnapshotPtr graph = bench.window->currentGraph()->graph();
        QVERIFY(elements(bench.exported(Format::Svg, false)).value(QStringLiteral("svg")) >= 1);
        QVERIFY(!test::isBlank(QImage::fromData(bench.exported(Format::Png, false), "PNG")));
        QVERIFY(bench.exported(Format::Dot, false).contains("digraph"));
        QCOMPARE(bench.exported(Format::Text, false).toStdString(), graph->printed.text);
        const QJsonDocument json = QJsonDocument::fromJson(bench.exported(Format::Json, false));
        QVERIFY(json.isObject());
        QVERIFY(QJsonDocument(json).toJson().contains(
            QByteArray::fromStdString(graph->graph->node(graph->graph->order().back()).name)));
    }

    void theSelectionIsLessThanTheWhole() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        const ir::GraphPtr graph = bench.window->currentGraph()->graph()->graph;
        const ir::NodeId node = graph->order()[graph->size() / 2];
        bench.window->currentGraph()->selectNode(node);
        for (const Format format : {Format::Svg, Format::Dot, Format::Json, Format::Text}) {
            const QByteArray part = bench.exported(format, true);
            const QByteArray whole = bench.exported(format, false);
            QVERIFY(!part.isEmpty());
            QVERIFY2(part.size() < whole.size(), qPrintable(QString::number(static_cast<int>(format))));
            QVERIFY(part.contains(QByteArray::fromStdString(graph->node(node).name)));
        }
    }

    void whatIsPickedWithARectangleIsAGraphOfItsOwn() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        const ir::GraphPtr whole = bench.window->currentGraph()->graph()->graph;
        const GraphPanel* panel = bench.window->panel<GraphDock>()->panel();
        QTRY_VERIFY_WITH_TIMEOUT(panel->shown() && panel->shown()->graph->graph == whole, test::patience);
        auto* canvas = panel->findChild<GraphCanvas*>();
        canvas->fit();
        // Down to the middle of the box in the middle.
        std::vector<double> middles;
        for (std::uint32_t box = 0; box < canvas->scene()->boxCount(); ++box) {
            middles.push_back(canvas->toPixel(canvas->scene()->rect(BoxId(box)).center()).y());
        }
        std::ranges::sort(middles);
        const QRect half(0, 0, canvas->width() - 1, int(middles.at(middles.size() / 2)));
        QTest::mousePress(canvas, Qt::LeftButton, Qt::ShiftModifier, half.topLeft());
        QTest::mouseMove(canvas, half.center());
        QTest::mouseMove(canvas, half.bottomRight());
        QTest::mouseRelease(canvas, Qt::LeftButton, Qt::ShiftModifier, half.bottomRight());
        const std::vector<ir::NodeId> picked = panel->picked();
        QVERIFY(picked.size() > 1 && picked.size() < whole->size());

        const auto part = ir::parseGraphText(bench.exported(Format::Text, true).toStdString());
        QVERIFY(part.ok());
        QVERIFY(ir::verifyGraph(**part).empty());
        for (const ir::NodeId id : picked) {
            const ir::Node& node = whole->node(id);
            const auto found = (*part)->tryFind(node.name);
            QVERIFY2(found || node.op == ir::Opcode::Output, node.name.c_str());
            QVERIFY(node.op == ir::Opcode::Output || (*part)->node(*found).target == node.target);
        }
        // Of the rest only what the picked nodes read, as inputs.
        for (const ir::NodeId id : (*part)->order()) {
            const ir::Node& node = (*part)->node(id);
            const auto origin = whole->tryFind(node.name);
            const bool isPicked =
                origin && std::ranges::find(picked, *origin) != picked.end() && node.op != ir::Opcode::Output;
            QVERIFY(isPicked || node.op == ir::Opcode::Placeholder || node.op == ir::Opcode::Output);
        }
    }

    void theFileMenuWritesSvgAndPng() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        const QString svg = bench.path("menu.svg");
        bench.exportByMenu(QStringLiteral("SVG picture"), svg);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(svg), test::patience);
        QVERIFY(elements(ExportBench::read(svg)).value(QStringLiteral("svg")) >= 1);
        const QString png = bench.path("menu.png");
        bench.exportByMenu(QStringLiteral("PNG picture"), png);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(png), test::patience);
        QVERIFY(!test::isBlank(QImage(png)));
    }

    void everyExportOfTheLargestGraphIsCanceledInTheMiddle() {
        ExportBench bench;
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        QVERIFY(bench.openLargest());
        QVERIFY(bench.window->currentGraph()->graph()->graph->size() > 21'000);
        const QString target = bench.path("out");
        JobStatus* status = bench.window->parts().jobs;
        for (const Format format : {Format::Svg, Format::Png, Format::Dot, Format::Json, Format::Text}) {
            QFile before(target);
            QVERIFY(before.open(QIODevice::WriteOnly) && before.write("as it was") > 0);
            before.close();
            std::optional<QString> answer;
            test::Watchdog watchdog;
            bench.window->parts().exporter->exportTo(target, format, false,
                                                     [&](const QString& told) { answer = told; });
            QVERIFY(status->busy());
            QVERIFY(bench.window->action(QStringLiteral("cancel"))->isEnabled());
            if (format == Format::Svg) {
                // The one that takes seconds: while it is painted.
                const auto* bar = status->findChild<QProgressBar*>();
                QTRY_VERIFY_WITH_TIMEOUT(answer || (bar->isVisible() && bar->value() > bar->maximum() / 10),
                                         test::patience);
                QVERIFY2(!answer, "it was over before it could be canceled");
            }
            QElapsedTimer clock;
            clock.start();
            bench.window->action(QStringLiteral("cancel"))->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
            qInfo("format %d ended %lld ms after the cancel", int(format), clock.elapsed());
            QCOMPARE(bench.files(), QStringList(QStringLiteral("out")));
            if (answer->isEmpty()) {
                // It was whole by then: text that lies ready takes a few milliseconds.
                QVERIFY(format != Format::Svg && ExportBench::read(target).size() > 10'000);
            } else {
                QVERIFY2(answer->startsWith(QLatin1String("Canceled")), qPrintable(*answer));
                QCOMPARE(ExportBench::read(target), QByteArray("as it was"));
            }
            QVERIFY(!watchdog.waited());
        }
        QCOMPARE(bench.window->panel<ProblemsPanel>()->model()->rowCount(), 0);
    }

    void aLongExportShowsHowFarItIsAndIsCanceledByItsButton() {
        ExportBench bench;
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        QVERIFY(bench.openLargest());
        std::optional<QString> answer;
        bench.window->parts().exporter->exportTo(bench.path("picture.svg"), Format::Svg, false,
                                                 [&](const QString& told) { answer = told; });
        const JobStatus* status = bench.window->parts().jobs;
        const auto* bar = status->findChild<QProgressBar*>();
        const auto told = [&] {
            return bar->isVisible() && bar->value() > 0 &&
                   status->label()->text().startsWith(QLatin1String("Writing picture.svg"));
        };
        QTRY_VERIFY_WITH_TIMEOUT(answer || told(), test::patience);
        QVERIFY2(!answer, "it was over before its progress was shown");
        QVERIFY(bench.window->grab().toImage().save(test::artifactPath(QStringLiteral("window-export.png"))));
        QTest::mouseClick(status->cancelButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        QVERIFY2(answer->startsWith(QLatin1String("Canceled")), qPrintable(*answer));
        QVERIFY(bench.files().isEmpty());
    }

    void theLargestGraphIsWrittenWhole() {
        ExportBench bench;
        if (test::corpusMissing()) {
            QSKIP("The corpus is not on this machine.");
        }
        QVERIFY(bench.openLargest());
        const ir::GraphPtr graph = bench.window->currentGraph()->graph()->graph;
        QElapsedTimer clock;
        for (const Format format : {Format::Svg, Format::Png, Format::Dot, Format::Json, Format::Text}) {
            clock.start();
            const QByteArray content = bench.exported(format, false);
            qInfo("format %d: %lld ms, %lld bytes", int(format), clock.elapsed(), qint64(content.size()));
            QVERIFY(!content.isEmpty());
            if (format == Format::Svg || format == Format::Dot) {
                QVERIFY(content.contains(graph->node(graph->order()[graph->size() / 2]).name.c_str()));
            }
            if (format == Format::Json) {
                const auto again = ir::graphFromJson(content.toStdString());
                QVERIFY(again.ok() && (*again)->size() == graph->size());
            }
        }
    }

    void aDiskThatTakesNoMoreLeavesNothingHalfWritten() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        const QString target = bench.path("full.json");
        std::optional<QString> answer;
        {
            // Of a file no more than this is taken, as of a disk that is full.
            const SmallFiles small(4'096);
            bench.window->parts().exporter->exportTo(target, Format::Json, false,
                                                     [&](const QString& told) { answer = told; });
            QTRY_VERIFY_WITH_TIMEOUT(answer, test::patience);
        }
        QVERIFY2(answer->contains(target), qPrintable(*answer));
        QVERIFY2(answer->contains(QLatin1String("make room")), qPrintable(*answer));
        QVERIFY(bench.files().isEmpty());
        QCOMPARE(bench.window->panel<ProblemsPanel>()->model()->rowCount(), 1);
    }

    void closingTheWindowWhileAFileIsWrittenLeavesNothing() {
        QTemporaryDir folder;
        {
            ExportBench bench;
            QVERIFY(bench.openSample());
            auto begun = std::make_shared<std::atomic<bool>>(false);
            bench.window->parts().context.files->write(
                folder.filePath(QStringLiteral("slow.txt")),
                [begun](QIODevice& file, base::Progress& progress) {
                    *begun = true;
                    while (!progress.stopRequested()) {
                        file.write("more");
                        QThread::msleep(1);
                    }
                    return QString();
                },
                bench.window.get(), [](const FileResult&) { QFAIL("nobody is there to be told"); });
            QTRY_VERIFY_WITH_TIMEOUT(begun->load(), test::patience);
            bench.window->close();
        }
        const auto left = [&] {
            return QDir(folder.path()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
        };
        QTRY_COMPARE_WITH_TIMEOUT(left(), QStringList(), test::patience);
    }

    void whatCannotBeWrittenIsSaid() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        std::optional<QString> failure;
        bench.window->parts().exporter->exportTo(QStringLiteral("/no/such/folder/out.dot"), Format::Dot,
                                                 false, [&](const QString& reason) { failure = reason; });
        QTRY_VERIFY_WITH_TIMEOUT(failure.has_value(), test::patience);
        QVERIFY2(failure->contains(QLatin1String("/no/such/folder/out.dot")), qPrintable(*failure));
        QVERIFY2(failure->contains(QLatin1String("choose another")), qPrintable(*failure));
        // It stays to be read when the status bar has forgotten it.
        const ProblemModel* problems = bench.window->panel<ProblemsPanel>()->model();
        QCOMPARE(problems->rowCount(), 1);
        failure.reset();
        bench.window->parts().exporter->exportTo(bench.folder.path(), Format::Dot, false,
                                                 [&](const QString& reason) { failure = reason; });
        QTRY_VERIFY_WITH_TIMEOUT(failure.has_value(), test::patience);
        QVERIFY2(failure->contains(QLatin1String("A folder has this name")), qPrintable(*failure));
        failure.reset();
        bench.window->parts().exporter->exportTo(QStringLiteral("/proc/out.dot"), Format::Dot, false,
                                                 [&](const QString& reason) { failure = reason; });
        QTRY_VERIFY_WITH_TIMEOUT(failure.has_value(), test::patience);
        QVERIFY2(failure->startsWith(QLatin1String("Could not write /proc/out.dot")), qPrintable(*failure));
        QCOMPARE(problems->rowCount(), 3);
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_export, WindowExportTest)
#include "tst_window_export.moc"
