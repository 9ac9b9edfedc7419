#include "hooks/inline_plan.h"

#include "base/joined.h"
#include "hooks/hook_text.h"

#include "ir/operators/operator.h"
#include "ir/value.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace aotscope::hooks {
namespace {

constexpr std::size_t mostKept = 20'000;

base::Error roundTripError(std::string message) {
    return {.code = "hooks.round_trip",
            .message = std::move(message),
            .hint =
                "The unpack hook has to return a tensor of the shape and dtype of the one that was packed."};
}

/// The tensor that a traced unpack hook returns; null: it returns something else.
const ir::TensorMeta* returnedTensor(const ir::Graph& unpack, std::size_t& count) {
    const auto output = unpack.output();
    const ir::TensorMeta* tensor = nullptr;
    count = 0;
    if (output) {
        for (const ir::Argument& argument : unpack.node(*output).args) {
            ir::forEachNode(argument, [&](ir::NodeId id) {
                tensor = ir::asTensor(unpack.node(id).value);
                ++count;
            });
        }
    }
    return tensor;
}

std::optional<base::Error> roundTripProblem(const passes::InlinedHook& hook, const ir::ValueMeta& saved) {
    const ir::TensorMeta* before = ir::asTensor(saved);
    std::size_t count = 0;
    const ir::TensorMeta* after = returnedTensor(*hook.unpack, count);
    if (count != 1 || after == nullptr) {
        return roundTripError("The unpack hook returns " + std::to_string(count) +
                              " values and not one tensor.");
    }
    if (before != nullptr && (before->dtype != after->dtype || before->shape != after->shape)) {
        return roundTripError("The unpack hook gives " + ir::valueText(*after) + ", and what was saved is " +
                              ir::valueText(*before) + ".");
    }
    return std::nullopt;
}

/// Whether a hook has symbols for numbers that only the data tell: they are of one tensor alone.
bool makesSymbols(const passes::InlinedHook& hook) {
    return std::ranges::any_of(std::array{hook.pack, hook.unpack}, [](const ir::GraphPtr& graph) {
        return graph && std::ranges::any_of(graph->symbols(), [](const std::string& symbol) {
                   return symbol.size() > 1 && symbol[0] == 'u' && symbol[1] >= '0' && symbol[1] <= '9';
               });
    });
}

bool isZero(const ir::Argument& argument) {
    const auto* integer = argument.as<std::int64_t>();
    const auto* number = argument.as<double>();
    return (integer != nullptr && *integer == 0) || (number != nullptr && *number == 0);
}

bool isNode(const ir::Argument& argument, ir::NodeId id) {
    const auto* node = argument.as<ir::NodeId>();
    return node != nullptr && *node == id;
}

/// `threshold_backward(gradient, x, 0)`, `x <= 0`, `x > 0`: equal for all x with the same numbers above 0.
bool readsSign(const ir::Node& user, ir::NodeId value) {
    const ir::Arguments& args = user.args;
    const ir::Operator op(user.target);
    if (op.is(ir::Trait::IsOfThreshold)) {
        return args.size() == 3 && !isNode(args[0], value) && isNode(args[1], value) && isZero(args[2]);
    }
    return op.is(ir::Trait::ReadsSign) && args.size() == 2 && isZero(args[1]);
}

bool isAlias(const ir::Node& user) {
    return ir::Operator(user.target).is(ir::Trait::Aliases);
}

/// Whether a backward reads no more of one of its inputs than which numbers are above 0: relu's gradient
/// (threshold_backward at 0) and comparisons with 0, also of its aliases. False for an unknown input.
bool readsSignOnly(const ir::Graph& backward, std::string_view input) {
    const auto start = backward.tryFind(input);
    if (!start) {
        return false;
    }
    std::vector<ir::NodeId> values = {*start};
    while (!values.empty()) {
        const ir::NodeId value = values.back();
        values.pop_back();
        for (const ir::NodeId user : backward.users(value)) {
            const ir::Node& node = backward.node(user);
            if (isAlias(node)) {
                values.push_back(user);
            } else if (!readsSign(node, value)) {
                return false;
            }
        }
    }
    return true;
}

/// The inlining of one plan, with what did not work.
class Inliner {
public:
    Inliner(const passes::Partition& partition, const PlanInlining& inlining)
        : m_partition(partition), m_inlining(inlining) {}

    base::Result<InlinedPlan> run() {
        readTexts();
        const auto trace = [this](const ir::Graph& forward,
                                  ir::NodeId saved) -> base::Result<passes::InlinedHook> {
            return hookFor(forward, saved);
        };
        // Each turn leaves out at least one more hook.
        while (true) {
            m_inlined.clear();
            m_applied.clear();
            auto made = passes::inlineHooks(m_partition, m_inlining.filter, m_inlining.staticInputs, trace);
            if (made) {
                return finish(std::move(made).value());
            }
            const std::string saved = made.error().place.node;
            const auto applied = m_applied.find(saved);
            if (base::isCanceled(made.error()) || applied == m_applied.end()) {
                return std::move(made).error();
            }
            leaveOut(saved, applied->second, std::move(made).error());
        }
    }

private:
    void readTexts() {
        std::set<std::string> used;
        for (const auto& [saved, hook] : m_inlining.hookOf) {
            used.insert(hook);
        }
        for (const std::string& name : used) {
            if (const auto text = m_inlining.plan.tryText(name)) {
                m_hooks.emplace(name, readHookText(*text));
            }
        }
    }

    base::Result<passes::InlinedHook> hookFor(const ir::Graph& forward, ir::NodeId saved) {
        const ir::Node& node = forward.node(saved);
        const passes::InlinedHook none{node.name, nullptr, nullptr};
        m_inlined.insert(node.name);
        const auto chosen = m_inlining.hookOf.find(node.name);
        if (chosen == m_inlining.hookOf.end() || m_why.contains(node.name)) {
            return none;
        }
        auto hook =
            chosen->second == loggedHook ? logged(forward, saved) : written(chosen->second, forward, saved);
        if (!hook) {
            if (base::isCanceled(hook.error())) {
                return hook;
            }
            leaveOut(node.name, chosen->second, std::move(hook).error());
            return none;
        }
        if (hook->pack) {
            m_applied[node.name] = chosen->second;
        }
        return hook;
    }

    base::Result<passes::InlinedHook> logged(const ir::Graph& forward, ir::NodeId saved) {
        if (!m_inlining.logged) {
            return base::Error{.code = "hooks.not_logged",
                               .message = "No saved-tensors hooks were traced with this program."};
        }
        return m_inlining.logged(forward, saved);
    }

    base::Result<passes::InlinedHook> written(const std::string& name, const ir::Graph& forward,
                                              ir::NodeId saved) {
        const base::Result<HookText>& text = m_hooks.at(name);
        if (!text) {
            return text.error();
        }
        const ir::Node& node = forward.node(saved);
        if (std::string why = whyUnsuited(*text, forward, saved); !why.empty()) {
            m_why[node.name] = std::move(why);
            return passes::InlinedHook{node.name, nullptr, nullptr};
        }
        auto hook = m_inlining.memo.get(keyOf(name, forward, node.value),
                                        [&] { return tracerOf(name, *text)(forward, saved); });
        if (!hook) {
            return hook;
        }
        hook->saved = node.name;
        if (auto problem = roundTripProblem(*hook, node.value)) {
            problem->place.file = std::string(aot::unpackHookPlace);
            return *std::move(problem);
        }
        return hook;
    }

    /// One for all its tensors, so that symbols that the hooks make get different names.
    passes::TraceHook& tracerOf(const std::string& name, const HookText& text) {
        passes::TraceHook& tracer = m_tracers[name];
        if (!tracer) {
            tracer = aot::hookTracer(m_inlining.function, text.graphs, m_inlining.trace);
        }
        return tracer;
    }

    std::string whyUnsuited(const HookText& text, const ir::Graph& forward, ir::NodeId saved) const {
        const ir::TensorMeta* tensor = ir::asTensor(forward.node(saved).value);
        if (tensor != nullptr && !text.dtypes.empty() &&
            std::ranges::find(text.dtypes, tensor->dtype) == text.dtypes.end()) {
            return "made for " + base::joined(text.dtypes, ", ", ir::dtypeShortName);
        }
        if (text.keepsSignOnly && !readsSignOnly(*m_partition.backward, forward.node(saved).name)) {
            return "the backward reads more than the sign";
        }
        return {};
    }

    /// All that decides what hooks are traced to.
    std::string keyOf(const std::string& name, const ir::Graph& forward, const ir::ValueMeta& value) const {
        std::string key(*m_inlining.plan.tryText(name));
        key += '\0' + ir::valueText(value);
        if (const ir::TensorMeta* tensor = ir::asTensor(value)) {
            key += '\0' + (tensor->storageOffset ? tensor->storageOffset->text() : std::string());
        }
        for (const auto& [symbol, hint] : forward.symbolHints()) {
            key += '\0' + symbol + "=" + std::to_string(hint);
        }
        return key;
    }

    /// The tensor is saved as it is, because of an error.
    void leaveOut(const std::string& saved, const std::string& hook, base::Error error) {
        m_why[saved] = error.message;
        placeInText(hook, error);
        const auto known = std::ranges::find_if(m_broken, [&](const BrokenHook& broken) {
            return broken.hook == hook && broken.error.place.line == error.place.line &&
                   broken.error.code == error.code;
        });
        if (known != m_broken.end()) {
            known->tensors.push_back(saved);
        } else {
            m_broken.push_back({hook, std::move(error), {saved}});
        }
    }

    /// Names the line in the hook's text in place of the node.
    void placeInText(const std::string& hook, base::Error& error) const {
        const auto text = m_inlining.plan.tryText(hook);
        if (!text) {
            return;
        }
        if (error.place.line == 0) {
            const HookHalf half =
                error.place.file == aot::unpackHookPlace ? HookHalf::Unpack : HookHalf::Pack;
            error.place.line = lineOfNode(*text, half, error.place.node);
        }
        error.place.file = hook;
        if (error.code.starts_with("ops.")) {
            // The operators' own hint is about logs of other releases.
            error.hint = "Change that line of the hook's text, or give these tensors another hook.";
        }
    }

    InlinedPlan finish(passes::Partition made) {
        InlinedPlan plan{std::move(made), {}, std::move(m_broken)};
        const bool hasFilter = m_inlining.filter != passes::HookFilter::All;
        for (const std::string& saved : m_partition.savedTensors) {
            PlannedTensor tensor{saved, {}, {}};
            const auto applied = m_applied.find(saved);
            const auto why = m_why.find(saved);
            if (applied != m_applied.end()) {
                tensor.hook = applied->second;
            } else if (why != m_why.end()) {
                tensor.why = why->second;
            } else if (hasFilter && !m_inlined.contains(saved) && m_inlining.hookOf.contains(saved)) {
                tensor.why = m_inlining.filter == passes::HookFilter::Donated
                                 ? "an input, an output or a view of one keeps its memory alive"
                                 : "a parameter or buffer";
            }
            plan.tensors.push_back(std::move(tensor));
        }
        return plan;
    }

    const passes::Partition& m_partition;
    const PlanInlining& m_inlining;
    std::map<std::string, base::Result<HookText>> m_hooks;
    std::map<std::string, passes::TraceHook> m_tracers;
    /// The tensors that the filter lets through, and the hooks inlined for some of them.
    std::set<std::string> m_inlined;
    std::map<std::string, std::string> m_applied;
    std::map<std::string, std::string> m_why;
    std::vector<BrokenHook> m_broken;
};

} // namespace

base::Result<passes::InlinedHook>
HookMemo::get(const std::string& key, const std::function<base::Result<passes::InlinedHook>()>& trace) {
    {
        const std::lock_guard lock(m_mutex);
        if (const auto known = m_known.find(key); known != m_known.end()) {
            return known->second;
        }
    }
    auto hook = trace();
    if (hook ? makesSymbols(*hook) : base::isCanceled(hook.error())) {
        return hook;
    }
    const std::lock_guard lock(m_mutex);
    if (m_known.size() >= mostKept) {
        m_known.clear();
    }
    return m_known.insert_or_assign(key, std::move(hook)).first->second;
}

base::Result<InlinedPlan> inlinePlan(const passes::Partition& partition, const PlanInlining& inlining) {
    return Inliner(partition, inlining).run();
}

} // namespace aotscope::hooks
