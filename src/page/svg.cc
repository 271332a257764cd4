#include "page/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace surety::page {
namespace {

// Margins around the plot, in pixels.
constexpr double kLeft = 52;
constexpr double kRight = 16;
constexpr double kTop = 22;
constexpr double kBottom = 42;
// Approximate width of a character of a label, in pixels, to keep labels inside the picture.
constexpr double kCharWidth = 6.4;

std::string path_of(const std::vector<Point>& points, const Scale& x, const Scale& y) {
  std::string out;
  for (const Point& point : points) {
    out += fmt::format("{}{:.1f} {:.1f}", out.empty() ? "M" : "L", x.at(point.x), y.at(point.y));
  }
  return out;
}

std::string shape_path(Canvas::Shape shape, double x, double y) {
  switch (shape) {
    case Canvas::Shape::kUp:
      return fmt::format("M{:.1f} {:.1f}l5 9h-10z", x, y - 6);
    case Canvas::Shape::kDown:
      return fmt::format("M{:.1f} {:.1f}l5 -9h-10z", x, y + 6);
    case Canvas::Shape::kCross:
      return fmt::format("M{:.1f} {:.1f}l9 9m0 -9l-9 9", x - 4.5, y - 4.5);
    case Canvas::Shape::kDot:
      break;
  }
  return fmt::format("M{:.1f} {:.1f}a3.2 3.2 0 1 0 6.4 0a3.2 3.2 0 1 0 -6.4 0z", x - 3.2, y);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : plain_lines(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

double Scale::at(double value) const {
  const double share = log ? std::log(std::max(value, min) / min) / std::log(max / min)
                           : (value - min) / (max - min);
  return from + std::clamp(share, 0.0, 1.0) * (to - from);
}

Canvas::Canvas(Size size, std::string_view id, std::string_view css_class, std::string_view title,
               std::string_view description)
    : size_(size) {
  out_ = fmt::format(
      "<svg class=\"{}\" viewBox=\"0 0 {} {}\" role=\"img\" aria-labelledby=\"{}-t {}-d\">\n"
      "<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>\n",
      css_class, size.width, size.height, id, id, id, escape(title), id, escape(description));
}

void Canvas::set_x(double min, double max) {
  SURETY_CHECK(min < max);
  x_ = Scale{.min = min, .max = max, .from = kLeft, .to = size_.width - kRight};
}

void Canvas::set_y(double min, double max, bool log) {
  SURETY_CHECK(min < max && (!log || min > 0));
  y_ = Scale{.min = min, .max = max, .from = size_.height - kBottom, .to = kTop, .log = log};
}

void Canvas::text(double x, double y, std::string_view css_class, std::string_view words) {
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\">{}</text>\n", x, y, css_class,
                      escape(words));
}

void Canvas::draw_axes(const std::vector<Tick>& x, const std::vector<Tick>& y,
                       std::string_view x_label) {
  for (const Tick& tick : y) {
    const double at = y_.at(tick.value);
    out_ += fmt::format("<path class=\"grid\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", x_.from, at, x_.to);
    text(x_.from - 8, at + 4, "tick end", tick.label);
  }
  for (const Tick& tick : x) {
    const double at = x_.at(tick.value);
    out_ += fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}v4\"/>\n", at, y_.from);
    text(at, y_.from + 17, "tick middle", tick.label);
  }
  out_ +=
      fmt::format("<path class=\"axis\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", x_.from, y_.from, x_.to);
  text((x_.from + x_.to) / 2, y_.from + 35, "tick middle", x_label);
}

void Canvas::line(const std::vector<Point>& points, std::string_view css_class) {
  if (points.empty()) return;
  out_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", css_class, path_of(points, x_, y_));
}

void Canvas::area(const std::vector<Point>& upper, const std::vector<Point>& lower,
                  std::string_view css_class) {
  if (upper.empty()) return;
  std::vector<Point> outline = upper;
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  out_ += fmt::format("<path class=\"{}\" d=\"{}Z\"/>\n", css_class, path_of(outline, x_, y_));
}

void Canvas::horizontal(double y, std::string_view label, std::string_view css_class, End end) {
  const double at = y_.at(y);
  out_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}H{:.1f}\"/>\n", css_class, x_.from, at,
                      x_.to);
  const double above = at - 6 > kTop ? at - 6 : at + 15;
  if (end == End::kRight) {
    text(x_.to, above, fmt::format("label end {}", css_class), label);
  } else {
    text(x_.from + 4, above, fmt::format("label start {}", css_class), label);
  }
}

void Canvas::vertical(double x, std::string_view label, std::string_view css_class) {
  const double at = x_.at(x);
  const double width = kCharWidth * static_cast<double>(label.size());
  out_ += fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"><title>{}</title></path>\n",
                      css_class, at, kTop - 6, y_.from, escape(label));
  const bool fits = at + 4 + width < size_.width;
  const double left = fits ? at + 4 : at - 4 - width;
  const bool is_free = std::ranges::none_of(labels_above_, [&](const auto& other) {
    return left < other.second && other.first < left + width;
  });
  if (!is_free) return;
  labels_above_.emplace_back(left, left + width);
  text(fits ? at + 4 : at - 4, kTop - 8,
       fmt::format("label {} {}", fits ? "start" : "end", css_class), label);
}

void Canvas::whisker(double x, double low, double high) {
  out_ += fmt::format("<path class=\"whisker\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", x_.at(x),
                      y_.at(low), y_.at(high));
}

void Canvas::mark(Point at, Shape shape, std::string_view css_class, std::string_view hint) {
  out_ += fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n", css_class,
                      shape_path(shape, x_.at(at.x), y_.at(at.y)), escape(hint));
}

void Canvas::label(Point at, std::string_view css_class, std::string_view words) {
  const double x = x_.at(at.x);
  const bool fits = x + 9 + kCharWidth * static_cast<double>(words.size()) < size_.width;
  text(fits ? x + 9 : x - 9, y_.at(at.y) + 4,
       fmt::format("label {} {}", fits ? "start" : "end", css_class), words);
}

void Canvas::name(Point at, std::string_view css_class, std::string_view words, double rise) {
  text(x_.at(at.x), y_.at(at.y) + 4 - rise, fmt::format("label middle {}", css_class), words);
}

std::string Canvas::finish() { return std::move(out_) + "</svg>\n"; }

}  // namespace surety::page
