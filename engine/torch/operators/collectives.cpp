#include "run/replacements/replacements.h"

#include "base/mapped.h"
#include "dispatch/failure.h"

#include <algorithm>
#include <string>

namespace aotscope::torch {

namespace {

using c10::IValue;
using Args = std::vector<IValue>;

void sayAlone(RunContext& context) {
    context.note("Collectives ran in this one process, as if every rank held the same data.");
}

at::Tensor tensorOf(const IValue& value) {
    if (!value.isTensor() || !value.toTensor().defined()) {
        fail("run.arguments", "A collective needs a tensor, but was given " + value.tagKind() + ".");
    }
    return value.toTensor();
}

std::vector<at::Tensor> tensorsOf(const IValue& value) {
    if (!value.isList()) {
        fail("run.arguments", "A collective needs a list of tensors, but was given " + value.tagKind() + ".");
    }
    return base::mapped(value.toListRef(), tensorOf);
}

std::int64_t groupSize(const IValue& value) {
    if (!value.isInt() || value.toInt() < 1 || value.toInt() > 1'000'000) {
        fail("run.arguments", "A collective's group size is not a number from 1 to 1000000.");
    }
    return value.toInt();
}

/// The reduction over ranks with equal data. A sum is not scaled, because the number of ranks is unknown.
at::Tensor allReduce(const at::Tensor& input) {
    return input.clone();
}

at::Tensor allGather(const at::Tensor& input, std::int64_t ranks) {
    std::vector<std::int64_t> repeats(static_cast<std::size_t>(std::max<std::int64_t>(input.dim(), 1)), 1);
    repeats.front() = ranks;
    return input.repeat(repeats);
}

at::Tensor reduceScatter(const at::Tensor& input, std::int64_t ranks) {
    if (input.dim() == 0 || input.size(0) % ranks != 0) {
        fail("run.arguments", "The first size cannot be divided among " + std::to_string(ranks) + " ranks.");
    }
    return input.narrow(0, 0, input.size(0) / ranks).clone();
}

template<typename Each>
IValue forEach(const IValue& tensors, Each&& each) {
    return base::mapped(tensorsOf(tensors), each);
}

IValue same(const Args& args, RunContext& context) {
    sayAlone(context);
    return args[0];
}
IValue copyOfFirst(const Args& args, RunContext& context) {
    sayAlone(context);
    return allReduce(tensorOf(args[0]));
}
IValue copiesOfFirst(const Args& args, RunContext& context) {
    sayAlone(context);
    return forEach(args[0], allReduce);
}
IValue gather(const Args& args, RunContext& context) {
    sayAlone(context);
    return allGather(tensorOf(args[0]), groupSize(args[1]));
}
IValue gatherAll(const Args& args, RunContext& context) {
    sayAlone(context);
    return forEach(args[0], [&](const at::Tensor& input) { return allGather(input, groupSize(args[1])); });
}
IValue scatter(const Args& args, RunContext& context) {
    sayAlone(context);
    return reduceScatter(tensorOf(args[0]), groupSize(args[2]));
}
IValue scatterAll(const Args& args, RunContext& context) {
    sayAlone(context);
    return forEach(args[0],
                   [&](const at::Tensor& input) { return reduceScatter(input, groupSize(args[2])); });
}

IValue allToAll(const Args& args, RunContext& context) {
    sayAlone(context);
    const at::Tensor input = tensorOf(args[0]);
    std::int64_t rows = 0;
    if (!args[1].isList()) {
        fail("run.arguments", "all_to_all_single needs a list of output sizes.");
    }
    for (const IValue& size : args[1].toListRef()) {
        if (!size.isInt() || size.toInt() < 0 || __builtin_add_overflow(rows, size.toInt(), &rows)) {
            fail("run.arguments", "all_to_all_single was given an invalid size.");
        }
    }
    if (input.dim() == 0 || rows == input.size(0)) {
        return input.clone();
    }
    std::vector<std::int64_t> shape = input.sizes().vec();
    shape[0] = rows;
    at::Tensor output = input.new_zeros(shape);
    const std::int64_t common = std::min(rows, input.size(0));
    output.narrow(0, 0, common).copy_(input.narrow(0, 0, common));
    return output;
}

constexpr Replacement collectivesTable[] = {
    {"_c10d_functional.wait_tensor.default", "tensor", same},
    {"_c10d_functional.all_reduce.default", "input reduce_op group_name", copyOfFirst},
    {"_c10d_functional.all_reduce_.default", "input reduce_op group_name", same},
    {"_c10d_functional.all_reduce_coalesced.default", "inputs reduce_op group_name", copiesOfFirst},
    {"_c10d_functional.all_reduce_coalesced_.default", "inputs reduce_op group_name", same},
    {"_c10d_functional.broadcast.default", "input src group_name", copyOfFirst},
    {"_c10d_functional.broadcast_.default", "input src group_name", same},
    {"_c10d_functional.all_gather_into_tensor.default", "input group_size group_name", gather},
    {"_c10d_functional.all_gather_into_tensor_coalesced.default", "inputs group_size group_name", gatherAll},
    {"_c10d_functional.reduce_scatter_tensor.default", "input reduce_op group_size group_name", scatter},
    {"_c10d_functional.reduce_scatter_tensor_coalesced.default", "inputs reduce_op group_size group_name",
     scatterAll},
    {"_c10d_functional.all_to_all_single.default", "input output_split_sizes input_split_sizes group_name",
     allToAll},
    {"_c10d_functional_autograd.all_reduce.default", "input reduce_op group_name", copyOfFirst},
    {"_c10d_functional_autograd.all_gather_into_tensor.default", "input group_size group_name", gather},
    {"_c10d_functional_autograd.reduce_scatter_tensor.default", "input reduce_op group_size group_name",
     scatter},
    {"_c10d_functional_autograd.all_to_all_single.default",
     "input output_split_sizes input_split_sizes group_name", allToAll},
};

} // namespace

std::span<const Replacement> collectiveReplacements() {
    return collectivesTable;
}

} // namespace aotscope::torch
