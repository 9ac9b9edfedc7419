#include "run/value_flow.h"

#include <algorithm>
#include <array>

namespace aotscope::torch {

namespace {

constexpr ArgumentOf positives[] = {
    {"sqrt", 0},
    {"rsqrt", 0},
    {"log", 0},
    {"log2", 0},
    {"log10", 0},
    {"log1p", 0},
    {"lgamma", 0},
    {"native_batch_norm", 4},
    {"batch_norm", 4},
    {"cudnn_batch_norm", 4},
    {"_native_batch_norm_legit_no_training", 4},
    {"_native_batch_norm_legit", 4},
    {"_native_batch_norm_legit_functional", 4},
    {"native_batch_norm_backward", 4},
    {"native_batch_norm_backward", 6},
    {"native_layer_norm_backward", 4},
    {"native_group_norm_backward", 3},
    {"_fused_rms_norm_backward", 3},
};

constexpr ArgumentOf denominators[] = {
    {"div", 1}, {"floor_divide", 1}, {"fmod", 1}, {"remainder", 1}, {"lu_unpack", 1}, {"linalg_lu_solve", 1},
};

} // namespace

bool movesValues(std::string_view name) {
    static constexpr std::array names = {
        std::string_view("view"),
        std::string_view("_unsafe_view"),
        std::string_view("reshape"),
        std::string_view("expand"),
        std::string_view("slice"),
        std::string_view("select"),
        std::string_view("permute"),
        std::string_view("t"),
        std::string_view("transpose"),
        std::string_view("unsqueeze"),
        std::string_view("squeeze"),
        std::string_view("clone"),
        std::string_view("detach"),
        std::string_view("alias"),
        std::string_view("_to_copy"),
        std::string_view("convert_element_type"),
        std::string_view("contiguous"),
        std::string_view("flip"),
        std::string_view("cat"),
        std::string_view("stack"),
        std::string_view("split"),
        std::string_view("split_with_sizes"),
        std::string_view("unbind"),
        std::string_view("chunk"),
        std::string_view("where"),
        std::string_view("masked_fill"),
        std::string_view("roll"),
        std::string_view("repeat"),
        std::string_view("constant_pad_nd"),
        std::string_view("slice_scatter"),
        std::string_view("select_scatter"),
        std::string_view("copy"),
        std::string_view("copy_"),
        std::string_view("lift_fresh_copy"),
        std::string_view("lift_fresh"),
        std::string_view("as_strided"),
        std::string_view("diagonal"),
        std::string_view("unfold"),
        std::string_view("clamp"),
        std::string_view("clamp_min"),
        std::string_view("clamp_max"),
        std::string_view("maximum"),
        std::string_view("minimum"),
        std::string_view("amax"),
        std::string_view("amin"),
        std::string_view("sort"),
        std::string_view("device_put"),
        std::string_view("view_copy"),
        std::string_view("expand_copy"),
        std::string_view("slice_copy"),
        std::string_view("unsqueeze_copy"),
        std::string_view("squeeze_copy"),
        std::string_view("detach_copy"),
        std::string_view("t_copy"),
        std::string_view("_reshape_alias"),
        std::string_view("getitem"),
        std::string_view("_local_scalar_dense"),
        std::string_view("item"),
        // Dynamo's names of conversions and views.
        std::string_view("to"),
        std::string_view("type"),
        std::string_view("type_as"),
        std::string_view("long"),
        std::string_view("int"),
        std::string_view("short"),
        std::string_view("float"),
        std::string_view("double"),
        std::string_view("half"),
        std::string_view("view_as"),
        std::string_view("reshape_as"),
        std::string_view("expand_as"),
        std::string_view("flatten"),
        std::string_view("unflatten"),
        std::string_view("narrow"),
        std::string_view("movedim"),
        // Of floats.
        std::string_view("floor"),
        std::string_view("trunc"),
    };
    return std::ranges::find(names, name) != names.end();
}

std::span<const ArgumentOf> positiveArguments() {
    return positives;
}

std::span<const ArgumentOf> divisors() {
    return denominators;
}

} // namespace aotscope::torch
