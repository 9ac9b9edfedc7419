// Time for a frame of the memory view, by number of values and zoom: bench_memory [VALUES…]

#include "memory/memory_painter.h"

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

using namespace aotscope;
using namespace aotscope::views;

namespace {

/// A training step with as many nodes as values: parameters that live throughout, activations saved by the
/// forward and freed in turn by the backward, gradients that stay, temporaries of a few nodes; sizes from 1
/// KiB to 16 MiB.
ProfilePtr largeStep(std::uint32_t count) {
    auto profile = std::make_shared<memory::MemoryProfile>();
    const std::uint32_t half = count / 2;
    profile->forwardEnd = half;
    profile->backwardBegin = half + 1;
    std::uint32_t random = 1;
    std::vector<std::int64_t> change(count + 2, 0);
    for (std::uint32_t i = 0; i < count; ++i) {
        random = random * 1664525U + 1013904223U;
        memory::LiveRange range;
        range.name = "value_" + std::to_string(i);
        range.bytes = std::int64_t{1024} << (random >> 28);
        range.from = i;
        range.last = std::min(count, i + random % 7);
        if (i % 10 == 0) {
            range.category = memory::Category::Parameter;
            range.from = 0;
            range.last = count;
        } else if (i < half && i % 3 == 0) {
            range.category = memory::Category::SavedActivation;
            range.last = count - i;
        } else if (i > half && i % 10 == 1) {
            range.category = memory::Category::Gradient;
            range.last = count;
        }
        change[range.from] += range.bytes;
        change[range.last + 1] -= range.bytes;
        profile->ranges.push_back(std::move(range));
    }
    std::int64_t alive = 0;
    for (std::uint32_t i = 0; i <= count; ++i) {
        profile->bytes.push_back(alive += change[i]);
        if (alive > profile->peak.bytes) {
            profile->peak = {i, alive};
        }
    }
    profile->intermediateBytes = profile->bytes;
    profile->intermediatePeak = profile->peak;
    profile->nodes.resize(count + 1);
    return profile;
}

/// A table line: milliseconds per frame with a number of visible nodes.
struct FrameTime {
    std::uint32_t values = 0;
    double shown = 0;
    double mean = 0;
    double worst = 0;
};

void measure(std::uint32_t count, std::vector<FrameTime>& all) {
    const ProfilePtr profile = largeStep(count);
    QElapsedTimer timer;
    timer.start();
    MemoryLook look;
    look.theme = Theme::darkTheme();
    look.scene = std::make_shared<MemoryScene>(profile);
    std::printf("%u values: made ready in %.1f ms\n", count, double(timer.nsecsElapsed()) / 1e6);
    look.curves = {{QStringLiteral("eager"), profile}, {QStringLiteral("as logged"), profile}};
    // A parameter, whose ring goes through the whole picture.
    look.selected = 0;
    MemoryPainter memoryPainter;
    QImage image(1400, 400, QImage::Format_ARGB32_Premultiplied);
    for (double shown = count; shown >= 50; shown /= 8) {
        constexpr int frames = 20;
        double worst = 0;
        double sum = 0;
        for (int i = 0; i < frames; ++i) {
            // Panned a little each time, so that nothing made for the frame before can be used again.
            look.from = (count - shown) / 2 + i * std::max(1.0, shown / 100);
            look.to = look.from + shown;
            QPainter painter(&image);
            timer.restart();
            memoryPainter.paint(painter, look, QRectF(image.rect()));
            const double time = double(timer.nsecsElapsed()) / 1e6;
            worst = std::max(worst, time);
            sum += time;
        }
        std::printf("  %8.0f nodes shown  mean %6.2f ms  worst %6.2f ms\n", shown, sum / frames, worst);
        all.push_back({count, shown, sum / frames, worst});
    }
}

void writeJson(const std::string& path, const std::vector<FrameTime>& all) {
    std::ofstream out(path);
    out << R"({"benchmark": "memory", "unit": "milliseconds", "frames": [)";
    for (const FrameTime& frame : all) {
        out << (&frame == all.data() ? "\n" : ",\n") << R"(  {"values": )" << frame.values
            << R"(, "nodes_shown": )" << frame.shown << R"(, "mean": )" << frame.mean << R"(, "worst": )"
            << frame.worst << '}';
    }
    out << "\n]}\n";
}

} // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QGuiApplication application(argc, argv);
    std::string json;
    std::vector<std::uint32_t> counts;
    for (int i = 1; i < argc; ++i) {
        if (std::string_view(argv[i]) == "--json" && i + 1 < argc) {
            json = argv[++i];
        } else {
            counts.push_back(std::uint32_t(std::strtoul(argv[i], nullptr, 10)));
        }
    }
    if (counts.empty()) {
        counts = {1'000, 10'000, 100'000};
    }
    std::vector<FrameTime> all;
    for (const std::uint32_t count : counts) {
        measure(count, all);
    }
    if (!json.empty()) {
        writeJson(json, all);
    }
    return 0;
}
