#pragma once

#include "decompositions/decomposition.h"
#include "fake/meta/shape_call.h"
#include "fake/operator_model.h"

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>

/// What is known of LibTorch's operators beyond their kernels: one row per operator, in the file of its
/// family. What works without LibTorch (effects, recomputation, costs) is in passes and kernels.
namespace aotscope::torch {

/// Where Inductor decomposes an operator that draws random numbers.
enum class DrawsIn : std::uint8_t {
    EveryTable,
    /// extra_random_decomps: without `fallback_random`.
    FastRandom,
    /// The same since torch 2.15; before, everywhere.
    FastRandomSince215,
};

/// The row of an operator; every column is optional.
struct OperatorRow {
    /// The shapes of its results, in place of LibTorch's Meta kernel.
    ShapeRule shape = nullptr;
    /// Its results where sizes are symbolic. In the row of a name without overload: those of all overloads
    /// that have none in a row of theirs.
    OperatorModel symbolic = {};
    /// Its decompositions in core ATen's and Inductor's tables.
    Decomposition core = nullptr;
    Decomposition inductor = nullptr;
    /// Which of Inductor's tables have its decomposition: those of `torch._inductor.config.fallback_random`
    /// lack the draws.
    DrawsIn draws = DrawsIn::EveryTable;
    /// Python kernels for the Autograd keys and for CompositeImplicitAutograd (before_autograd.h).
    Decomposition autograd = nullptr;
    Decomposition composite = nullptr;
    bool isBatchedByDecomposition = false;
};

/// A decomposition in these columns of a row.
template<Decomposition OperatorRow::*... Columns>
struct DecompositionIn {
    Decomposition decomposition;
};
using InCore = DecompositionIn<&OperatorRow::core>;
using InInductor = DecompositionIn<&OperatorRow::inductor>;
/// In Inductor's table, but not with `fallback_random`.
template<DrawsIn draws>
struct DecompositionOfDraws {
    Decomposition decomposition;
};
using ForFastRandom = DecompositionOfDraws<DrawsIn::FastRandom>;
using LikeForFastRandom = DecompositionOfDraws<DrawsIn::FastRandomSince215>;
using ForAutograd = DecompositionIn<&OperatorRow::autograd>;
using ForComposite = DecompositionIn<&OperatorRow::composite>;
using ForBoth = DecompositionIn<&OperatorRow::autograd, &OperatorRow::composite>;

enum class OperatorTrait : std::uint8_t {
    /// PyTorch's shape function takes sizes that ATen's refuses.
    AcceptsMoreThanAten,
    /// LibTorch lacks a batching rule: a batched call runs core ATen's decomposition.
    BatchedByDecomposition,
};

/// The rows by name: "aten::name" (the overload without a name) or "aten::name.overload".
class OperatorRows {
public:
    /// The row of each of these operators, ATen's where no namespace is named. A function or value goes into
    /// the column of its type; a decomposition that names no column into both tables.
    template<typename... Columns>
    void add(std::initializer_list<const char*> operators, const Columns&... columns) {
        OperatorRow row;
        (put(row, columns), ...);
        addRow(operators, row);
    }

    [[nodiscard]] auto begin() const { return m_rows.begin(); }
    [[nodiscard]] auto end() const { return m_rows.end(); }

private:
    static void put(OperatorRow& row, ShapeRule rule) { row.shape = rule; }
    static void put(OperatorRow& row, decltype(OperatorModel::shape) shape) { row.symbolic.shape = shape; }
    static void put(OperatorRow& row, decltype(OperatorModel::guards) guards) {
        row.symbolic.guards = guards;
    }
    static void put(OperatorRow& row, decltype(OperatorModel::view) view) { row.symbolic.view = view; }
    static void put(OperatorRow& row, decltype(OperatorModel::fromData) compute) {
        row.symbolic.fromData = compute;
    }
    static void put(OperatorRow& row, decltype(OperatorModel::format) format) {
        row.symbolic.format = format;
    }
    static void put(OperatorRow& row, OperatorModel::Memory memory) { row.symbolic.memory = memory; }
    static void put(OperatorRow& row, OperatorTrait trait) {
        (trait == OperatorTrait::BatchedByDecomposition ? row.isBatchedByDecomposition
                                                        : row.symbolic.acceptsMoreThanAten) = true;
    }
    static void put(OperatorRow& row, Decomposition decomposition) {
        row.core = row.inductor = decomposition;
    }
    template<DrawsIn draws>
    static void put(OperatorRow& row, const DecompositionOfDraws<draws>& one) {
        row.inductor = one.decomposition;
        row.draws = draws;
    }
    template<Decomposition OperatorRow::*... Into>
    static void put(OperatorRow& row, const DecompositionIn<Into...>& one) {
        ((row.*Into = one.decomposition), ...);
    }
    void addRow(std::initializer_list<const char*> operators, const OperatorRow& row);

    std::map<std::string, OperatorRow> m_rows;
};

/// The rows of all families.
[[nodiscard]] const OperatorRows& operatorRows();

/// One function per family of operators.
void addActivationRows(OperatorRows& rows);
void addArithmeticRows(OperatorRows& rows);
void addAttentionRows(OperatorRows& rows);
void addCreationRows(OperatorRows& rows);
void addImageRows(OperatorRows& rows);
void addInPlaceRows(OperatorRows& rows);
void addIndexingRows(OperatorRows& rows);
void addLinearAlgebraRows(OperatorRows& rows);
void addLossRows(OperatorRows& rows);
void addNormalizationRows(OperatorRows& rows);
void addQuantizationRows(OperatorRows& rows);
void addRandomRows(OperatorRows& rows);
void addRecurrentRows(OperatorRows& rows);
void addReductionRows(OperatorRows& rows);
void addSpectralRows(OperatorRows& rows);
void addViewRows(OperatorRows& rows);

} // namespace aotscope::torch
