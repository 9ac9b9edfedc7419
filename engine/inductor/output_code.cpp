#include "inductor/output_code.h"

#include "inductor/code_builder.h"
#include "inductor/kernel_comments.h"

#include "base/text_search.h"
#include "base/trimmed.h"

#include <algorithm>
#include <array>

namespace aotscope::inductor {

namespace {

/// More than any compile writes, and as much as a window can hold in memory twice.
constexpr std::size_t maxBytes = 1U << 30U;

std::size_t indentOf(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

/// The name of "def NAME(" if it is a function that launches kernels.
std::optional<std::string_view> launchingFunction(std::string_view line) {
    line = base::trimmed(line);
    const std::size_t open = line.find('(');
    if (!line.starts_with("def ") || open == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view name = base::trimmed(line.substr(4, open - 4));
    constexpr std::array others = {"get_args", "benchmark_compiled_module", "recursively_apply_fns",
                                   "__init__", "benchmark_all_kernels",     "profile_all_kernels"};
    const bool helper = std::ranges::any_of(others, [name](std::string_view other) { return name == other; });
    return helper ? std::nullopt : std::optional(name);
}

class PythonReader {
public:
    PythonReader(std::string_view text, CodeBuilder& builder)
        : m_lines(text), m_builder(builder), m_statements(builder) {}

    void read(base::Progress& progress) {
        forEachLine(m_lines, m_builder, progress, [this](const CodeLine& line) { takeLine(line); });
        endFunction();
    }

private:
    void takeLine(const CodeLine& line) {
        const std::string_view content = base::trimmed(line.text);
        if (const std::optional<std::string_view> comment = commentOf(content)) {
            takeComment(line, *comment);
            return;
        }
        if (content.empty()) {
            return;
        }
        if (m_builder.inFunction() && indentOf(line.text) <= m_functionIndent) {
            endFunction();
        }
        if (const std::optional<std::string_view> name = launchingFunction(content)) {
            endFunction();
            m_functionIndent = indentOf(line.text);
            m_builder.beginFunction(*name, line);
            m_comments.forget();
        } else if (m_builder.inFunction()) {
            takeStatement(line);
        } else {
            takeDefinition(line);
        }
        m_last = line;
    }

    void takeComment(const CodeLine& line, std::string_view comment) {
        constexpr std::string_view aotId = "AOT ID: [";
        if (m_builder.code.aotId.empty() && comment.starts_with(aotId)) {
            comment.remove_prefix(aotId.size());
            m_builder.code.aotId = base::unquoted(comment.substr(0, comment.find(']')));
        } else {
            m_comments.take(line, comment);
        }
    }

    void dropWaiting() {
        if (m_waiting.range) {
            m_builder.addProblem(m_waiting.range->firstLine,
                                 "No launch was recognized between this comment and the next.");
        }
        m_waiting = {};
    }

    void endFunction() {
        dropWaiting();
        if (m_builder.inFunction()) {
            m_builder.endFunction(m_last);
            m_comments.forget();
        }
    }

    /// A statement may go over several lines, until its brackets are closed.
    void takeStatement(const CodeLine& line) {
        const TextRange range = takeBrackets(m_lines, line, [&](const CodeLine& /*last*/, const auto& next) {
            const bool isCut =
                !next || (!base::trimmed(next->text).empty() && indentOf(next->text) < m_functionIndent);
            if (isCut) {
                m_builder.addProblem(line.number, "The statement is cut off: a bracket is not closed.");
            }
            return !isCut;
        });
        const std::string_view statement = base::trimmed(range.in(m_lines.text()));
        if (m_statements.take(statement, range, line, pending())) {
            m_comments.forget();
            m_waiting = {};
        }
    }

    /// Comments stay until the launch that they precede; allocations may stand between.
    const KernelComments& pending() {
        KernelComments fresh = m_comments.release();
        if (fresh.range) {
            dropWaiting();
            m_waiting = std::move(fresh);
        }
        return m_waiting;
    }

    /// "NAME = async_compile.triton('NAME', '''…''', device_str='cuda')" at the top of the text.
    void takeDefinition(const CodeLine& line) {
        KernelComments comments = m_comments.release();
        constexpr std::string_view compiles = " = async_compile.";
        const std::size_t sign = line.text.find(compiles);
        const std::size_t open = sign == std::string_view::npos ? sign : line.text.find('(', sign);
        if (open == std::string_view::npos || !isName(line.text.substr(0, sign))) {
            return;
        }
        Kernel kernel;
        kernel.name = line.text.substr(0, sign);
        kernel.comments = std::move(comments);
        const std::string_view family =
            line.text.substr(sign + compiles.size(), open - sign - compiles.size());
        if (family == "multi_kernel" || family == "size_hint_multi_kernel") {
            takeMultiKernel(line, std::move(kernel));
        } else {
            takeSource(line, line.begin + open + 1, family, std::move(kernel));
        }
    }

    void takeMultiKernel(const CodeLine& line, Kernel kernel) {
        kernel.kind = KernelKind::MultiKernel;
        const TextRange range = takeBrackets(m_lines, line);
        forEachName(range.in(m_lines.text()), [&](std::string_view name) {
            if (name != kernel.name && m_builder.isDefined(name)) {
                kernel.choices.emplace_back(name);
            }
        });
        kernel.definition = range;
        m_builder.define(std::move(kernel));
    }

    void takeSource(const CodeLine& line, std::size_t from, std::string_view family, Kernel kernel) {
        const std::string_view text = m_lines.text();
        const std::string_view rest = text.substr(from, line.end() - from);
        const std::size_t single = rest.find("'''");
        const std::size_t quotes = single == std::string_view::npos ? rest.find("\"\"\"") : single;
        if (quotes == std::string_view::npos) {
            return;
        }
        std::size_t begin = from + quotes + 3;
        if (begin < text.size() && text[begin] == '\n') {
            ++begin;
        }
        const std::size_t close = text.find(text.substr(from + quotes, 3), begin);
        const std::size_t end = std::min(close, text.size());
        if (close == std::string_view::npos) {
            m_builder.addProblem(line.number,
                                 "The source of " + kernel.name + " is cut off: its quotes are not closed.");
        }
        m_lines.skipTo(end);
        const std::optional<CodeLine> last = m_lines.next();
        const std::size_t lastLine = last ? last->number : line.number;
        kernel.source = TextRange{begin, end, line.number + (begin > from + quotes + 3 ? 1 : 0),
                                  end > begin && text[end - 1] == '\n' ? lastLine - 1 : lastLine};
        kernel.definition = TextRange{line.begin, last ? last->end() : text.size(), line.number, lastLine};
        readKernelSource(text.substr(begin, end - begin), family, kernel);
        m_builder.define(std::move(kernel));
    }

    CodeLines m_lines;
    CodeBuilder& m_builder;
    PythonStatements m_statements;
    CommentReader m_comments;
    KernelComments m_waiting;
    std::size_t m_functionIndent = 0;
    CodeLine m_last;
};

} // namespace

std::string_view Kernel::fact(std::string_view wanted) const {
    const auto known = std::ranges::find(facts, wanted, &KernelFact::name);
    return known == facts.end() ? std::string_view() : known->value;
}

const Kernel* OutputCode::tryKernel(std::string_view name) const {
    const auto kernel = std::ranges::find(kernels, name, &Kernel::name);
    return kernel == kernels.end() ? nullptr : &*kernel;
}

const WrapperFunction* OutputCode::entry() const {
    const WrapperFunction* last = nullptr;
    for (const WrapperFunction& function : functions) {
        last = function.name == "call" || last == nullptr ? &function : last;
    }
    return last;
}

std::optional<std::uint32_t> OutputCode::kernelAtLine(std::size_t line) const {
    const auto holds = [line](const TextRange& range) {
        return line >= range.firstLine && line <= range.lastLine;
    };
    for (std::uint32_t index = 0; index < kernels.size(); ++index) {
        const Kernel& kernel = kernels[index];
        if ((kernel.definition && holds(*kernel.definition)) ||
            (kernel.comments.range && holds(*kernel.comments.range))) {
            return index;
        }
    }
    for (const Launch& launch : launches) {
        if (holds(launch.range) || (launch.comments.range && holds(*launch.comments.range))) {
            return launch.kernel;
        }
    }
    return std::nullopt;
}

bool looksLikeOutputCode(std::string_view text) {
    text = text.substr(0, 1U << 16U);
    return base::contains(text, "torch._inductor") || base::contains(text, "async_compile") ||
           isCppWrapper(text);
}

base::Result<OutputCode> readOutputCode(std::string_view text, base::Progress progress) {
    if (text.size() > maxBytes) {
        return base::Error{.code = "inductor.too_large",
                           .message = "The generated code is larger than 1 GiB.",
                           .hint = "Open the log of fewer compiles."};
    }
    if (!looksLikeOutputCode(text)) {
        return base::Error{.code = "inductor.not_output_code",
                           .message = "The text is not code that Inductor generated.",
                           .hint = "Logs have it as the payload of inductor_output_code."};
    }
    CodeBuilder builder;
    if (isCppWrapper(text)) {
        builder.code.cppWrapper = true;
        readCppWrapper(text, builder, progress);
    } else {
        PythonReader(text, builder).read(progress);
    }
    AOTSCOPE_CHECK(progress.checkStop());
    const WrapperFunction* entry = builder.code.entry();
    if (entry == nullptr) {
        builder.addProblem(0, "The code ends before the function that launches the kernels.");
    } else if (!entry->complete) {
        builder.addProblem(entry->range.lastLine,
                           "The code ends within the function that launches the kernels.");
    }
    return std::move(builder.code);
}

} // namespace aotscope::inductor
