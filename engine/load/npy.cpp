#include "load/tensor_formats.h"

#include "base/joined.h"

#include "base/file_place.h"
#include "base/little_endian.h"
#include "base/numbers.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace aotscope::load {

namespace {

/// NumPy itself allows 64 dimensions, and ten thousand bytes of header.
constexpr std::size_t mostDimensions = 64;
constexpr std::size_t mostHeader = 10'000;

base::Error notNpy(std::string message, std::string hint = {}) {
    return {.code = "load.not_npy", .message = std::move(message), .hint = std::move(hint)};
}

struct NpyHeader {
    const StoredDtype* type = nullptr;
    bool isBigEndian = false;
    bool isFortranOrder = false;
    std::vector<std::int64_t> shape;
};

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }: keys in any order, each once.
class NpyHeaderReader {
public:
    /// `start`: where the header lies in the file, for messages.
    NpyHeaderReader(std::string_view text, std::size_t start) : m_text(text), m_start(start) {}

    base::Result<NpyHeader> read() {
        NpyHeader header;
        bool hasType = false;
        bool hasOrder = false;
        bool hasShape = false;
        if (!take('{')) {
            return wrong("the header is not a dictionary");
        }
        while (!take('}')) {
            const auto key = quoted();
            if (!key || !take(':')) {
                return wrong("a key of the header cannot be read");
            }
            if (*key == "descr" && !hasType) {
                hasType = true;
                if (auto error = readType(header)) {
                    return *std::move(error);
                }
            } else if (*key == "fortran_order" && !hasOrder) {
                hasOrder = true;
                if (!takeWord("True") && !takeWord("False")) {
                    return wrong("\"fortran_order\" is neither True nor False");
                }
                header.isFortranOrder = m_text[m_at - 2] == 'u';
            } else if (*key == "shape" && !hasShape) {
                hasShape = true;
                if (!readShape(header.shape)) {
                    return wrong("the shape is not a tuple of sizes");
                }
            } else {
                return wrong("the header has a key too many: \"" + std::string(*key) + "\"");
            }
            if (!take(',') && !peek('}')) {
                return wrong("the header's entries are not separated by commas");
            }
        }
        skipBlanks();
        if (m_at != m_text.size()) {
            return wrong("something follows the header's dictionary");
        }
        if (!hasType || !hasOrder || !hasShape) {
            return wrong("the header lacks one of \"descr\", \"fortran_order\" and \"shape\"");
        }
        return header;
    }

private:
    base::Error wrong(std::string what) const {
        return notNpy("This is not an array of NumPy: " + std::move(what) + " (at byte " +
                      std::to_string(m_start + m_at) + ").");
    }

    void skipBlanks() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n')) {
            ++m_at;
        }
    }
    bool peek(char wanted) {
        skipBlanks();
        return m_at < m_text.size() && m_text[m_at] == wanted;
    }
    bool take(char wanted) {
        const bool isThere = peek(wanted);
        m_at += isThere ? 1 : 0;
        return isThere;
    }
    bool takeWord(std::string_view word) {
        skipBlanks();
        const bool isThere = m_text.substr(m_at).starts_with(word);
        m_at += isThere ? word.size() : 0;
        return isThere;
    }
    std::optional<std::string_view> quoted() {
        skipBlanks();
        if (m_at >= m_text.size() || (m_text[m_at] != '\'' && m_text[m_at] != '"')) {
            return std::nullopt;
        }
        const std::size_t end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view text = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return text;
    }

    std::optional<base::Error> readType(NpyHeader& header) {
        if (peek('[')) {
            return notNpy("The array has named fields, so it is several tensors.",
                          "Save each field as an array of its own.");
        }
        const auto text = quoted();
        if (!text || text->size() < 2) {
            return wrong("\"descr\" is not a dtype");
        }
        const char order = text->front();
        const std::string_view code = text->substr(1);
        const StoredDtype* type = tryStoredDtype(&StoredDtype::numpy, code);
        if (type == nullptr || (order != '<' && order != '>' && order != '|' && order != '=')) {
            const bool isForeign = code == "V1" || code == "V2" || code == "f1";
            return notNpy(
                "The dtype '" + std::string(*text) + "' of the array is not one of a tensor" +
                    (isForeign ? ": NumPy stores bfloat16 and 8-bit floats without their names." : "."),
                isForeign ? "Save such tensors as safetensors." : "");
        }
        header.type = type;
        header.isBigEndian = order == '>';
        return std::nullopt;
    }

    bool readShape(std::vector<std::int64_t>& shape) {
        if (!take('(')) {
            return false;
        }
        while (!take(')')) {
            skipBlanks();
            std::string_view rest = m_text.substr(m_at);
            const auto size = base::takeNumber<std::int64_t>(rest);
            if (!size || *size < 0 || shape.size() == mostDimensions) {
                return false;
            }
            m_at = m_text.size() - rest.size();
            // Python 2 wrote (3L,).
            takeWord("L");
            shape.push_back(*size);
            if (!take(',') && !peek(')')) {
                return false;
            }
        }
        return true;
    }

    std::string_view m_text;
    std::size_t m_start;
    std::size_t m_at = 0;
};

/// Brings elements in Fortran order (the first index changes fastest) into C order.
std::string inCOrder(std::string_view bytes, const std::vector<std::int64_t>& shape, std::size_t element) {
    std::string ordered(bytes.size(), '\0');
    if (bytes.empty()) {
        return ordered;
    }
    std::vector<std::size_t> strides;
    std::size_t stride = element;
    for (const std::int64_t size : shape) {
        strides.push_back(stride);
        stride *= static_cast<std::size_t>(size);
    }
    std::vector<std::int64_t> index(shape.size(), 0);
    std::size_t from = 0;
    for (std::size_t to = 0; to < ordered.size(); to += element) {
        bytes.copy(ordered.data() + to, element, from);
        for (std::size_t dim = shape.size(); dim-- > 0;) {
            from += strides[dim];
            if (++index[dim] < shape[dim]) {
                break;
            }
            from -= strides[dim] * static_cast<std::size_t>(shape[dim]);
            index[dim] = 0;
        }
    }
    return ordered;
}

void swapBytes(std::string& bytes, std::size_t part) {
    for (std::size_t at = 0; at + part <= bytes.size(); at += part) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                     bytes.begin() + static_cast<std::ptrdiff_t>(at + part));
    }
}

} // namespace

base::Result<StoredTensor> parseNpy(std::string_view bytes) {
    constexpr std::size_t versionEnd = npyMagic.size() + 2;
    if (!bytes.starts_with(npyMagic) || bytes.size() < versionEnd + 4) {
        return notNpy("This is not an array of NumPy: it does not begin as .npy files do.");
    }
    const int version = static_cast<unsigned char>(bytes[npyMagic.size()]);
    if (version < 1 || version > 3) {
        return notNpy("The file has version " + std::to_string(version) +
                      " of NumPy's format; versions 1 to 3 are known (at byte " +
                      std::to_string(npyMagic.size()) + ").");
    }
    const std::size_t lengthBytes = version == 1 ? 2 : 4;
    const std::size_t start = versionEnd + lengthBytes;
    const std::size_t length = base::fromLittleEndian(bytes.substr(versionEnd, lengthBytes));
    if (length > mostHeader || length > bytes.size() - start) {
        return notNpy("The header should have " + std::to_string(length) + " bytes (at byte " +
                      std::to_string(versionEnd) + "), which is more than " +
                      (length > mostHeader ? "a header of one array can have." : "the file has."));
    }
    AOTSCOPE_TRY(header, NpyHeaderReader(bytes.substr(start, length), start).read());
    const std::string_view data = bytes.substr(start + length);
    const auto expected = tensorBytes(header.shape, header.type->bytes);
    if (!expected || *expected != data.size()) {
        return notNpy("The array's shape and dtype need " +
                      (expected ? std::to_string(*expected) : std::string("more than 2^64")) +
                      " bytes, and " + std::to_string(data.size()) + " follow the header (from byte " +
                      std::to_string(start + length) + ").");
    }
    StoredTensor tensor{std::string(header.type->name), header.shape, {}};
    tensor.bytes =
        header.isFortranOrder ? inCOrder(data, tensor.shape, header.type->bytes) : std::string(data);
    if (header.isBigEndian && header.type->part != 0) {
        swapBytes(tensor.bytes, header.type->part);
    }
    return tensor;
}

base::Result<std::string> npyBytes(const StoredTensor& tensor) {
    const StoredDtype* type = tryStoredDtype(&StoredDtype::name, tensor.dtype);
    if (type == nullptr || type->numpy.empty()) {
        return notNpy("NumPy has no dtype " + tensor.dtype +
                          ", so the tensor cannot be stored in its format.",
                      "Write a .safetensors file.");
    }
    if (tensorBytes(tensor.shape, type->bytes) != tensor.bytes.size()) {
        return notNpy("The tensor's bytes do not fit its shape and dtype.");
    }
    std::string shape = base::joined(tensor.shape);
    std::string header = "{'descr': '" + std::string(type->part == 0 ? "|" : "<") + std::string(type->numpy) +
                         "', 'fortran_order': False, 'shape': (" + shape +
                         (tensor.shape.size() == 1 ? ",), }" : "), }");
    // The data begins at a multiple of 64 bytes, after the header's line break.
    constexpr std::size_t before = npyMagic.size() + 4;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';
    std::string bytes(npyMagic);
    bytes += {'\1', '\0'};
    return bytes + base::littleEndian(static_cast<std::uint16_t>(header.size())) + header + tensor.bytes;
}

base::Result<void> writeNpy(const std::filesystem::path& path, const StoredTensor& tensor) {
    AOTSCOPE_TRY(bytes, npyBytes(tensor));
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) {
        return base::Error{"load.write", "The file cannot be written.", base::filePlace(path)};
    }
    return {};
}

} // namespace aotscope::load
