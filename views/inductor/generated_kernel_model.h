#pragma once

#include "files/generated_code.h"

#include <QAbstractTableModel>
#include <QFont>

#include <vector>

namespace aotscope::views {

class ThemeSource;

/// The kernels of one part of a compile's generated code, in the order in which they are first launched.
class GeneratedKernelModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Name, Kind, Launches, Nodes, ColumnCount };

    explicit GeneratedKernelModel(const ThemeSource* theme, QObject* parent = nullptr);

    /// Null: none. `code` must outlive its use here.
    void setCode(const inductor::GeneratedCode* code);
    /// The kernels that compute the current node.
    void setMarked(std::vector<std::uint32_t> kernels);
    [[nodiscard]] const std::vector<std::uint32_t>& marked() const { return m_marked; }
    /// Index in OutputCode::kernels.
    [[nodiscard]] std::uint32_t kernelOf(int row) const { return m_kernels[static_cast<std::size_t>(row)]; }
    /// -1: the code has no such kernel.
    [[nodiscard]] int rowOf(std::uint32_t kernel) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString textOf(std::uint32_t kernel, int column) const;
    [[nodiscard]] bool isMarked(std::uint32_t kernel) const;

    const ThemeSource* m_theme;
    QFont m_code;
    QFont m_bold;
    const inductor::GeneratedCode* m_generated = nullptr;
    std::vector<std::uint32_t> m_kernels;
    std::vector<std::size_t> m_nodeCounts;
    std::vector<std::uint32_t> m_marked;
};

/// The distinct nodes that a kernel's launches compute, in program order.
[[nodiscard]] std::vector<ir::NodeId> nodesOfKernel(const inductor::GeneratedCode& code,
                                                    std::uint32_t kernel);

} // namespace aotscope::views
