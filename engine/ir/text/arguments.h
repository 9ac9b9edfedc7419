#pragma once

#include "ir/cursor.h"
#include "ir/graph.h"
#include "ir/text/names.h"

namespace aotscope::ir {

/// How arguments are written: as Python (`x`, `'none'`) or as `graph():` prints them (`%x`, `none`).
enum class ArgumentForm : std::uint8_t { Python, Percent };

/// Reads arguments at the cursor. Expressions of an unknown kind become OpaqueArgument.
class ArgumentReader {
public:
    ArgumentReader(TextCursor& cursor, const NameTable& names, SymbolCache& symbols,
                   ArgumentForm form = ArgumentForm::Python)
        : m_cursor(cursor), m_names(names), m_symbols(symbols), m_form(form) {}

    /// An argument that ends before a comma, a closing bracket, a semicolon or the line's end.
    [[nodiscard]] Argument argument();
    /// One operand: ends before a space, where an operator may follow. False: none of a known kind here; the
    /// cursor is back where it was.
    [[nodiscard]] bool operand(Argument& out);
    /// Whether a complex number was written as a call so far (notes::complexCalls).
    [[nodiscard]] bool hasReadComplexCall() const { return m_hasReadComplexCall; }
    /// The rest of a call behind its opening parenthesis, the closing one included.
    void callArguments(Arguments& args, std::vector<KeywordArgument>& kwargs);

private:
    [[nodiscard]] bool atom(Argument& out);
    [[nodiscard]] bool word(Argument& out);
    [[nodiscard]] bool wordCall(std::string_view name, Argument& out);
    [[nodiscard]] bool complexCall(Argument& out);
    [[nodiscard]] bool torchName(Argument& out);
    [[nodiscard]] bool number(Argument& out);
    [[nodiscard]] bool string(Argument& out);
    [[nodiscard]] bool parenthesized(Argument& out);
    [[nodiscard]] bool dictionary(Argument& out);
    /// Calls `read` for each item up to `close`, with commas between them, until it returns false; then this
    /// does, too. `opened`: where the bracket is.
    template<typename Read>
    [[nodiscard]] bool untilClosed(std::size_t opened, char close, const Read& read);
    [[nodiscard]] Arguments items(char close);
    /// Moves the pending items from `first` on to the end of a list.
    void takePending(std::size_t first, Arguments& into);
    [[nodiscard]] Argument unknown(std::string_view stops);
    [[nodiscard]] bool goesOn() const;
    [[nodiscard]] bool atDelimiter(std::string_view stops);
    [[nodiscard]] std::vector<NodeId> mentionedNodes(std::string_view text) const;

    class Nesting;

    TextCursor& m_cursor;
    const NameTable& m_names;
    SymbolCache& m_symbols;
    ArgumentForm m_form;
    int m_depth = 0;
    bool m_hasReadComplexCall = false;
    /// Whether a comma stood behind the last item of what untilClosed read last.
    bool m_endedWithComma = false;
    /// Items of the lists being read, so that each list is allocated once with its final size.
    Arguments m_pending;
};

} // namespace aotscope::ir
