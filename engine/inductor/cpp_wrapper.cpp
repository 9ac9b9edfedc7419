#include "inductor/code_builder.h"
#include "inductor/kernel_comments.h"

#include "base/text_search.h"
#include "base/trimmed.h"

#include <array>

namespace aotscope::inductor {

namespace {

constexpr std::array entryFunctions = {std::string_view("inductor_entry_impl("),
                                       std::string_view("::run_impl(")};

/// The inside of "NAME(…)" where the name is `callee`; nothing: the text is no such call.
std::optional<std::string_view> insideOf(std::string_view text, std::string_view callee) {
    const std::size_t at = text.find(callee);
    return at == std::string_view::npos ? std::nullopt : bracketContent(text, at + callee.size() - 1);
}

/// The functions of a wrapper in C++ and its kernels, statement by statement.
class CppReader {
public:
    CppReader(std::string_view text, CodeBuilder& builder)
        : m_text(text), m_lines(text), m_builder(builder) {}

    void read(base::Progress& progress) {
        forEachLine(m_lines, m_builder, progress, [this](const CodeLine& line) { takeLine(line); });
        endKernel(m_text.size());
        if (m_builder.inFunction()) {
            m_builder.endFunction(m_last);
        }
    }

private:
    void takeLine(const CodeLine& line) {
        const std::string_view content = base::trimmed(line.text);
        if (m_builder.inFunction()) {
            takeInFunction(line, content);
        } else if (content.starts_with("extern \"C\"")) {
            takeFunction(line);
        } else if (base::contains(line.text, entryFunctions[0]) ||
                   base::contains(line.text, entryFunctions[1])) {
            endKernel(line.begin);
            m_builder.beginFunction("call", line);
        } else if (content == "\"\"\"" || content == "'''") {
            endKernel(line.begin);
        }
        m_last = line;
    }

    void takeInFunction(const CodeLine& line, std::string_view content) {
        if (line.text.starts_with('}')) {
            m_builder.completeFunction();
            m_builder.endFunction(line);
            m_comments.forget();
            return;
        }
        if (const std::optional<std::string_view> comment = commentOf(content)) {
            m_comments.take(line, *comment);
            return;
        }
        if (content.empty()) {
            return;
        }
        // A body's brace opens a block and not a statement.
        const auto goesOn = [](const CodeLine& last, const std::optional<CodeLine>& next) {
            const std::string_view before = base::trimmed(last.text);
            return next && !next->text.starts_with('}') && !before.ends_with('{') && !before.ends_with(';');
        };
        const TextRange range = takeBrackets(m_lines, line, goesOn);
        takeStatement(base::trimmed(range.in(m_text)), range, line);
    }

    void takeStatement(std::string_view content, const TextRange& range, const CodeLine& line) {
        const bool reused = content.ends_with("// reuse");
        if (content.starts_with("static constexpr int64_t int_array_")) {
            takeArray(content);
        } else if (content.starts_with("output_handles[")) {
            if (const auto sides = splitOnce(content, " = ")) {
                const std::string_view place = content.substr(15, content.find(']') - 15);
                m_builder.addReturnedAt(place, sides->second.substr(0, sides->second.rfind(".release")));
            }
        } else if (content.starts_with("auto ")) {
            takeName(content.substr(5), reused, line);
        } else if (content.ends_with(".reset();")) {
            m_builder.addBufferEvent(
                {BufferEventKind::Freed, std::string(content.substr(0, content.size() - 9))}, line);
        } else if (const auto allocated = insideOf(content, "aoti_torch_empty_strided(")) {
            takeAllocation(*allocated, line);
        } else if (const auto call = insideOf(content, "AOTI_TORCH_ERROR_CODE_CHECK(")) {
            takeCall(*call, range);
        } else {
            takeCall(content, range);
        }
    }

    /// "int_array_0[] = {8L, 32L};"
    void takeArray(std::string_view content) {
        const std::size_t begin = content.find("int_array_");
        const std::size_t open = content.find('{');
        if (open != std::string_view::npos) {
            std::string shape = "(";
            for (const std::string_view item : splitItems(bracketContent(content, open).value_or(""))) {
                shape += (shape.size() > 1 ? ", " : "") + std::string(item.substr(0, item.find('L')));
            }
            m_arrays[std::string(content.substr(begin, content.find('[') - begin))] = shape + ")";
        }
    }

    /// "buf2 = std::move(buf1);", an input, or a view of another buffer.
    void takeName(std::string_view content, bool reused, const CodeLine& line) {
        const auto sides = splitOnce(content, " = ");
        if (!sides || !isName(sides->first)) {
            return;
        }
        const BufferEventKind kind = reused ? BufferEventKind::Reused : BufferEventKind::Alias;
        if (const auto moved = insideOf(sides->second, "std::move(")) {
            if (moved->starts_with("inputs[")) {
                m_builder.addInput(sides->first);
            } else {
                m_builder.addBufferEvent({kind, std::string(sides->first), std::string(*moved)}, line);
            }
        } else if (const auto view = insideOf(sides->second, "reinterpret_tensor_wrapper(")) {
            const std::vector<std::string_view> items = splitItems(*view);
            BufferEvent event{kind, std::string(sides->first), items.empty() ? "" : std::string(items[0])};
            event.shape = items.size() > 2 ? arrayText(items[2]) : "";
            event.stride = items.size() > 3 ? arrayText(items[3]) : "";
            m_builder.addBufferEvent(std::move(event), line);
        }
    }

    void takeAllocation(std::string_view arguments, const CodeLine& line) {
        const std::vector<std::string_view> items = splitItems(arguments);
        if (items.size() < 5 || !items.back().starts_with('&')) {
            return;
        }
        std::string_view name = items.back().substr(1);
        name = name.substr(0, name.rfind("_handle"));
        BufferEvent event{BufferEventKind::Allocated, std::string(name)};
        event.shape = arrayText(items[1]);
        event.stride = arrayText(items[2]);
        constexpr std::string_view cached = "cached_torch_dtype_";
        event.dtype = items[3].starts_with(cached) ? "torch." + std::string(items[3].substr(cached.size()))
                                                   : std::string(items[3]);
        m_builder.addBufferEvent(std::move(event), line);
    }

    void takeCall(std::string_view call, const TextRange& range) {
        const std::size_t open = call.find('(');
        std::string_view callee = open == std::string_view::npos ? "" : base::trimmed(call.substr(0, open));
        if (!isName(callee)) {
            return;
        }
        std::string_view kernel = callee;
        std::optional<KernelKind> kind;
        if (kernel.starts_with("call_triton_")) {
            kernel.remove_prefix(5);
            kind = KernelKind::TritonOther;
        } else if (kernel.starts_with("aoti_torch_") && !isHousekeeping(kernel)) {
            kind = KernelKind::Extern;
        } else if (m_builder.isDefined(kernel) || kernel.starts_with("cpp_fused")) {
            kind = KernelKind::Cpp;
        }
        const std::optional<std::string_view> arguments = bracketContent(call, open);
        if (!kind || !arguments) {
            return;
        }
        const std::vector<std::string_view> items = splitItems(*arguments);
        for (const std::string_view item : items) {
            if (item.starts_with('&') && item.ends_with("_handle")) {
                m_builder.addName(item.substr(1, item.size() - 8));
            }
        }
        Launch& launch = m_builder.addLaunch(kernel, *kind, range, callee);
        launch.comments = m_comments.release();
        for (const std::string_view item : items) {
            launch.arguments.push_back(m_builder.argument(item));
        }
    }

    static bool isHousekeeping(std::string_view callee) {
        for (const std::string_view part :
             {"_delete_", "_get_", "_empty_strided", "_new_", "_assign", "_create_", "_item_", "_device_type",
              "_dtype_", "_clone", "_zero_"}) {
            if (base::contains(callee, part)) {
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] std::string arrayText(std::string_view name) const {
        const auto found = m_arrays.find(std::string(name));
        return found == m_arrays.end() ? std::string() : found->second;
    }

    /// A kernel's definition; a declaration, with ";", stands before the function that launches it.
    void takeFunction(const CodeLine& line) {
        const TextRange range = takeBrackets(m_lines, line);
        const std::string_view declaration = base::trimmed(range.in(m_text));
        const std::size_t bracket = declaration.find('(');
        if (bracket == std::string_view::npos || declaration.ends_with(';')) {
            return;
        }
        endKernel(line.begin);
        std::string_view name = base::trimmed(declaration.substr(0, bracket));
        name = name.substr(name.find_last_of(" *") + 1);
        m_kernel.emplace();
        m_kernel->name = name;
        m_kernel->kind = KernelKind::Cpp;
        m_kernel->parameters = cppParameters(bracketContent(declaration, bracket).value_or(""));
        m_kernel->definition = range;
    }

    void endKernel(std::size_t end) {
        if (!m_kernel) {
            return;
        }
        m_kernel->definition->end = end;
        m_kernel->definition->lastLine = m_last.number;
        m_kernel->source = m_kernel->definition;
        m_kernels.push_back(std::move(*m_kernel));
        m_kernel.reset();
    }

public:
    /// Kernels are defined after the function that launches them.
    void addDefinitions() {
        for (Kernel& defined : m_kernels) {
            Kernel* known = nullptr;
            for (Kernel& kernel : m_builder.code.kernels) {
                known = kernel.name == defined.name && !kernel.definition ? &kernel : known;
            }
            if (known == nullptr) {
                m_builder.define(std::move(defined));
            } else {
                defined.launches = std::move(known->launches);
                *known = std::move(defined);
            }
        }
    }

private:
    std::string_view m_text;
    CodeLines m_lines;
    CodeBuilder& m_builder;
    CommentReader m_comments;
    std::unordered_map<std::string, std::string> m_arrays;
    std::optional<Kernel> m_kernel;
    std::vector<Kernel> m_kernels;
    CodeLine m_last;
};

} // namespace

bool isCppWrapper(std::string_view text) {
    text = text.substr(0, 1U << 16U);
    return base::contains(text, "cpp_wrapper_src") || base::contains(text, "AOTInductorModel") ||
           base::contains(text, entryFunctions[0]);
}

void readCppWrapper(std::string_view text, CodeBuilder& builder, base::Progress& progress) {
    CppReader reader(text, builder);
    reader.read(progress);
    reader.addDefinitions();
}

} // namespace aotscope::inductor
