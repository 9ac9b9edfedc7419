#pragma once

#include "base/verdict.h"

#include <QAbstractButton>
#include <QPointer>

#include <optional>

class QFrame;

namespace aotscope::views {

struct Theme;
class ThemeSource;

/// How a verdict's word looks everywhere: a sign, so that colour is not needed to tell words apart, and a
/// colour.
[[nodiscard]] QString verdictSign(base::VerdictWord word);
[[nodiscard]] QColor verdictColor(base::VerdictWord word, const Theme& theme);

/// One line with a verdict: its sign, its word in bold and its reason, elided if there is too little room. A
/// click, Space or Enter opens a page with all that is behind it (base::explainedVerdict), which can be
/// copied. Hidden while there is no verdict.
class VerdictLabel : public QAbstractButton {
    Q_OBJECT

public:
    explicit VerdictLabel(const ThemeSource& theme, QWidget* parent = nullptr);

    /// `subject` says what the verdict is about, for the page's title: "The call beside eager".
    void setVerdict(std::optional<base::Verdict> verdict, const QString& subject = {});
    [[nodiscard]] const std::optional<base::Verdict>& verdict() const { return m_verdict; }
    /// The line with nothing elided: "✗ differs: node 3 is aten.mul, not aten.add".
    [[nodiscard]] QString line() const;
    /// What the page says and what Copy copies.
    [[nodiscard]] QString explanation() const;

    /// Opens the page.
    void explain();
    /// Null: it is not open.
    [[nodiscard]] QFrame* page() const { return m_page; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QString head() const;
    [[nodiscard]] QFont headFont() const;

    const ThemeSource& m_theme;
    std::optional<base::Verdict> m_verdict;
    QString m_subject;
    QPointer<QFrame> m_page;
};

} // namespace aotscope::views
