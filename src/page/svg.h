// Line charts as inline SVG: scales, ticks and a canvas. Colours come from the page's style sheet
// by class, so that one drawing serves light, dark and paper.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surety::page {

// Text that is safe between tags and in double-quoted attributes; control characters, which HTML
// forbids, become U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);

struct Tick {
  double value = 0;
  std::string label;
};

// About `count` round numbers within [min, max]. REQUIRES: min < max, finite; count >= 1.
[[nodiscard]] std::vector<Tick> number_ticks(double min, double max, int count);
// Powers of ten within [min, max], thinned to about `count`. REQUIRES: 0 < min < max.
[[nodiscard]] std::vector<Tick> log_ticks(double min, double max, int count);
// Round durations from 0 to max, in seconds. REQUIRES: max > 0.
[[nodiscard]] std::vector<Tick> time_ticks(double max_s, int count);

// From values to pixels along one axis.
struct Scale {
  double min = 0, max = 1;  // min < max; both positive where log.
  double from = 0, to = 1;  // Pixels of min and max.
  bool log = false;
  [[nodiscard]] double at(double value) const;  // Kept within from..to.
};

struct Point {
  double x = 0, y = 0;  // Values, not pixels.
};

struct Size {
  double width = 0, height = 0;
};

// Draws in the order of the calls: what comes later lies on top.
class Canvas {
 public:
  // Room for labels is left around the plot. `id` is unique in the page; title and description are
  // read out in place of the picture.
  Canvas(Size size, std::string_view id, std::string_view css_class, std::string_view title,
         std::string_view description);

  // The plot's scales over these values; call before anything is drawn.
  void set_x(double min, double max);
  void set_y(double min, double max, bool log);
  void draw_axes(const std::vector<Tick>& x, const std::vector<Tick>& y, std::string_view x_label);

  void line(const std::vector<Point>& points, std::string_view css_class);
  void area(const std::vector<Point>& upper, const std::vector<Point>& lower,
            std::string_view css_class);
  // Over the whole width or height, with a label at its end.
  enum class End { kLeft, kRight };
  void horizontal(double y, std::string_view label, std::string_view css_class,
                  End end = End::kRight);
  // A label that would lie on an earlier one shows on hovering only.
  void vertical(double x, std::string_view label, std::string_view css_class);
  void whisker(double x, double low, double high);
  // Shapes are told apart without colour: dot, up, down, cross. `hint` shows on hovering.
  enum class Shape { kDot, kUp, kDown, kCross };
  void mark(Point at, Shape shape, std::string_view css_class, std::string_view hint);
  // Words beside a mark: right of it, or left where there is no room.
  void label(Point at, std::string_view css_class, std::string_view words);
  // Words centred on a point, `rise` pixels above it.
  void name(Point at, std::string_view css_class, std::string_view words, double rise = 0);

  [[nodiscard]] double plot_width() const { return x_.to - x_.from; }
  [[nodiscard]] std::string finish();

 private:
  void text(double x, double y, std::string_view css_class, std::string_view words);

  Size size_;
  Scale x_, y_;
  std::vector<std::pair<double, double>> labels_above_{};  // Left and right edges, in pixels.
  std::string out_;
};

}  // namespace surety::page
