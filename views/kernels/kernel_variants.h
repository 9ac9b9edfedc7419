#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include <vector>

namespace aotscope::views {

/// A text in place of a fused kernel's own.
struct KernelVariant {
    /// Which kernel: equal for kernels that compute the same (kernels::FusedKernel::bodyKey).
    QString kernel;
    QString name;
    QString source;
    friend bool operator==(const KernelVariant&, const KernelVariant&) = default;
};

/// The texts that a person kept, the oldest first.
class KernelVariants : public QObject {
    Q_OBJECT

public:
    using QObject::QObject;

    /// Beyond this many the oldest goes.
    static constexpr std::size_t mostVariants = 200;

    [[nodiscard]] std::vector<KernelVariant> of(const QString& kernel) const;
    /// Keeps a text and returns its name, "variant 2".
    QString add(const QString& kernel, const QString& source);
    void remove(const QString& kernel, const QString& name);

    /// For the settings of the next window: three texts for each variant.
    [[nodiscard]] QStringList toTexts() const;
    /// Takes them instead of what is there; what is incomplete is left out.
    void setTexts(const QStringList& texts);

Q_SIGNALS:
    void changed();

private:
    std::vector<KernelVariant> m_all;
};

} // namespace aotscope::views
