#include "kernels/rerun_form.h"

#include "common/giving_way.h"
#include "common/panel_layout.h"
#include "common/plain_words.h"
#include "kernels/rerun_words.h"
#include "style/ink.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

namespace aotscope::views {

RerunForm::RerunForm(QWidget* parent)
    : QWidget(parent),
      m_rerun(new QPushButton(tr("Rerun"))),
      m_cancel(new QPushButton(tr("Cancel"))),
      m_repetitions(new QSpinBox),
      m_dtype(choiceBox(tr("Dtype"), tr("Convert float inputs, and the float dtypes that the nodes name"))),
      m_cache(choiceBox(tr("Caches"), tr("Whether the caches are emptied between two repetitions"))),
      m_algorithms(choiceBox(tr("Algorithms"), tr("Whether only deterministic algorithms are allowed"))),
      m_sizes(new QLineEdit) {
    m_rerun->setToolTip(tr("Run the selected nodes again with the inputs of the run (Ctrl+Return)"));
    m_cancel->setToolTip(tr("Stop after the repetition that is under way"));
    m_repetitions->setRange(1, 1'000'000);
    m_repetitions->setValue(100);
    m_repetitions->setSuffix(QStringLiteral(" ×"));
    m_repetitions->setAccessibleName(tr("Repetitions"));
    m_repetitions->setToolTip(tr("Repetitions that are measured; three more come before them"));
    m_dtype->addItem(tr("dtype as is"));
    for (const ir::DType dtype :
         {ir::DType::Float64, ir::DType::Float32, ir::DType::BFloat16, ir::DType::Float16}) {
        m_dtype->addItem(QString::fromUtf8(ir::dtypeName(dtype).data()), static_cast<int>(dtype));
    }
    m_cache->addItems({tr("warm caches"), tr("cold caches")});
    m_algorithms->addItems({tr("any algorithm"), tr("deterministic")});
    m_sizes->setPlaceholderText(tr("sizes: x=8x16, s0=4"));
    m_sizes->setAccessibleName(tr("Other sizes of inputs, and other values of symbols"));
    m_sizes->setToolTip(tr("Sizes of inputs by name (x=8x16: the values are repeated or cut off), and values "
                           "of symbols (s0=4)"));
    m_sizes->setClearButtonEnabled(true);
    m_sizes->setMaximumWidth(240);

    auto* row = controlRow(this);
    for (QWidget* widget : {static_cast<QWidget*>(m_rerun), static_cast<QWidget*>(m_cancel),
                            static_cast<QWidget*>(m_repetitions), static_cast<QWidget*>(m_dtype),
                            static_cast<QWidget*>(m_cache), static_cast<QWidget*>(m_algorithms)}) {
        row->addWidget(widget);
    }
    row->addWidget(m_sizes, 1);
    row->addStretch();
    connect(m_rerun, &QPushButton::clicked, this, &RerunForm::rerunWanted);
    connect(m_cancel, &QPushButton::clicked, this, &RerunForm::cancelWanted);
    connect(m_sizes, &QLineEdit::returnPressed, this, &RerunForm::rerunWanted);
    setState(false, false);
}

void RerunForm::setSymbols(std::vector<std::string> symbols) {
    m_symbols = std::move(symbols);
}

void RerunForm::setState(bool canRun, bool isRunning) {
    m_rerun->setEnabled(canRun && !isRunning);
    m_cancel->setEnabled(isRunning);
}

std::optional<session::RerunSettings> RerunForm::settings(QString& failure) const {
    session::RerunSettings settings;
    settings.repetitions = static_cast<std::size_t>(m_repetitions->value());
    settings.coldCache = m_cache->currentIndex() == 1;
    settings.changes = readSizes(m_sizes->text(), m_symbols, failure);
    if (!failure.isEmpty()) {
        return std::nullopt;
    }
    if (m_dtype->currentIndex() > 0) {
        settings.changes.dtype = static_cast<ir::DType>(m_dtype->currentData().toInt());
    }
    if (m_algorithms->currentIndex() == 1) {
        settings.changes.deterministic = true;
    }
    return settings;
}

} // namespace aotscope::views
