#include "wrappers/backward_half.h"

#include "base/mapped.h"
#include "dispatch/failure.h"
#include "dispatch/handled_error.h"

#include "ir/operator_name.h"

#include <ATen/ops/empty_strided.h>

#include <algorithm>
#include <string_view>

namespace aotscope::torch {

namespace {

std::optional<std::vector<std::int64_t>> concrete(const std::optional<ir::SymInts>& numbers) {
    if (!numbers || std::ranges::any_of(*numbers, [](const ir::SymInt& each) { return each.isSymbolic(); })) {
        return std::nullopt;
    }
    return base::mapped(*numbers, &ir::SymInt::integer);
}

std::optional<c10::MemoryFormat> formatOf(std::string_view name) {
    const std::string_view plain = ir::lastPart(name);
    return plain == "contiguous_format"  ? std::optional(c10::MemoryFormat::Contiguous)
           : plain == "channels_last"    ? std::optional(c10::MemoryFormat::ChannelsLast)
           : plain == "channels_last_3d" ? std::optional(c10::MemoryFormat::ChannelsLast3d)
                                         : std::nullopt;
}

/// A tangent as the backward was traced for it: the same tensor if it lies so already. Follows
/// coerce_to_expected_memory_format.
at::Tensor coercedTangent(const at::Tensor& tangent, const ir::TangentMeta& expected) {
    if (!tangent.defined() || !expected.layout || tangent.layout() != c10::kStrided) {
        return tangent.defined() && tangent.layout() != c10::kStrided ? tangent.to_dense() : tangent;
    }
    if (const auto format = formatOf(expected.layout->memoryFormat)) {
        return tangent.is_contiguous(*format) ? tangent : tangent.contiguous(*format);
    }
    const auto sizes = concrete(expected.layout->size);
    const auto strides = concrete(expected.layout->stride);
    if (!sizes || !strides || (tangent.sizes() == *sizes && tangent.strides() == *strides)) {
        return tangent;
    }
    at::Tensor restrided = at::empty_strided(*sizes, *strides, tangent.options().requires_grad(false));
    restrided.copy_(tangent);
    return restrided;
}

std::vector<std::optional<std::vector<std::int64_t>>> stridesOf(const std::vector<at::Tensor>& tensors) {
    return base::mapped(tensors,
                        [](const at::Tensor& tensor) { return std::optional(tensor.strides().vec()); });
}

} // namespace

std::vector<std::size_t> writtenPlaceholders(const ir::Graph& graph) {
    std::vector<std::size_t> written;
    const std::vector<ir::NodeId> placeholders = graph.placeholders();
    for (std::size_t i = 0; i < placeholders.size(); ++i) {
        const auto users = graph.users(placeholders[i]);
        const bool isWritten = std::any_of(users.begin(), users.end(), [&](ir::NodeId user) {
            const ir::Node& node = graph.node(user);
            const ir::NodeId* into = node.args.empty() ? nullptr : node.args.front().as<ir::NodeId>();
            return node.target == "aten.copy_.default" && into != nullptr && *into == placeholders[i];
        });
        if (isWritten) {
            written.push_back(i);
        }
    }
    return written;
}

std::string BackwardHalf::compileAhead() {
    const std::lock_guard lock(m_mutex);
    const auto failed = failureOf("call.backward", [&] { m_compiled = m_compiler({}); });
    return failed ? failed->message : std::string();
}

const BoxedCall& BackwardHalf::compiled(const std::vector<at::Tensor>& saved, bool keepsGraph) {
    const std::lock_guard lock(m_mutex);
    if (!m_compiled) {
        if (keepsGraph) {
            // Compiled for callers that come again, the backward overwrites nothing.
            m_facts.donated.clear();
        }
        m_compiled = m_compiler(stridesOf(saved));
        tell(m_observer, [] { return "compiled the backward, for the strides of the saved tensors"; });
    }
    if (keepsGraph && !m_facts.donated.empty()) {
        if (m_observer != nullptr) {
            m_observer->departed(
                "the backward",
                "refuses a backward that keeps its graph (retain_graph, create_graph), because "
                "it may overwrite donated buffers: " +
                    std::to_string(m_facts.donated.size()) + " of the saved tensors",
                true);
        }
        fail("call.donated_buffer",
             "This backward function was compiled with non-empty donated buffers which requires "
             "create_graph=False and retain_graph=False. Please keep backward(create_graph=False, "
             "retain_graph=False) across all backward() function calls, or set "
             "torch._functorch.config.donated_buffer=False to disable donated buffer.",
             "With the option donated_buffer=False no buffer is donated, and the backward can be called "
             "again: "
             "set it in the program, or try it here with --config donated_buffer=False.");
    }
    return m_compiled;
}

void BackwardHalf::check() const {
    if (m_facts.nondeterministic && at::globalContext().deterministicAlgorithms()) {
        fail(
            "call.determinism",
            "This compiled backward function is being run with torch.use_deterministic_algorithms(True), but "
            "it was previously generated during the forward function while "
            "torch.use_deterministic_algorithms(False) was set.");
    }
    if (m_facts.mutatesInputs && c10::GradMode::is_enabled()) {
        fail("call.create_graph",
             "aot_autograd does not support input mutations with requires_grad in backward "
             "for create_graph=True");
    }
}

std::vector<at::Tensor> BackwardHalf::run(Values numbers, std::vector<at::Tensor> saved,
                                          std::vector<at::Tensor> tangents, bool keepsGraph) {
    const BoxedCall& backward = compiled(saved, keepsGraph);
    Values arguments = std::move(numbers);
    arguments.reserve(arguments.size() + saved.size() + tangents.size() + m_facts.tokens);
    for (at::Tensor& tensor : saved) {
        arguments.emplace_back(std::move(tensor));
    }
    saved.clear();
    for (std::size_t i = 0; i < tangents.size(); ++i) {
        at::Tensor coerced =
            i < m_facts.tangents.size() ? coercedTangent(tangents[i], m_facts.tangents[i]) : tangents[i];
        if (!coerced.is_same(tangents[i])) {
            tell(m_observer,
                 [&] { return "copied tangent " + std::to_string(i) + " to the layout that was traced"; });
        }
        tangents[i].reset();
        arguments.emplace_back(std::move(coerced));
    }
    tangents.clear();
    arguments.resize(arguments.size() + m_facts.tokens);
    // The graph runs below the kernels that count writes.
    for (const std::size_t place : m_facts.written) {
        if (place < arguments.size() && arguments[place].isTensor()) {
            arguments[place].toTensor().unsafeGetTensorImpl()->bump_version();
        }
    }
    Values results = backward(arguments);
    if (results.size() < m_facts.gradients + m_facts.tokens) {
        fail("call.results", "The backward returns " + std::to_string(results.size()) + " values for the " +
                                 std::to_string(m_facts.gradients) + " inputs of the forward.");
    }
    std::vector<at::Tensor> gradients(m_facts.gradients);
    for (std::size_t i = 0; i < gradients.size(); ++i) {
        if (results[i].isTensor()) {
            gradients[i] = std::move(results[i]).toTensor();
        }
    }
    return gradients;
}

} // namespace aotscope::torch
