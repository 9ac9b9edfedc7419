#include "kernels/compile_wire.h"

#include "base/numbers.h"

namespace aotscope::kernels {

namespace {

constexpr std::size_t lengthBytes = 8;
/// More texts than this in one list are not believed.
constexpr std::uint64_t mostTexts = 10'000;

void append(std::string& wire, std::string_view text) {
    std::uint64_t length = text.size();
    for (std::size_t i = 0; i < lengthBytes; ++i) {
        wire += static_cast<char>(length & 0xffU);
        length >>= 8U;
    }
    wire += text;
}

void append(std::string& wire, std::uint64_t number) {
    append(wire, std::string_view(std::to_string(number)));
}

void append(std::string& wire, const std::vector<std::string>& texts) {
    append(wire, texts.size());
    for (const std::string& text : texts) {
        append(wire, std::string_view(text));
    }
}

/// Takes texts from the front; a wire that ends too early is remembered.
class Taker {
public:
    explicit Taker(std::string_view wire) : m_rest(wire) {}

    [[nodiscard]] bool isWhole() const { return m_isWhole; }
    [[nodiscard]] std::string_view rest() const { return m_rest; }

    std::string text() {
        if (m_rest.size() < lengthBytes) {
            return broken();
        }
        std::uint64_t length = 0;
        for (std::size_t i = lengthBytes; i-- > 0;) {
            length = (length << 8U) | static_cast<unsigned char>(m_rest[i]);
        }
        if (length > m_rest.size() - lengthBytes) {
            return broken();
        }
        std::string taken(m_rest.substr(lengthBytes, length));
        m_rest.remove_prefix(lengthBytes + length);
        return taken;
    }
    std::uint64_t number() {
        const auto value = base::wholeNumber<std::uint64_t>(text());
        m_isWhole = m_isWhole && value;
        return m_isWhole ? *value : 0;
    }
    std::vector<std::string> texts() {
        const std::uint64_t count = number();
        m_isWhole = m_isWhole && count <= mostTexts;
        std::vector<std::string> taken;
        for (std::uint64_t i = 0; m_isWhole && i < count; ++i) {
            taken.push_back(text());
        }
        return taken;
    }

private:
    std::string broken() {
        m_isWhole = false;
        return {};
    }

    std::string_view m_rest;
    bool m_isWhole = true;
};

template<typename Value>
std::optional<Value> finish(const Taker& taker, std::string_view& wire, Value value) {
    if (!taker.isWhole()) {
        return std::nullopt;
    }
    wire = taker.rest();
    return value;
}

} // namespace

void appendGreeting(std::string& wire, const WireGreeting& greeting) {
    append(wire, std::string_view(greeting.library));
    append(wire, std::string_view(greeting.version));
    append(wire, greeting.architectures.size());
    for (const int architecture : greeting.architectures) {
        append(wire, static_cast<std::uint64_t>(architecture));
    }
    append(wire, greeting.troubles);
}

void appendRequest(std::string& wire, const WireRequest& request) {
    append(wire, std::string_view(request.text));
    append(wire, request.options);
}

void appendAnswer(std::string& wire, const WireAnswer& answer) {
    append(wire, std::uint64_t(answer.answer.compiled ? 1 : 0));
    append(wire, std::string_view(answer.answer.failure));
    append(wire, std::string_view(answer.answer.log));
    append(wire, std::string_view(answer.answer.ptx));
    append(wire, std::string_view(answer.answer.cubin));
    append(wire, answer.microseconds);
}

std::optional<WireGreeting> takeGreeting(std::string_view& wire) {
    Taker taker(wire);
    WireGreeting greeting;
    greeting.library = taker.text();
    greeting.version = taker.text();
    const std::uint64_t count = taker.number();
    for (std::uint64_t i = 0; taker.isWhole() && i < std::min(count, mostTexts); ++i) {
        greeting.architectures.push_back(static_cast<int>(taker.number()));
    }
    greeting.troubles = taker.texts();
    return finish(taker, wire, std::move(greeting));
}

std::optional<WireRequest> takeRequest(std::string_view& wire) {
    Taker taker(wire);
    WireRequest request;
    request.text = taker.text();
    request.options = taker.texts();
    return finish(taker, wire, std::move(request));
}

std::optional<WireAnswer> takeAnswer(std::string_view& wire) {
    Taker taker(wire);
    WireAnswer answer;
    answer.answer.compiled = taker.number() == 1;
    answer.answer.failure = taker.text();
    answer.answer.log = taker.text();
    answer.answer.ptx = taker.text();
    answer.answer.cubin = taker.text();
    answer.microseconds = taker.number();
    return finish(taker, wire, std::move(answer));
}

} // namespace aotscope::kernels
