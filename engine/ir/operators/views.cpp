#include "ir/operators/operator_table.h"

/// Views, and operators that copy only what could not be one.
namespace aotscope::ir::detail {

void addViews(OperatorTable& table) {
    using enum Trait;
    using enum Computes;
    table.add({"aten.squeeze"}, View | MovesValues | KeepsElements,
              {.overloads = "default dim dims", .view = ViewMap::Reshaped});
    table.add({"aten.unsqueeze"}, View | MovesValues | Reshapes | KeepsElements, {.view = ViewMap::Reshaped});
    table.add({"aten.alias"}, View | MovesValues | KeepsElements | MayReturnArgument | Aliases,
              {.view = ViewMap::Reshaped});
    table.add({"aten.view"}, View | MovesValues | ChangesShape | Reshapes | KeepsElements | MayReturnArgument,
              {.view = ViewMap::Reshaped});
    table.add({"aten.slice"}, View | MovesValues | MayReturnArgument,
              {.overloads = "Tensor", .view = ViewMap::Sliced});
    table.add({"aten.t"}, View | MovesValues | Reshapes | KeepsElements | MayReturnArgument,
              {.view = ViewMap::MatrixTransposed});
    table.add({"prims.broadcast_in_dim"}, View, {.view = ViewMap::BroadcastInDim});
    table.add({"aten.expand"}, View | MovesValues | Reshapes | MayReturnArgument,
              {.view = ViewMap::Expanded});
    table.add({"aten.as_strided"}, View | MovesValues, {.view = ViewMap::Unknown});
    table.add({"aten.permute"}, View | MovesValues | Reshapes | KeepsElements | MayReturnArgument,
              {.view = ViewMap::Permuted});
    table.add({"aten.select"}, View | MovesValues,
              {.view = ViewMap::Selected, .element = ElementRule{0, 1, 2}});
    table.add({"aten.split"}, View | MovesValues, {.view = ViewMap::Split});
    table.add({"aten._unsafe_view"},
              Recomputable | MovesValues | Reshapes | KeepsElements | MayReturnArgument | HiddenView,
              {.view = ViewMap::Reshaped});
    table.add({"aten.reshape"},
              Recomputable | MovesValues | ChangesShape | Reshapes | KeepsElements | MayReturnArgument,
              {.view = ViewMap::Reshaped});
    table.add({"aten.broadcast_tensors"}, Recomputable);
    table.add({"aten.lift_fresh_copy"},
              Recomputable | MovesElements | MovesValues | LiftsFresh | MayReturnArgument,
              {.expression = {Exact, "self", "$0"}});
    table.add({"aten.lift_fresh"}, MovesValues | LiftsFresh, {.view = ViewMap::Reshaped});
    table.add({"aten.transpose"}, MovesValues | Reshapes | KeepsElements | MayReturnArgument,
              {.overloads = "int", .view = ViewMap::Transposed});
    table.add({"aten.detach"},
              MovesValues | WithoutGradient | Reshapes | KeepsElements | MayReturnArgument | Aliases,
              {.view = ViewMap::Reshaped});
    table.add({"aten.contiguous", "aten.detach_copy"}, MovesValues, {.expression = {Exact, "self", "$0"}});
    table.add({"aten.split_with_sizes", "aten.chunk"}, MovesValues, {.view = ViewMap::Split});
    table.add({"aten.unbind"}, MovesValues, {.view = ViewMap::Unbound});
    table.add({"aten.diagonal", "aten.unfold"}, MovesValues, {.view = ViewMap::Unknown});
    table.add({"aten.view_copy", "aten.expand_copy", "aten.slice_copy", "aten.unsqueeze_copy",
               "aten.squeeze_copy", "aten.t_copy", "aten.reshape_as", "aten.movedim"},
              MovesValues);
    table.add({"aten._reshape_alias"}, MovesValues | CanEndProcess, {.view = ViewMap::Reshaped});
    table.add({"aten.view_as", "aten.flatten", "aten.unflatten"}, MovesValues, {.view = ViewMap::Reshaped});
    table.add({"aten.expand_as"}, MovesValues, {.view = ViewMap::Expanded});
    table.add({"aten.narrow"}, MovesValues, {.view = ViewMap::Narrowed});
    table.add({"aten.unsafe_split"}, HiddenViews, {.overloads = "Tensor", .view = ViewMap::Split});
    table.add({"aten.unsafe_split_with_sizes", "aten.unsafe_chunk"}, HiddenViews, {.view = ViewMap::Split});
    table.add({"aten.set_"}, LeavesUnwritten | AssignsInput, {.overloads = "source_Tensor"});
    table.add({"aten.swapaxes"}, {}, {.view = ViewMap::Transposed});
    table.add({"aten.numpy_T", "aten.real", "aten.imag", "aten.view_as_real", "aten.view_as_complex",
               "aten._conj", "aten._neg_view", "prims.as_strided", "prims.transpose", "prims.slice"},
              {}, {.view = ViewMap::Unknown});
    table.add({"aten.mT"}, {}, {.view = ViewMap::MatrixTransposed});
    table.add({"prims.view_of", "prims.split_dim", "prims.collapse_view", "prims.squeeze"}, {},
              {.view = ViewMap::Reshaped});
    table.add({"aten.detach_"}, WithoutGradient);
}

} // namespace aotscope::ir::detail
