// Writing re-traces into a folder.
#include "retrace/retrace_panel.h"

#include "common/file_jobs.h"
#include "common/log_list.h"
#include "common/plain_words.h"
#include "retrace/retrace_files.h"

#include <QDir>
#include <QFileDialog>
#include <QLabel>

#include <utility>

namespace aotscope::views {

void RetracePanel::saveDialog() {
    if (m_results.empty()) {
        m_summary->setText(tr("There is nothing to save: trace a compile again first."));
        return;
    }
    auto* dialog = new QFileDialog(this, tr("Choose where to create the folder with the graphs"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& parent) {
        const QDir folder(parent);
        QString name = QStringLiteral("retraced");
        for (int number = 2; folder.exists(name); ++number) {
            name = QStringLiteral("retraced-%1").arg(number);
        }
        saveTo(folder.filePath(name));
    });
    dialog->open();
}

void RetracePanel::saveTo(const QString& folder, std::function<void(const QString&)> done) {
    std::vector<RetracedCompile> compiles;
    for (const session::RetraceSnapshotPtr& retraced : m_results) {
        compiles.push_back({retraced, m_context.logs->tryLog(retraced->log)});
    }
    m_context.files->write(folder, retracedFolder(std::move(compiles)), this,
                           [this, done = std::move(done)](const FileResult& result) {
                               m_summary->setText(result.message());
                               m_summary->setToolTip(plainToolTip(result.message()));
                               if (done) {
                                   done(result.written() ? QString() : result.message());
                               }
                           });
}

} // namespace aotscope::views
