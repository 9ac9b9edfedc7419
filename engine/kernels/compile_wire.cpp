#include "kernels/compile_wire.h"

#include "base/little_endian.h"
#include "base/numbers.h"

#include <concepts>

namespace aotscope::kernels {

namespace {

constexpr std::size_t lengthBytes = 8;
/// More items than this in one list are not believed.
constexpr std::uint64_t mostItems = 10'000;

class WireAppender {
public:
    explicit WireAppender(std::string& wire) : m_wire(wire) {}

    void put(std::string_view text) {
        m_wire += base::littleEndian(std::uint64_t{text.size()});
        m_wire += text;
    }
    void put(std::integral auto number) { put(std::string_view(std::to_string(number))); }
    template<typename T>
    void put(const std::vector<T>& items) {
        put(items.size());
        for (const T& item : items) {
            put(item);
        }
    }
    template<base::HasMembers T>
    void put(const T& value) {
        base::visitMembers(value, [this](const char* /*name*/, const auto& member) { this->put(member); });
    }

private:
    std::string& m_wire;
};

/// Takes values from the front; a wire that ends too early is remembered.
class WireTaker {
public:
    explicit WireTaker(std::string_view wire) : m_rest(wire) {}

    [[nodiscard]] bool isWhole() const { return m_isWhole; }
    [[nodiscard]] std::string_view rest() const { return m_rest; }

    void take(std::string& text) {
        const std::uint64_t length = base::fromLittleEndian(m_rest.substr(0, lengthBytes));
        m_isWhole = m_isWhole && m_rest.size() >= lengthBytes && length <= m_rest.size() - lengthBytes;
        if (m_isWhole) {
            text = m_rest.substr(lengthBytes, length);
            m_rest.remove_prefix(lengthBytes + length);
        }
    }
    template<std::integral T>
    void take(T& number) {
        std::string text;
        take(text);
        const auto value = base::wholeNumber<std::uint64_t>(text);
        m_isWhole = m_isWhole && value;
        number = m_isWhole ? static_cast<T>(*value) : T();
    }
    template<typename T>
    void take(std::vector<T>& items) {
        std::uint64_t count = 0;
        take(count);
        m_isWhole = m_isWhole && count <= mostItems;
        for (std::uint64_t i = 0; m_isWhole && i < count; ++i) {
            take(items.emplace_back());
        }
    }
    template<base::HasMembers T>
    void take(T& value) {
        base::visitMembers(value, [this](const char* /*name*/, auto& member) { this->take(member); });
    }

private:
    std::string_view m_rest;
    bool m_isWhole = true;
};

template<typename Value>
std::optional<Value> taken(std::string_view& wire) {
    WireTaker taker(wire);
    Value value;
    taker.take(value);
    if (!taker.isWhole()) {
        return std::nullopt;
    }
    wire = taker.rest();
    return value;
}

} // namespace

void appendGreeting(std::string& wire, const WireGreeting& greeting) {
    WireAppender(wire).put(greeting);
}
void appendRequest(std::string& wire, const WireRequest& request) {
    WireAppender(wire).put(request);
}
void appendAnswer(std::string& wire, const WireAnswer& answer) {
    WireAppender(wire).put(answer);
}

std::optional<WireGreeting> takeGreeting(std::string_view& wire) {
    return taken<WireGreeting>(wire);
}
std::optional<WireRequest> takeRequest(std::string_view& wire) {
    return taken<WireRequest>(wire);
}
std::optional<WireAnswer> takeAnswer(std::string_view& wire) {
    return taken<WireAnswer>(wire);
}

} // namespace aotscope::kernels
