#include "passes/op_facts.h"

#include "passes/pointwise.h"

#include "passes/op_tag_table.h"

#include "ir/higher_order.h"
#include "ir/op_schema.h"
#include "ir/operator_name.h"

#include "base/text_search.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace aotscope::passes {
namespace {

using OpNames = std::unordered_set<std::string_view>;

bool startsWith(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

/// The operators that have `tag` in the table of operator tags.
OpNames tagged(std::string_view tag) {
    OpNames names;
    std::string_view rest = detail::operatorTags();
    while (!rest.empty()) {
        const std::string_view line = base::takePart(rest, '\n');
        const std::size_t space = line.find(' ');
        if (space != std::string_view::npos && line.substr(0, space) == tag) {
            names.insert(line.substr(space + 1));
        }
    }
    return names;
}

const OpNames& viewPackets() {
    static const OpNames names{"aten.squeeze",
                               "aten.unsqueeze",
                               "aten.alias",
                               "aten.view",
                               "aten.slice",
                               "aten.t",
                               "prims.broadcast_in_dim",
                               "aten.expand",
                               "aten.as_strided",
                               "aten.permute",
                               "aten.select",
                               "aten.split"};
    return names;
}

/// Recomputable operators other than views and pointwise operators (get_default_op_list).
const OpNames& listedRecomputable() {
    static const OpNames names{"aten.add",
                               "aten.sub",
                               "aten.div",
                               "aten.atan2",
                               "aten.mul",
                               "aten.max",
                               "aten.min",
                               "aten.pow",
                               "aten.remainder",
                               "aten.fmod",
                               "aten.__and__",
                               "aten.__or__",
                               "aten.__xor__",
                               "aten.__lshift__",
                               "aten.__rshift__",
                               "aten.eq",
                               "aten.ne",
                               "aten.ge",
                               "aten.gt",
                               "aten.le",
                               "aten.lt",
                               "aten.abs",
                               "aten.bitwise_not",
                               "aten.ceil",
                               "aten.floor",
                               "aten.frac",
                               "aten.neg",
                               "aten.relu",
                               "aten.round",
                               "aten.silu",
                               "aten.trunc",
                               "aten.log",
                               "aten.log10",
                               "aten.log1p",
                               "aten.log2",
                               "aten.lgamma",
                               "aten.exp",
                               "aten.expm1",
                               "aten.erf",
                               "aten.erfc",
                               "aten.cos",
                               "aten.acos",
                               "aten.cosh",
                               "aten.sin",
                               "aten.asin",
                               "aten.sinh",
                               "aten.tan",
                               "aten.atan",
                               "aten.tanh",
                               "aten.atanh",
                               "aten.sqrt",
                               "aten.rsqrt",
                               "aten.reciprocal",
                               "aten.sigmoid",
                               "aten.softplus",
                               "aten.threshold",
                               "aten.threshold_backward",
                               "aten.clamp",
                               "aten.where",
                               "aten.lerp",
                               "aten.addcmul",
                               "aten.gelu",
                               "aten.gelu_backward",
                               "aten.sum",
                               "aten.mean",
                               "aten._grad_sum_to_size",
                               "aten.sum_to_size",
                               "aten.amax",
                               "aten.to",
                               "aten.type_as",
                               "aten.rsub",
                               "aten._to_copy",
                               "prims.div",
                               "prims.convert_element_type",
                               "aten.clone",
                               "aten.full_like",
                               "prims.var",
                               "prims.sum",
                               "aten.var",
                               "aten.std",
                               "aten._unsafe_view",
                               "aten.reshape",
                               "aten.broadcast_tensors",
                               "aten.scalar_tensor",
                               "aten.ones",
                               "aten.new_zeros",
                               "aten.lift_fresh_copy",
                               "aten.arange",
                               "aten.triu",
                               "aten.var_mean",
                               "aten.isinf",
                               "aten.any",
                               "aten.full",
                               "aten.zeros",
                               "aten.empty",
                               "aten.empty_like",
                               "aten.argmax",
                               "aten.maximum",
                               "prims.iota",
                               "prims._low_memory_max_pool_offsets_to_indices",
                               "aten.index",
                               "aten.gather",
                               "aten.zeros_like"};
    return names;
}

/// Python functions on symbolic integers (METHOD_TO_OPERATOR), and getitem.
bool isRecomputablePython(std::string_view target) {
    static const OpNames operators{"getitem", "pos", "abs",    "add", "and_",    "eq",  "floordiv", "ge",
                                   "gt",      "le",  "lshift", "lt",  "mod",     "mul", "ne",       "neg",
                                   "or_",     "pow", "rshift", "sub", "truediv", "xor"};
    static const OpNames others{"math.ceil",       "math.floor",      "math.trunc",      "builtins.round",
                                "round",           "torch.sym_float", "torch.sym_ite",   "torch.sym_max",
                                "torch.sym_min",   "torch.sym_not",   "torch._sym_sqrt", "torch._sym_cos",
                                "torch._sym_cosh", "torch._sym_sin",  "torch._sym_sinh", "torch._sym_tan",
                                "torch._sym_tanh", "torch._sym_asin", "torch._sym_acos", "torch._sym_atan",
                                "torch._sym_log2"};
    for (const std::string_view module : {"_operator.", "operator."}) {
        if (startsWith(target, module)) {
            return operators.contains(target.substr(module.size()));
        }
    }
    return others.contains(target);
}

bool isNotMergeable(std::string_view packet) {
    static const OpNames names{
        "aten.dropout",     "aten._fused_dropout", "aten._standard_gamma", "aten.bernoulli",
        "aten.multinomial", "aten.native_dropout", "aten.normal",          "aten.poisson",
        "aten.binomial",    "aten.rrelu",          "aten.rand_like",       "aten.rand",
        "aten.randint",     "aten.randn",          "aten.randperm",        "aten.empty"};
    return names.contains(packet);
}

bool isComputeIntensive(std::string_view packet) {
    static const OpNames names{"aten.mm",
                               "aten.convolution",
                               "aten.convolution_backward",
                               "aten.bmm",
                               "aten.addmm",
                               "aten._scaled_dot_product_flash_attention",
                               "aten._scaled_dot_product_efficient_attention",
                               "aten._flash_attention_forward",
                               "aten._efficient_attention_forward",
                               "aten.upsample_bilinear2d",
                               "aten._scaled_mm"};
    return names.contains(packet);
}

/// Operators that FX keeps for their side effect although their schema mutates nothing. Those that only a
/// later release has stand here too.
bool hasListedEffect(std::string_view target) {
    static const OpNames names{"aten._assert_async.msg",
                               "aten._assert_scalar.default",
                               "aten._assert_tensor_metadata.default",
                               "aten.sym_constrain_range.default",
                               "aten.sym_constrain_range_for_size.default",
                               "aten._print.default",
                               "profiler._record_function_enter.default",
                               "profiler._record_function_enter_new.default",
                               "profiler._record_function_exit.default",
                               "profiler._record_function_exit._RecordFunction",
                               "inductor.accumulate_grad_.default",
                               "inductor.resize_storage_bytes_.default",
                               "prims._sink_tokens.default",
                               "fsdp.copy_.default",
                               "_c10d_functional.wait_tensor.default",
                               "_c10d_functional.wait_tensors.default",
                               "_c10d_functional.isend.default",
                               "_c10d_functional.irecv.default",
                               "_c10d_functional.batch_p2p_ops.default",
                               "mempool.begin.default",
                               "mempool.end.default",
                               "streams.fork.default",
                               "streams.join.default",
                               "streams.record_event.default",
                               "streams.wait_event.default",
                               "streams.wait_stream.default",
                               "streams.sync_dealloc.default",
                               "streams.synchronize_device.default",
                               "streams.synchronize_event.default",
                               "streams.synchronize_stream.default",
                               "torch._assert",
                               "torch._assert_async",
                               "_operator.setitem",
                               "torch._C._set_grad_enabled",
                               "torch.amp._enter_autocast",
                               "torch.amp._exit_autocast"};
    return names.contains(target);
}

bool isNeverSaved(std::string_view target) {
    static const OpNames names{"aten._assert_scalar.default", "profiler._record_function_enter_new.default",
                               "profiler._record_function_enter.default",
                               "profiler._record_function_exit.default",
                               "profiler._record_function_exit._RecordFunction"};
    return names.contains(target);
}

bool isSeeded(std::string_view target) {
    static const OpNames names = tagged("nondeterministic_seeded");
    return names.contains(target);
}

/// torch._library.utils.is_builtin
bool isBuiltinNamespace(std::string_view target) {
    static constexpr std::array<std::string_view, 3> own{"aten.", "prim.", "prims."};
    return std::any_of(own.begin(), own.end(), [&](auto prefix) { return startsWith(target, prefix); });
}

bool isPythonCallable(std::string_view target) {
    return startsWith(target, "_operator.") || startsWith(target, "operator.") ||
           startsWith(target, "torch.") || startsWith(target, "math.") || startsWith(target, "builtins.") ||
           target.find('.') == std::string_view::npos;
}

const OpNames& pointwisePackets() {
    static const OpNames names = tagged("pointwise");
    return names;
}

bool isRecomputable(std::string_view packet, const PartitionRules& rules) {
    static const OpNames laterPointwise = tagged("pointwise_later");
    return listedRecomputable().contains(packet) || pointwisePackets().contains(packet) ||
           (rules.leakyReluIsPointwise && laterPointwise.contains(packet)) ||
           (rules.onlineSoftmaxIsRecomputable && packet == "prims.prepare_softmax_online");
}

std::uint32_t packetFlags(std::string_view packet, const PartitionRules& rules) {
    std::uint32_t flags = 0;
    const bool view = viewPackets().contains(packet);
    flags |= view || isRecomputable(packet, rules) ? OpRecomputable : 0U;
    flags |= view ? OpView : 0U;
    flags |= isComputeIntensive(packet) ? OpComputeIntensive : 0U;
    if (packet == "aten.native_dropout" || packet == "aten.rand_like" || packet == "aten.randn_like") {
        flags |= OpRandom;
    }
    flags |= isNotMergeable(packet) ? OpNotMergeable : 0U;
    flags |= packet == "aten.cat" ? OpCat : 0U;
    return flags;
}

std::uint32_t overloadFlags(std::string_view target) {
    std::uint32_t flags = OpOverload;
    const auto schema = ir::trySchema(target);
    const bool isMutable = schema && std::any_of(schema->arguments.begin(), schema->arguments.end(),
                                                 [](const auto& argument) { return argument.isMutated; });
    flags |= isMutable ? OpMutable | OpImpure : 0U;
    flags |= isSeeded(target) ? OpSeeded : 0U;
    flags |= isBuiltinNamespace(target) ? OpBuiltin : 0U;
    flags |= startsWith(target, "_c10d_functional.") ? OpCollective : 0U;
    if (target == "_c10d_functional.wait_tensor.default" ||
        target == "_c10d_functional.wait_tensors.default") {
        flags |= OpWaitTensor;
    }
    flags |= target == "aten.copy_.default" ? OpCopyInto : 0U;
    flags |= target == "aten._assert_scalar.default" ? OpAssertScalar : 0U;
    if (target == "aten.lift_fresh_copy.default" || target == "aten.lift_fresh.default") {
        flags |= OpLiftFresh;
    }
    flags |= target == "aten.view.default" || target == "aten.reshape.default" ? OpReshape : 0U;
    return flags;
}

std::uint32_t higherOrderFlags(std::string_view target) {
    const ir::HigherOrderOperator* known = ir::tryHigherOrder(target);
    if (known == nullptr) {
        return OpBuiltin;
    }
    std::uint32_t flags = OpBuiltin;
    flags |= known->id == ir::HigherOrder::WithEffects ? OpWithEffects : 0U;
    flags |= known->id == ir::HigherOrder::AutoFunctionalized ? OpAutoFunctionalized : 0U;
    flags |= known->id == ir::HigherOrder::TritonKernelWrapperFunctional ? OpTritonWrapper : 0U;
    flags |= known->effect != ir::HigherOrderEffect::None ? OpImpure : 0U;
    return flags;
}

std::uint32_t computeFlags(std::string_view target, const PartitionRules& rules) {
    std::uint32_t flags = 0;
    if (isPythonCallable(target)) {
        flags |= OpBuiltin;
        flags |= isRecomputablePython(target) ? OpRecomputable : 0U;
        flags |= target == "_operator.getitem" || target == "operator.getitem" ? OpGetitem : 0U;
    } else if (ir::isHigherOrder(target)) {
        flags |= higherOrderFlags(target);
    } else {
        flags |= packetFlags(ir::splitTarget(target).packet, rules) | overloadFlags(target);
    }
    flags |= (flags & (OpRecomputable | OpRandom)) != 0 ? OpFusible : 0U;
    if (hasListedEffect(target) ||
        (rules.recordStreamHasEffect && target == "streams.record_stream.default")) {
        flags |= OpImpure;
    }
    if (isNeverSaved(target) ||
        (rules.asyncAssertionsAreNeverSaved && startsWith(target, "aten._assert_async."))) {
        flags |= OpNeverSaved;
    }
    return flags;
}

} // namespace

bool isPointwise(std::string_view target) {
    return pointwisePackets().contains(ir::splitTarget(target).packet);
}

std::uint32_t opFlags(std::string_view target, const PartitionRules& rules) {
    return computeFlags(target, rules);
}

bool isUninitialized(std::string_view target) {
    constexpr std::array<std::string_view, 7> names = {
        "aten.empty",          "aten.empty_like",     "aten.empty_strided",    "aten.new_empty",
        "aten.empty_permuted", "prims.empty_strided", "aten.new_empty_strided"};
    return std::ranges::find(names, ir::splitTarget(target).packet) != names.end();
}

} // namespace aotscope::passes
