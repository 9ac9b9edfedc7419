#include "inductor/code_builder.h"

#include "base/numbers.h"

#include <algorithm>

namespace aotscope::inductor {

namespace {

/// A text that is only mistakes would have one for each line.
constexpr std::size_t maxProblems = 100;
/// More than any compile has; the rest of such a text is not read, so that memory stays bounded.
constexpr std::size_t maxLaunches = 200'000;
constexpr std::size_t maxKernels = 100'000;
constexpr std::size_t maxBufferEvents = 1'000'000;

} // namespace

void forEachLine(CodeLines& lines, CodeBuilder& builder, base::Progress& progress,
                 const std::function<void(const CodeLine&)>& take) {
    std::size_t count = 0;
    while (const std::optional<CodeLine> line = lines.next()) {
        if (++count % 4096 == 0) {
            progress.report("Reading generated code", line->begin, lines.text().size());
            if (progress.stopRequested()) {
                return;
            }
        }
        if (builder.isFull()) {
            builder.addProblem(line->number, "The code has more launches or kernels than are read.");
            return;
        }
        take(*line);
    }
}

bool CodeBuilder::isFull() const {
    return code.launches.size() >= maxLaunches || code.kernels.size() >= maxKernels ||
           code.buffers.size() >= maxBufferEvents;
}

void CodeBuilder::define(Kernel kernel) {
    const auto index = static_cast<std::uint32_t>(code.kernels.size());
    if (m_kernels.emplace(kernel.name, index).second) {
        code.kernels.push_back(std::move(kernel));
    } else {
        addProblem(kernel.definition ? kernel.definition->firstLine : 0,
                   "The kernel " + kernel.name + " is defined a second time; the first definition is kept.");
    }
}

void CodeBuilder::beginFunction(std::string_view name, const CodeLine& line) {
    WrapperFunction& function = code.functions.emplace_back();
    function.name = name;
    function.range = rangeOf(line, line);
    m_inFunction = true;
}

void CodeBuilder::endFunction(const CodeLine& lastLine) {
    if (m_inFunction) {
        code.functions.back().range.end = lastLine.end();
        code.functions.back().range.lastLine = lastLine.number;
    }
    m_inFunction = false;
}

void CodeBuilder::completeFunction() {
    if (m_inFunction) {
        code.functions.back().complete = true;
    }
}

void CodeBuilder::addInput(std::string_view name) {
    addName(name);
    if (m_inFunction) {
        code.functions.back().inputs.emplace_back(name);
    }
}

void CodeBuilder::addReturned(std::string_view text) {
    if (m_inFunction) {
        code.functions.back().returned.push_back(argument(text));
    }
}

void CodeBuilder::addReturnedAt(std::string_view place, std::string_view text) {
    const std::size_t index = base::leadingNumber<std::size_t>(place).value_or(0);
    constexpr std::size_t mostReturned = 100'000;
    while (m_inFunction && code.functions.back().returned.size() < std::min(index, mostReturned)) {
        code.functions.back().returned.push_back({"", "None", {}});
    }
    addReturned(text);
}

void CodeBuilder::addBufferEvent(BufferEvent event, const CodeLine& line) {
    addName(event.buffer);
    event.line = line.number;
    event.launch = static_cast<std::uint32_t>(code.launches.size());
    code.buffers.push_back(std::move(event));
}

Launch& CodeBuilder::addLaunch(std::string_view kernel, KernelKind kind, const TextRange& range,
                               std::string_view callee) {
    const auto [place, isNew] =
        m_kernels.emplace(std::string(kernel), static_cast<std::uint32_t>(code.kernels.size()));
    if (isNew) {
        Kernel& added = code.kernels.emplace_back();
        added.name = kernel;
        added.kind = kind;
    }
    code.kernels[place->second].launches.push_back(static_cast<std::uint32_t>(code.launches.size()));
    Launch& launch = code.launches.emplace_back();
    launch.kernel = place->second;
    launch.range = range;
    launch.function = m_inFunction ? code.functions.back().name : "";
    launch.callee = callee;
    return launch;
}

std::vector<std::string> CodeBuilder::buffersIn(std::string_view text) const {
    std::vector<std::string> found;
    std::unordered_set<std::string> seen;
    forEachName(text, [&](std::string_view name) {
        std::string known(name.substr(0, name.find('.')));
        if (!m_names.contains(known) && known.ends_with("_handle")) {
            known.resize(known.size() - 7);
        }
        if (m_names.contains(known) && seen.insert(known).second) {
            found.push_back(std::move(known));
        }
    });
    return found;
}

LaunchArgument CodeBuilder::argument(std::string_view text) const {
    LaunchArgument made;
    const std::size_t sign = text.find('=');
    if (sign != std::string_view::npos && sign + 1 < text.size() && text[sign + 1] != '=' &&
        isName(text.substr(0, sign))) {
        made.keyword = text.substr(0, sign);
        text.remove_prefix(sign + 1);
    }
    made.text = text;
    made.buffers = buffersIn(text);
    return made;
}

void CodeBuilder::addProblem(std::size_t line, std::string message) {
    if (code.problems.size() < maxProblems) {
        code.problems.push_back({line, std::move(message)});
    }
}

} // namespace aotscope::inductor
