// Line charts as inline SVG: scales, ticks and a canvas. Colours come from the page's style sheet
// by class, so the same drawing works for light and dark screens, and for paper.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace surety::page {

// Text that is safe between tags and in double-quoted attributes. Characters that a page would not
// show as text, such as control characters, become '?' (plain_lines() in base/text.h). Line breaks
// stay.
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

// Maps values to pixels along one axis.
struct Scale {
  double min = 0;   // Positive if `log` is set.
  double max = 1;   // Greater than `min`.
  double from = 0;  // Position of min, in pixels.
  double to = 1;    // Position of max, in pixels.
  bool log = false;
  [[nodiscard]] double at(double value) const;  // Limited to from..to.
};

struct Point {
  double x = 0;  // The unit is that of the values, not pixels.
  double y = 0;  // The unit is that of the values, not pixels.
};

struct Size {
  double width = 0;
  double height = 0;
};

// Draws in the order of the calls: later drawings cover earlier ones.
class Canvas {
 public:
  // The canvas leaves room for labels around the plot. `id` is unique in the page. Screen readers
  // read title and description instead of the picture.
  Canvas(Size size, std::string_view id, std::string_view css_class, std::string_view title,
         std::string_view description);

  // Sets the ranges of values of the plot. Call it before anything is drawn.
  void set_x(double min, double max);
  void set_y(double min, double max, bool log);
  void draw_axes(const std::vector<Tick>& x, const std::vector<Tick>& y, std::string_view x_label);

  void line(const std::vector<Point>& points, std::string_view css_class);
  void area(const std::vector<Point>& upper, const std::vector<Point>& lower,
            std::string_view css_class);
  // Draws a line over the whole width or height, with a label at its end.
  enum class End { kLeft, kRight };
  void horizontal(double y, std::string_view label, std::string_view css_class,
                  End end = End::kRight);
  // If the label would cover an earlier one, it is shown only when the pointer is over the line.
  void vertical(double x, std::string_view label, std::string_view css_class);
  void whisker(double x, double low, double high);
  // Shapes can be distinguished without colour: dot, up, down, cross. `hint` is shown when the
  // pointer is over the mark.
  enum class Shape { kDot, kUp, kDown, kCross };
  void mark(Point at, Shape shape, std::string_view css_class, std::string_view hint);
  // Text beside a mark: on its right, or on its left if there is no room.
  void label(Point at, std::string_view css_class, std::string_view words);
  // Text centred on a point, `rise` pixels above it.
  void name(Point at, std::string_view css_class, std::string_view words, double rise = 0);

  [[nodiscard]] std::string finish();

 private:
  void text(double x, double y, std::string_view css_class, std::string_view words);

  Size size_;
  Scale x_;
  Scale y_;
  // Left and right edges of labels, in pixels.
  std::vector<std::pair<double, double>> labels_above_{};
  std::string out_;
};

}  // namespace surety::page
