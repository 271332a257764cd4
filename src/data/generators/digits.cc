#include "data/generators/digits.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/check.h"
#include "base/random.h"
#include "data/generators/digit_strokes.h"
#include "data/generators/url_options.h"

namespace surety::data {
namespace {

constexpr double kSide = kDigitSide;
// Size of the average digit in pixels, as in MNIST.
constexpr double kBoxHeight = 20;
constexpr double kBoxWidth = 14;
constexpr int kSegmentsPerSpan = 5;  // Number of straight pieces between two points of a stroke.

// Ink on each pixel, 0..1.
using Canvas = std::array<float, kDigitPixels>;

// Normally distributed, limited to 2.5 deviations, so that no single draw makes a sample
// unrecognisable.
double bounded_normal(Random& random) { return std::clamp(random.normal(), -2.5, 2.5); }

// Maps points of the box to the canvas.
struct Hand {
  // Pixels for each box unit.
  double xx = 1;
  double xy = 0;
  double yx = 0;
  double yy = 1;
  double dx = 0;
  double dy = 0;
  double jitter = 0;  // Standard deviation of each point, in box units.

  [[nodiscard]] Point place(const Point& p, Random& random) const {
    const double x = p.x - 0.5 + jitter * bounded_normal(random);
    const double y = p.y - 0.5 + jitter * bounded_normal(random);
    return {.x = xx * x + xy * y + dx, .y = yx * x + yy * y + dy};
  }
};

// Draws scale, shear and rotation about the centre, then a shift.
Hand draw_hand(double noise, Random& random) {
  const double width = kBoxWidth * std::exp((0.06 + 0.20 * noise) * bounded_normal(random));
  const double height = kBoxHeight * std::exp((0.04 + 0.12 * noise) * bounded_normal(random));
  const double shear = (0.08 + 0.25 * noise) * bounded_normal(random);
  const double angle = (0.05 + 0.25 * noise) * bounded_normal(random);
  const double shift = 1.0 + 3.0 * noise;  // Pixels.
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  return {.xx = c * width,
          .xy = -(c * shear + s) * height,
          .yx = s * width,
          .yy = (c - s * shear) * height,
          .dx = kSide / 2 + shift * (2 * random.uniform() - 1),
          .dy = kSide / 2 + shift * (2 * random.uniform() - 1),
          .jitter = 0.012 + 0.07 * noise};
}

struct Pen {
  double radius = 1;    // Pixels.
  double softness = 1;  // Width in pixels over which ink fades at the edge.
};

// Adds the ink of a straight piece: full within the pen's radius, then fading linearly.
void draw_segment(const Point& a, const Point& b, const Pen& pen, Canvas& canvas) {
  const double reach = pen.radius + pen.softness;
  const auto low = [reach](double p, double q) {
    return std::clamp(static_cast<int>(std::floor(std::min(p, q) - reach)), 0, int{kDigitSide});
  };
  const auto high = [reach](double p, double q) {
    return std::clamp(static_cast<int>(std::ceil(std::max(p, q) + reach)), 0, int{kDigitSide});
  };
  const double ux = b.x - a.x;
  const double uy = b.y - a.y;
  const double length_square = std::max(ux * ux + uy * uy, 1e-12);
  for (int row = low(a.y, b.y); row < high(a.y, b.y); ++row) {
    for (int column = low(a.x, b.x); column < high(a.x, b.x); ++column) {
      // The vector (x, y) leads from `a` to the centre of the pixel.
      const double x = column + 0.5 - a.x;
      const double y = row + 0.5 - a.y;
      const double along = std::clamp((x * ux + y * uy) / length_square, 0.0, 1.0);
      const double px = x - along * ux;
      const double py = y - along * uy;
      const double distance = std::sqrt(px * px + py * py);
      const double ink = std::clamp((reach - distance) / pen.softness, 0.0, 1.0);
      float& pixel =
          canvas[static_cast<std::size_t>(row) * kDigitSide + static_cast<std::size_t>(column)];
      pixel = std::max(pixel, static_cast<float>(ink));
    }
  }
}

// Catmull-Rom spline: the smooth curve through b and c whose slopes there are parallel to a-c and
// b-d.
Point spline(const Point& a, const Point& b, const Point& c, const Point& d, double t) {
  const auto at = [t](double p, double q, double r, double s) {
    return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p)));
  };
  return {.x = at(a.x, b.x, c.x, d.x), .y = at(a.y, b.y, c.y, d.y)};
}

void draw_stroke(const Stroke& points, const Pen& pen, Canvas& canvas) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point& before = points[i == 0 ? 0 : i - 1];
    const Point& after = points[std::min(i + 2, points.size() - 1)];
    Point from = points[i];
    for (int step = 1; step <= kSegmentsPerSpan; ++step) {
      const Point to = spline(before, points[i], points[i + 1], after,
                              static_cast<double>(step) / kSegmentsPerSpan);
      draw_segment(from, to, pen, canvas);
      from = to;
    }
  }
}

Canvas draw_glyph(std::uint32_t digit, double noise, Random& random) {
  const auto& styles = glyphs_of(digit);
  const Glyph& glyph = styles[random.below(styles.size())];
  const Hand hand = draw_hand(noise, random);
  const Pen pen{.radius = 0.35 + 0.55 * random.uniform() + 0.5 * noise * random.uniform(),
                .softness = 0.9 + (0.3 + noise) * random.uniform()};
  Canvas canvas{};
  for (const Stroke& stroke : glyph) {
    Stroke placed;
    for (const Point& point : stroke) placed.push_back(hand.place(point, random));
    draw_stroke(placed, pen, canvas);
  }
  return canvas;
}

// Standard normal except for its far tails: the sum of four uniform 16-bit numbers from one draw.
double rough_normal(Random& random) {
  const std::uint64_t bits = random.next();
  const std::uint64_t sum =
      (bits & 0xffff) + (bits >> 16 & 0xffff) + (bits >> 32 & 0xffff) + (bits >> 48);
  constexpr double kDeviation = 37837.22;  // 65536 * sqrt(4 / 12)
  return (static_cast<double>(sum) - 2.0 * 65535.0) / kDeviation;
}

// Makes the ink weaker, then adds noise to every pixel.
void expose(const Canvas& canvas, double noise, Random& random, Digit& digit) {
  const double white = 255 * (1 - 0.4 * noise * random.uniform());
  const double deviation = 255 * 0.35 * noise;
  for (std::size_t i = 0; i < canvas.size(); ++i) {
    const double value = white * canvas[i] + deviation * rough_normal(random);
    digit.pixels[i] = static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0));
  }
}

// The entry (index % classes) of the permutation with the number (index / classes).
std::uint32_t balanced_label(const DigitsOptions& options, std::uint64_t index) {
  std::array<std::uint32_t, 10> labels{};
  const auto used = std::span(labels).first(options.classes);
  std::iota(used.begin(), used.end(), 0u);
  Random random = Random(options.seed).fork("labels", index / options.classes);
  random.shuffle(used);
  return used[index % options.classes];
}

}  // namespace

Result<DigitsOptions> parse_digits_options(const SourceUrl& url) {
  DigitsOptions options;
  std::uint64_t classes = options.classes;
  SURETY_TRY(take_uint(url, "samples", 1, 1'000'000'000, options.samples));
  SURETY_TRY(take_uint(url, "seed", 0, std::numeric_limits<std::uint64_t>::max(), options.seed));
  SURETY_TRY(take_uint(url, "classes", 2, 10, classes));
  SURETY_TRY(take_uint(url, "first", 0, 1'000'000'000'000'000, options.first));
  SURETY_TRY(take_share(url, "noise", options.noise));
  SURETY_TRY(take_share(url, "label_noise", options.label_noise));
  options.classes = static_cast<std::uint32_t>(classes);
  return options;
}

Digit draw_digit(const DigitsOptions& options, std::uint64_t index) {
  SURETY_CHECK(options.classes >= 2 && options.classes <= 10);
  SURETY_CHECK(options.noise >= 0 && options.noise <= 1);
  Digit digit;
  digit.drawn = digit.label = balanced_label(options, index);
  Random random = Random(options.seed).fork("digit", index);
  Random picture = random.fork("picture");  // The picture does not depend on the label noise.
  if (random.uniform() < options.label_noise) {
    const auto others = random.below(options.classes - 1);
    digit.label = static_cast<std::uint32_t>((digit.drawn + 1 + others) % options.classes);
  }
  expose(draw_glyph(digit.drawn, options.noise, picture), options.noise, picture, digit);
  return digit;
}

}  // namespace surety::data
