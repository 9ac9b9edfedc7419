#include "base/characters.h"
#include "inductor/code_builder.h"
#include "inductor/code_text.h"

#include "base/trimmed.h"

#include <algorithm>
#include <array>

namespace aotscope::inductor {

namespace {

bool startsWithOneOf(std::string_view text, std::initializer_list<std::string_view> starts) {
    return std::ranges::any_of(starts, [text](std::string_view start) { return text.starts_with(start); });
}

/// A call that is the whole expression: "f.g(a, b)", also with subscripts or methods after it.
struct Call {
    std::string_view callee;
    std::vector<std::string_view> arguments;
};

std::optional<Call> callOf(std::string_view expression) {
    const std::size_t open = expression.find('(');
    if (open == std::string_view::npos || open == 0) {
        return std::nullopt;
    }
    Call call{base::trimmed(expression.substr(0, open)), {}};
    const bool named =
        std::ranges::all_of(call.callee, [](char c) { return base::isWordCharacter(c) || c == '.'; });
    const std::optional<std::string_view> content = named ? bracketContent(expression, open) : std::nullopt;
    if (!content) {
        return std::nullopt;
    }
    call.arguments = splitItems(*content);
    return call;
}

bool allocates(std::string_view callee) {
    return startsWithOneOf(callee, {"empty_strided", "empty", "torch.empty", "alloc_from_pool"});
}

bool views(std::string_view callee) {
    return callee == "reinterpret_tensor" || callee == "as_strided" ||
           callee == "torch.ops.inductor._reinterpret_tensor";
}

/// Whether the function is one that computes something for the graph, and not the wrapper's own housekeeping.
std::optional<KernelKind> kindOfCallee(std::string_view callee) {
    if (callee.starts_with("extern_kernels.")) {
        return KernelKind::Extern;
    }
    if (startsWithOneOf(callee, {"torch.ops.inductor._alloc", "torch.ops.inductor._reinterpret"})) {
        return std::nullopt;
    }
    if (startsWithOneOf(callee,
                        {"torch.ops.", "aten.", "inductor_ops.", "_quantized.", "prims.", "quantized."})) {
        return KernelKind::Fallback;
    }
    return callee.ends_with(".copy_") ? std::optional(KernelKind::Extern) : std::nullopt;
}

BufferEvent allocation(std::string_view name, const Call& call) {
    BufferEvent event;
    event.buffer = name;
    const std::vector<std::string_view>& arguments = call.arguments;
    if (call.callee == "alloc_from_pool" && arguments.size() >= 5) {
        event.dtype = arguments[2];
        event.shape = arguments[3];
        event.stride = arguments[4];
        return event;
    }
    event.shape = arguments.empty() ? "" : arguments[0];
    const bool hasStride = arguments.size() > 1 && arguments[1].starts_with('(');
    event.stride = hasStride ? arguments[1] : "";
    const std::string_view named = valueOf(arguments, "dtype");
    const std::size_t place = hasStride ? 2 : 1;
    event.dtype = !named.empty() ? named : place < arguments.size() ? arguments[place] : "";
    return event;
}

} // namespace

bool PythonStatements::take(std::string_view statement, const TextRange& range, const CodeLine& line,
                            const KernelComments& comments) {
    if (statement.starts_with("return ") || statement == "return") {
        std::string_view values = base::trimmed(statement.substr(6));
        if (values.starts_with('(')) {
            values = bracketContent(values, 0).value_or(values.substr(1));
        }
        for (const std::string_view value : splitItems(values)) {
            m_builder.addReturned(value);
        }
        m_builder.completeFunction();
        return false;
    }
    bool launched = false;
    const bool reused = statement.ends_with("# reuse");
    if (const std::size_t remark = statement.rfind("  # "); remark != std::string_view::npos) {
        statement = base::trimmed(statement.substr(0, remark));
    }
    while (!statement.empty()) {
        const std::size_t end = std::min(statement.find("; "), statement.size());
        std::string_view part = base::trimmed(statement.substr(0, end));
        statement.remove_prefix(std::min(end + 2, statement.size()));
        if (part.ends_with(';')) {
            part.remove_suffix(1);
        }
        if (part.starts_with("del ")) {
            for (const std::string_view name : splitItems(part.substr(4))) {
                m_builder.addBufferEvent({BufferEventKind::Freed, std::string(name)}, line);
            }
            continue;
        }
        const std::size_t sign = part.find(" = ");
        const std::string_view target = part.substr(0, sign == std::string_view::npos ? 0 : sign);
        if (target.find('(') != std::string_view::npos || target.empty()) {
            launched = takeCall("", part, range, comments) || launched;
        } else if (base::trimmed(part.substr(sign + 3)) == "args") {
            for (const std::string_view name : splitItems(target)) {
                m_builder.addInput(name);
            }
        } else {
            launched = takeAssignment(base::trimmed(target), base::trimmed(part.substr(sign + 3)), reused,
                                      range, line, comments) ||
                       launched;
        }
    }
    return launched;
}

bool PythonStatements::takeAssignment(std::string_view name, std::string_view expression, bool reused,
                                      const TextRange& range, const CodeLine& line,
                                      const KernelComments& comments) {
    const BufferEventKind kind = reused ? BufferEventKind::Reused : BufferEventKind::Alias;
    if (!isName(name)) {
        return takeCall(name, expression, range, comments);
    }
    if (isName(expression)) {
        m_builder.addBufferEvent({kind, std::string(name), std::string(expression)}, line);
        return false;
    }
    const std::size_t open = expression.find('[');
    if (open != std::string_view::npos && isName(expression.substr(0, open)) && expression.ends_with(']')) {
        BufferEvent event{BufferEventKind::Alias, std::string(name), std::string(expression.substr(0, open))};
        const std::string_view place = expression.substr(open + 1, expression.size() - open - 2);
        const bool isNumber = !place.empty() && place.size() < 6 && std::ranges::all_of(place, base::isDigit);
        event.element = isNumber ? std::stoi(std::string(place)) : -1;
        m_builder.addBufferEvent(std::move(event), line);
        return false;
    }
    const std::optional<Call> call = callOf(expression);
    if (call && allocates(call->callee)) {
        m_builder.addBufferEvent(allocation(name, *call), line);
        return false;
    }
    if (call && views(call->callee) && !call->arguments.empty()) {
        BufferEvent event{kind, std::string(name), std::string(call->arguments[0])};
        event.shape = call->arguments.size() > 1 ? call->arguments[1] : "";
        event.stride = call->arguments.size() > 2 ? call->arguments[2] : "";
        m_builder.addBufferEvent(std::move(event), line);
        return false;
    }
    const bool launched = takeCall(name, expression, range, comments);
    m_builder.addName(name);
    return launched;
}

bool PythonStatements::takeCall(std::string_view result, std::string_view expression, const TextRange& range,
                                const KernelComments& comments) {
    const std::optional<Call> call = callOf(expression);
    if (!call) {
        return false;
    }
    std::string_view kernel = call->callee;
    std::optional<KernelKind> kind = kindOfCallee(kernel);
    if (kernel.ends_with(".run")) {
        kernel.remove_suffix(4);
        kind = KernelKind::TritonOther;
    } else if (m_builder.isDefined(kernel)) {
        kind = KernelKind::OtherCode;
    }
    if (!kind) {
        return false;
    }
    Launch& launch =
        m_builder.addLaunch(kernel.ends_with(".copy_") ? "copy_" : kernel, *kind, range, call->callee);
    launch.comments = comments;
    launch.result = result;
    if (kernel.ends_with(".copy_")) {
        launch.arguments.push_back(m_builder.argument(kernel.substr(0, kernel.size() - 6)));
    }
    for (const std::string_view item : call->arguments) {
        if (item.starts_with("grid=")) {
            launch.grid = item.substr(5);
        } else if (item.starts_with("stream=")) {
            launch.stream = item.substr(7);
        } else {
            launch.arguments.push_back(m_builder.argument(item));
        }
    }
    return true;
}

} // namespace aotscope::inductor
