#include "memory/profile_svg.h"

#include "base/numbers.h"
#include "base/palette.h"
#include "base/xml_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace aotscope::memory {
namespace {

constexpr double width = 1200;
constexpr double height = 520;
constexpr double left = 88;
constexpr double right = 16;
constexpr double top = 56;
constexpr double bottom = 72;
constexpr double plotWidth = width - left - right;
constexpr double plotHeight = height - top - bottom;
/// How a line looks.
struct Pen {
    std::string_view color;
    std::string_view dashes;
};
constexpr std::array orderPens{Pen{"#0a5cb4", "7 4"}, Pen{"#b42c2a", "2 3"}, Pen{"#875a00", "8 3 2 3"}};
constexpr Pen measuredPen{"#1d222b", "none"};

std::string fill(base::Rgb color) {
    return "fill:" + base::hexColor(color);
}
std::string stroke(base::Rgb color) {
    return "stroke:" + base::hexColor(color);
}

std::string styleSheet() {
    namespace light = base::light;
    return "<style>\n"
           "text{font-family:'Inter','DejaVu Sans','Helvetica Neue',Arial,sans-serif;font-size:12px;" +
           fill(light::text) + "}\n.title{font-weight:bold;font-size:14px}\n.dim{" + fill(light::dimText) +
           "}\n.right{text-anchor:end}\n.grid{" + stroke(light::line) + ";stroke-width:1}\n.phase{" +
           stroke(light::dimText) +
           ";stroke-dasharray:4 3}\n.curve{fill:none;stroke-width:1.6}\n.label{font-size:11px;" +
           fill(light::background) + "}\n</style>\n";
}

std::string number(double value, int decimals = 1) {
    return base::numberText(std::isfinite(value) ? value : 0, std::chars_format::fixed, decimals);
}

struct Unit {
    double divisor;
    std::string_view name;
};

Unit unitOf(std::int64_t largest) {
    constexpr double kibi = 1024;
    const auto bytes = static_cast<double>(largest);
    if (bytes < 10 * kibi) {
        return {1, "B"};
    }
    if (bytes < 10 * kibi * kibi) {
        return {kibi, "KiB"};
    }
    return bytes < 10 * kibi * kibi * kibi ? Unit{kibi * kibi, "MiB"} : Unit{kibi * kibi * kibi, "GiB"};
}

std::string bytesText(std::int64_t bytes) {
    const Unit unit = unitOf(bytes);
    return number(static_cast<double>(bytes) / unit.divisor, unit.divisor == 1 ? 0 : 1) + ' ' +
           std::string(unit.name);
}

class Drawing {
public:
    explicit Drawing(const ProfilePicture& picture)
        : m_picture(picture),
          m_profile(*picture.profile),
          m_curve(picture.inputs == BandStack::Inputs::Shown ? m_profile.bytes : m_profile.intermediateBytes),
          m_length(static_cast<double>(std::max<std::size_t>(1, m_profile.bytes.size()))) {
        std::int64_t highest = 1;
        const auto consider = [&](const std::vector<std::int64_t>& bytes) {
            for (const std::int64_t at : bytes) {
                highest = std::max(highest, at);
            }
        };
        consider(m_curve);
        for (const auto& order : picture.orders) {
            consider(curveOf(*order.profile));
        }
        for (std::size_t i = 0; i < picture.measured.size(); ++i) {
            highest = std::max(highest, picture.measured[i] + scratchAt(i));
        }
        m_top = static_cast<double>(highest) * 1.05;
    }

    std::string svg() {
        m_out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(width, 0) + "\" height=\"" +
                number(height, 0) + "\" viewBox=\"0 0 " + number(width, 0) + ' ' + number(height, 0) +
                "\">\n";
        m_out += styleSheet();
        m_out += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
        text(left, 22, "title", m_picture.title);
        addGrid();
        addBands();
        addOrders();
        addMeasured();
        addMarks();
        addLegend();
        return std::move(m_out) + "</svg>\n";
    }

private:
    [[nodiscard]] const std::vector<std::int64_t>& curveOf(const MemoryProfile& profile) const {
        return m_picture.inputs == BandStack::Inputs::Shown ? profile.bytes : profile.intermediateBytes;
    }
    [[nodiscard]] std::int64_t scratchAt(std::size_t i) const {
        return i < m_picture.scratch.size() ? m_picture.scratch[i] : 0;
    }
    [[nodiscard]] double x(double position) const { return left + position / m_length * plotWidth; }
    [[nodiscard]] double y(double bytes) const { return top + plotHeight - bytes / m_top * plotHeight; }

    void text(double atX, double atY, std::string_view kind, std::string_view words) {
        m_out += "<text x=\"" + number(atX) + "\" y=\"" + number(atY) + "\" class=\"" + std::string(kind) +
                 "\">" + base::xmlText(words) + "</text>\n";
    }
    void line(std::string_view kind, double fromX, double fromY, double toX, double toY) {
        m_out += "<line class=\"" + std::string(kind) + "\" x1=\"" + number(fromX) + "\" y1=\"" +
                 number(fromY) + "\" x2=\"" + number(toX) + "\" y2=\"" + number(toY) + "\"/>\n";
    }

    void addGrid() {
        const Unit unit = unitOf(static_cast<std::int64_t>(m_top));
        const double wanted = m_top / unit.divisor / 5;
        const double power = std::pow(10, std::floor(std::log10(wanted)));
        const double step = (wanted <= power       ? power
                             : wanted <= 2 * power ? 2 * power
                             : wanted <= 5 * power ? 5 * power
                                                   : 10 * power) *
                            unit.divisor;
        for (int i = 0; i * step <= m_top; ++i) {
            line("grid", left, y(i * step), left + plotWidth, y(i * step));
            text(left - 8, y(i * step) + 4, "dim right",
                 number(i * step / unit.divisor, step < unit.divisor ? 1 : 0) + ' ' + std::string(unit.name));
        }
    }

    void addBands() {
        const Cells cells = gatherCells(m_curve, 0, static_cast<std::uint32_t>(m_curve.size()),
                                        static_cast<std::size_t>(plotWidth));
        const auto smallest = static_cast<std::int64_t>(m_top / plotHeight);
        for (const Band& band : BandStack(m_profile).stack(cells, smallest, m_picture.inputs)) {
            std::string path;
            for (const BandRun& run : band.runs) {
                path +=
                    'M' + number(x(cells.begin[run.from])) + ' ' + number(y(static_cast<double>(run.base))) +
                    'V' + number(y(static_cast<double>(run.base + run.bytes))) + 'H' +
                    number(x(cells.begin[run.end])) + 'V' + number(y(static_cast<double>(run.base))) + 'Z';
            }
            m_out += "<path fill=\"" + categoryColor(band.category) +
                     "\" stroke=\"#ffffff\" stroke-width=\"0.5\" d=\"" + path + "\"";
            if (!band.range) {
                m_out += " fill-opacity=\"0.7\"/>\n";
                continue;
            }
            const LiveRange& range = m_profile.ranges[*band.range];
            m_out += "><title>" + base::xmlText(range.name) + ", " + bytesText(range.bytes) + ", " +
                     std::string(base::wordOf(range.category)) + "</title></path>\n";
            addLabel(band, range, cells);
        }
    }

    void addLabel(const Band& band, const LiveRange& range, const Cells& cells) {
        const auto widthOf = [&](const BandRun& run) {
            return x(cells.begin[run.end]) - x(cells.begin[run.from]);
        };
        const auto widest = std::ranges::max_element(band.runs, {}, widthOf);
        const std::string words = range.name + "  " + bytesText(range.bytes);
        constexpr double letter = 6.6;
        const double bandHeight = static_cast<double>(widest->bytes) / m_top * plotHeight;
        if (bandHeight >= 13 && widthOf(*widest) >= letter * static_cast<double>(words.size()) + 8) {
            text(x(cells.begin[widest->from]) + 5,
                 y(static_cast<double>(widest->base) + static_cast<double>(widest->bytes) / 2) + 4, "label",
                 words);
        }
    }

    template<typename BytesAt>
    std::string steps(BytesAt bytesAt) const {
        std::string points;
        const int columns = static_cast<int>(plotWidth);
        for (int column = 0; column < columns; ++column) {
            const double first = m_length * column / columns;
            const double past = m_length * (column + 1) / columns;
            const double at = y(static_cast<double>(bytesAt(first, past)));
            points += number(left + column) + ',' + number(at) + ' ' + number(left + column + 1) + ',' +
                      number(at) + ' ';
        }
        return points;
    }

    static std::int64_t most(const std::vector<std::int64_t>& bytes, double first, double past) {
        const auto last = static_cast<double>(bytes.size()) - 1;
        const auto begin = static_cast<std::ptrdiff_t>(std::clamp(first, 0.0, last));
        const auto end = std::max(begin + 1, static_cast<std::ptrdiff_t>(std::clamp(past, 0.0, last + 1)));
        return *std::max_element(bytes.begin() + begin, bytes.begin() + end);
    }

    void curve(const Pen& pen, const std::string& points) {
        m_out += "<polyline class=\"curve\" stroke=\"#ffffff\" style=\"stroke-width:3.5\" points=\"" +
                 points + "\"/>\n<polyline class=\"curve\" stroke=\"" + std::string(pen.color) +
                 "\" stroke-dasharray=\"" + std::string(pen.dashes) + "\" points=\"" + points + "\"/>\n";
    }

    void addOrders() {
        for (std::size_t i = 0; i < m_picture.orders.size(); ++i) {
            const MemoryProfile& other = *m_picture.orders[i].profile;
            if (other.bytes.empty()) {
                continue;
            }
            const auto& bytes = curveOf(other);
            curve(orderPens.at(i % orderPens.size()), steps([&](double first, double past) {
                      return most(bytes, positionIn(other, m_profile, first),
                                  positionIn(other, m_profile, past));
                  }));
        }
    }

    /// Draws the measured curve, and on top of it, dimmed, the scratch bytes of single nodes.
    void addMeasured() {
        const auto& measured = m_picture.measured;
        for (std::size_t i = 0; i < measured.size(); ++i) {
            if (scratchAt(i) > 0) {
                const double low = y(static_cast<double>(measured[i]));
                const double high = y(static_cast<double>(measured[i] + scratchAt(i)));
                m_out += "<rect x=\"" + number(x(static_cast<double>(i)), 2) + "\" y=\"" + number(high, 2) +
                         "\" width=\"" + number(std::max(1.0, plotWidth / m_length), 2) + "\" height=\"" +
                         number(low - high, 2) + "\" fill=\"#1d222b\" fill-opacity=\"0.3\"/>\n";
            }
        }
        if (!measured.empty()) {
            curve(measuredPen, steps([&](double first, double past) { return most(measured, first, past); }));
        }
    }

    void addMarks() {
        if (m_profile.backwardBegin > m_profile.forwardEnd) {
            const double loss = x(m_profile.forwardEnd + 0.5);
            line("phase", loss, top - 14, loss, top + plotHeight);
            text(left, top - 6, "dim", "forward →");
            text(loss + 6, top - 6, "dim", "backward →");
        }
        const Peak& peak =
            m_picture.inputs == BandStack::Inputs::Shown ? m_profile.peak : m_profile.intermediatePeak;
        const double at = x(peak.position + 0.5);
        const double base = top + plotHeight;
        m_out += "<path fill=\"#1d222b\" d=\"M" + number(at) + ' ' + number(base + 2) + "l6 10h-12z\"/>\n";
        const bool atRight = at > width - 160;
        text(atRight ? at - 10 : at + 10, base + 13, atRight ? "right" : "", "peak " + bytesText(peak.bytes));
    }

    void addLegend() {
        constexpr double letter = 6.8;
        double at = left;
        double row = height - 30;
        const auto place = [&](std::string_view words) {
            const double needed = 26 + letter * static_cast<double>(words.size());
            if (at + needed > width - right) {
                at = left;
                row += 18;
            }
            text(at + 16, row + 4, "", words);
            return std::exchange(at, at + needed);
        };
        std::array<bool, categoryCount> present{};
        for (const LiveRange& range : m_profile.ranges) {
            present.at(static_cast<std::size_t>(range.category)) = true;
        }
        for (const Category category : BandStack::order()) {
            if (!present.at(static_cast<std::size_t>(category)) ||
                (m_picture.inputs == BandStack::Inputs::Hidden && isTrainingStepInput(category))) {
                continue;
            }
            const double swatch = place(base::wordOf(category));
            m_out += "<rect x=\"" + number(swatch) + "\" y=\"" + number(row - 6) +
                     "\" width=\"11\" height=\"11\" fill=\"" + categoryColor(category) + "\"/>\n";
        }
        const auto lineOf = [&](const Pen& pen, std::string_view words) {
            const double swatch = place(words);
            m_out += "<path class=\"curve\" stroke=\"" + std::string(pen.color) + "\" stroke-dasharray=\"" +
                     std::string(pen.dashes) + "\" d=\"M" + number(swatch - 2) + ' ' + number(row) +
                     "h15\"/>\n";
        };
        for (std::size_t i = 0; i < m_picture.orders.size(); ++i) {
            lineOf(orderPens.at(i % orderPens.size()), m_picture.orders[i].label);
        }
        if (!m_picture.measured.empty()) {
            lineOf(measuredPen, "measured; above it the memory used inside a node");
        }
    }

    const ProfilePicture& m_picture;
    const MemoryProfile& m_profile;
    const std::vector<std::int64_t>& m_curve;
    double m_length;
    double m_top = 1;
    std::string m_out;
};

} // namespace

std::string categoryColor(Category category) {
    namespace light = base::light;
    static constexpr std::array<base::Rgb, categoryCount> colors{
        light::parameter, light::buffer,   light::input,     light::saved,     light::output,
        light::tangent,   light::gradient, light::temporary, light::recomputed};
    return base::hexColor(colors.at(static_cast<std::size_t>(category)));
}

std::string toSvg(const ProfilePicture& picture) {
    return Drawing(picture).svg();
}

} // namespace aotscope::memory
