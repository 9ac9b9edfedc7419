// Exporting from the whole window: every format, the whole graph and the selection, and the File menu.
#include "support/pictures.h"
#include "support/window_bench.h"
#include "support/window_test.h"

#include "graph/graph_canvas.h"
#include "graph/graph_panel.h"
#include "ir/text_parser.h"
#include "ir/verifier.h"
#include "window/graph_dock.h"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QTimer>
#include <QXmlStreamReader>

#include <algorithm>
#include <optional>
#include <vector>

using namespace aotscope;
using namespace aotscope::views;
using Format = MainWindow::ExportFormat;

namespace {

struct ExportBench : test::WindowBench {
    QTemporaryDir folder;

    [[nodiscard]] bool openSample() {
        return open(test::sampleLogPath()) &&
               QTest::qWaitFor([this] { return window->graphDock()->panel()->shown() != nullptr; },
                               test::patience);
    }
    [[nodiscard]] QString path(const char* name) const { return folder.filePath(QLatin1String(name)); }
    /// What was written; nothing, and a message, when it failed.
    QByteArray exported(Format format, bool selectionOnly) {
        const QString target = path("out");
        std::optional<QString> failure;
        window->exportTo(target, format, selectionOnly, [&](const QString& reason) { failure = reason; });
        if (!QTest::qWaitFor([&] { return failure.has_value(); }, test::patience) || !failure->isEmpty()) {
            qWarning("export failed: %s", qPrintable(failure.value_or(QStringLiteral("no answer"))));
            return {};
        }
        return read(target);
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

/// The elements of well-formed XML by name; empty: it is not well-formed.
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
        const GraphPanel* panel = bench.window->graphDock()->panel();
        QTRY_VERIFY_WITH_TIMEOUT(panel->shown() && panel->shown()->graph->graph == whole, test::patience);
        auto* canvas = panel->findChild<GraphCanvas*>();
        canvas->fit();
        const QRect half(0, 0, canvas->width() / 2, canvas->height() - 1);
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

    void whatCannotBeWrittenIsSaid() {
        ExportBench bench;
        QVERIFY(bench.openSample());
        std::optional<QString> failure;
        bench.window->exportTo(QStringLiteral("/no/such/folder/out.dot"), Format::Dot, false,
                               [&](const QString& reason) { failure = reason; });
        QTRY_VERIFY_WITH_TIMEOUT(failure.has_value(), test::patience);
        QVERIFY2(failure->contains(QLatin1String("/no/such/folder/out.dot")), qPrintable(*failure));
    }

private:
    test::OwnSettings m_settings;
};

AOTSCOPE_WINDOW_TEST(tst_window_export, WindowExportTest)
#include "tst_window_export.moc"
