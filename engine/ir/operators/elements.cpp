#include "ir/operators/operator_table.h"

/// Operators that copy, join and convert elements.
namespace aotscope::ir::detail {

void addElements(OperatorTable& table) {
    using enum Trait;
    using enum Computes;
    using enum KernelRule;
    table.add({"aten.to"}, Recomputable | MovesValues, {.expression = {Exact, "self", "$0"}});
    table.add({"aten.type_as"}, Recomputable | MovesValues);
    table.add({"aten._to_copy"},
              Recomputable | MovesElements | MovesValues | Reshapes | MayReturnArgument | Converts,
              {.expression = {Exact, "self", "$0"}, .inductorName = "copy_"});
    table.add({"prims.convert_element_type"},
              Recomputable | MovesElements | MovesValues | MayReturnArgument | Converts,
              {.expression = {Exact, "a", "$0"}});
    table.add({"aten.triu"}, Recomputable | MovesElements, {.kernel = {Triangle, ">= "}});
    table.add({"aten.cat"}, Joins | MovesElements | MovesValues, {.deed = "joins several tensors"});
    table.add({"aten.copy_"}, MovesElements | MovesValues | CopiesInto | AssignsInput);
    table.add({"aten.clone"},
              MovesElements | MovesValues | Reshapes | KeepsElements | MayReturnArgument | Clones,
              {.expression = {Exact, "self", "$0"}, .inductorName = "copy_"});
    table.add({"aten.copy"}, MovesElements | MovesValues | CopiesWholeStorage,
              {.expression = {Exact, "src", "$0"}});
    table.add({"aten.stack"}, MovesElements | MovesValues, {.deed = "joins several tensors"});
    table.add({"aten.slice_scatter"}, MovesElements | MovesValues | CopiesWholeStorage);
    table.add({"aten.select_scatter"}, MovesElements | MovesValues | CopiesWholeStorage,
              {.element = ElementRule{0, 2, 3}});
    table.add({"aten.as_strided_scatter", "aten.diagonal_scatter"}, MovesElements | CopiesWholeStorage);
    table.add({"aten.constant_pad_nd"}, MovesElements | MovesValues, {.deed = "pads"});
    table.add({"aten.repeat", "aten.flip", "aten.roll"}, MovesElements | MovesValues, {.kernel = {Moved}});
    table.add({"prims.device_put"}, MovesElements | MovesValues, {.inductorName = "copy_"});
    table.add({"aten.tril"}, MovesElements, {.kernel = {Triangle, "<= "}});
    table.add({"prims.fma"}, MovesElements, {.expression = {Arithmetic, "a b c", "fma{f}($0, $1, $2)", "-"}});
    table.add({"aten.where"}, MovesValues, {.expression = {Exact, "condition? self other", "$0 ? $1 : $2"}});
    table.add({"aten.masked_fill"}, MovesValues, {.expression = {Exact, "mask? value self", "$0 ? $1 : $2"}});
    table.add({"aten._local_scalar_dense"}, MovesValues | ReadsNumber, {.deed = "gives a number to Python"});
    table.add({"aten.item"}, MovesValues | WithoutGradient);
    table.add({"aten.shallow_copy_data_"}, AssignsInput);
    table.add({"aten.slice_backward", "aten.diagonal_backward", "aten.unfold_backward",
               "aten._nested_select_backward", "aten.masked_select_backward"},
              {}, {.deed = "writes a part of its result"});
    table.add({"aten.select_backward"}, {},
              {.element = ElementRule{1, 2, 3}, .deed = "writes a part of its result"});
    table.add({"aten.positive", "aten.alias_copy"}, {}, {.expression = {Exact, "self", "$0"}});
    table.add({"prims.clone"}, {}, {.expression = {Exact, "self", "$0"}, .inductorName = "copy_"});
}

} // namespace aotscope::ir::detail
