#include "evidence/grad_mode.h"

#include <algorithm>

namespace aotscope::evidence {
namespace {

bool wantsGrad(const ir::ValueMeta& value) {
    if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
        return tensor->requiresGrad.value_or(false);
    }
    const auto* tuple = std::get_if<std::shared_ptr<const ir::TupleMeta>>(&value);
    return tuple != nullptr && std::ranges::any_of((*tuple)->elements, wantsGrad);
}

bool isCall(const ir::Node& node) {
    return node.op == ir::Opcode::CallFunction || node.op == ir::Opcode::CallMethod ||
           node.op == ir::Opcode::CallModule;
}

/// torch._C._set_grad_enabled, torch.set_grad_enabled, _enter_inference_mode, …
bool setsMode(const ir::Node& node) {
    return node.target.find("grad_enabled") != std::string::npos ||
           node.target.find("inference_mode") != std::string::npos;
}

/// The input that an in-place operator ("add_") mutates and returns; null: it mutates none.
const ir::Node* writtenTensor(const ir::Graph& program, const ir::Node& node) {
    const bool writes = node.target.ends_with('_') && !node.target.ends_with("__") && !node.args.empty();
    const auto* written = writes ? node.args.front().as<ir::NodeId>() : nullptr;
    return written == nullptr ? nullptr : &program.node(*written);
}

bool readsOneThatWantsGrad(const ir::Graph& program, const ir::Node& node) {
    bool reads = false;
    ir::forEachNode(node, [&](ir::NodeId id) { reads = reads || wantsGrad(program.node(id).value); });
    return reads;
}

} // namespace

std::optional<bool> shownGradMode(const ir::Graph& program) {
    bool isOff = false;
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        if (!isCall(node)) {
            continue;
        }
        if (setsMode(node)) {
            return std::nullopt;
        }
        if (const ir::Node* written = writtenTensor(program, node)) {
            if (wantsGrad(written->value)) {
                // The result is that tensor. With grad mode on, a leaf that requires grad may not be mutated.
                const ir::TensorMeta* tensor = ir::asTensor(written->value);
                isOff = isOff || (tensor != nullptr && tensor->isParameter);
                continue;
            }
        }
        if (wantsGrad(node.value)) {
            return true;
        }
        isOff = isOff || readsOneThatWantsGrad(program, node);
    }
    return isOff ? std::optional(false) : std::nullopt;
}

} // namespace aotscope::evidence
