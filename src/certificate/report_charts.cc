#include "certificate/report_charts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/words.h"
#include "certificate/record_text.h"
#include "page/chart_view.h"
#include "page/svg.h"

namespace surety::certificate {
namespace {

using page::Canvas;
using page::Extent;
using page::kViews;
using page::Point;
using page::View;

constexpr std::size_t kMarksMax = 300;  // More marks would overlap.
constexpr std::size_t kNamesMax = 6;    // Longest list of attempts with names.

// Evaluations that can be drawn, thinned evenly; the last one is always kept.
std::vector<Measurement> drawable(const std::vector<Measurement>& all) {
  std::vector<Measurement> finite;
  for (const Measurement& one : all) {
    if (std::isfinite(one.metric) && std::isfinite(one.metric_se) && std::isfinite(one.seconds) &&
        std::isfinite(one.cost)) {
      finite.push_back(one);
    }
  }
  const std::size_t every = finite.size() / kMarksMax + 1;
  std::vector<Measurement> kept;
  for (std::size_t i = finite.size(); i > 0; i -= std::min(i, every)) kept.push_back(finite[i - 1]);
  std::reverse(kept.begin(), kept.end());
  return kept;
}

// The plan's band in the user's terms of the metric, lower edge first.
struct ShownBand {
  std::vector<Point> low;
  std::vector<Point> median;
  std::vector<Point> high;
};

ShownBand shown_band(const RunRecord& record) {
  ShownBand out;
  const plan::Claims* const claims = claims_of(record);
  if (!claims) return out;
  const plan::Metric metric = record.promise.metric;
  for (const plan::Band& band : claims->bands) {
    if (!std::isfinite(band.seconds + band.q05 + band.q50 + band.q95)) continue;
    const double a = shown_metric(metric, band.q05);
    const double b = shown_metric(metric, band.q95);
    out.low.push_back({band.seconds, std::min(a, b)});
    out.median.push_back({band.seconds, shown_metric(metric, band.q50)});
    out.high.push_back({band.seconds, std::max(a, b)});
  }
  return out;
}

// The time at which the measurements have the time 0, in seconds since the run began. It is not
// always the time before training (record.profile_seconds), which may be longer: a resumed run
// gathers workers again.
double training_began_s(const RunRecord& record) {
  const auto began = std::ranges::find(record.timeline, RunPhase::kTrain, &TimelineEvent::phase);
  return began == record.timeline.end() ? record.profile_seconds : began->seconds;
}

// The deadline on the clock of training, if it is near enough to be in the picture.
double deadline_shown_s(const RunRecord& record, double last_s) {
  const double left_s = record.deadline_s - training_began_s(record);
  return left_s > 0 && left_s <= 2.5 * last_s ? left_s : NAN;
}

void draw_switches(Canvas& canvas, const std::vector<Measurement>& shown) {
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0 && shown[i].version == shown[i - 1].version) continue;
    canvas.vertical(i == 0 ? 0 : shown[i - 1].seconds, shown[i].version,
                    i == 0 ? "switch first" : "switch");
  }
}

// One line for each attempt; the kept one is drawn bold.
void draw_courses(Canvas& canvas, const RunRecord& record, const std::vector<Measurement>& shown) {
  std::map<std::optional<std::uint32_t>, std::vector<Point>> courses;
  for (const Measurement& one : shown) {
    courses[one.attempt].push_back({one.seconds, one.metric});
  }
  for (const auto& [attempt, course] : courses) {
    const bool kept =
        courses.size() > 1 && record.certified && record.certified->attempt == attempt;
    canvas.line(course, kept ? "course strong" : "course");
  }
  if (courses.size() < 2 || courses.size() > kNamesMax) return;
  for (const auto& [attempt, course] : courses) {
    if (attempt) canvas.label(course.front(), "attempt", fmt::format("attempt {}", *attempt));
  }
}

void draw_measurements(Canvas& canvas, const RunRecord& record,
                       const std::vector<Measurement>& shown) {
  draw_courses(canvas, record, shown);
  for (const Measurement& one : shown) {
    canvas.whisker(one.seconds, one.metric - 2 * one.metric_se, one.metric + 2 * one.metric_se);
  }
  for (const Measurement& one : shown) {
    canvas.mark({one.seconds, one.metric}, Canvas::Shape::kDot, "dot",
                fmt::format("{}pass {}, {}: {} ± {} after {}",
                            one.attempt ? fmt::format("attempt {}, ", *one.attempt) : "", one.pass,
                            one.version, short_number(one.metric), short_number(2 * one.metric_se),
                            time_words(one.seconds)));
  }
}

struct MetricRanges {
  double last_s = 0;
  double deadline_s = NAN;
  Extent y;
  bool log = false;
};

MetricRanges metric_ranges(const RunRecord& record, const std::vector<Measurement>& shown,
                           const ShownBand& band) {
  MetricRanges out;
  for (const Measurement& one : shown) {
    out.last_s = std::max(out.last_s, one.seconds);
    out.y.add(one.metric);
  }
  for (std::size_t i = 0; i < band.low.size(); ++i) {
    out.last_s = std::max(out.last_s, band.low[i].x);
    out.y.add(band.low[i].y);
    out.y.add(band.high[i].y);
  }
  out.y.add(record.promise.target);
  out.log = record.promise.metric == plan::Metric::kDualityGap && out.y.min > 0;
  if (out.log) {
    out.y = {.min = out.y.min / 2, .max = out.y.max * 2};
  } else {
    for (const Measurement& one : shown) {
      out.y.add(one.metric - 2 * one.metric_se);
      out.y.add(one.metric + 2 * one.metric_se);
    }
    out.y = out.y.widened(0.05);
  }
  out.deadline_s = deadline_shown_s(record, out.last_s);
  return out;
}

std::string metric_view(const RunRecord& record, const std::vector<Measurement>& shown,
                        const ShownBand& band, const MetricRanges& ranges, const View& view) {
  const std::string words = metric_words(record.promise.metric);
  Canvas canvas(view.size, fmt::format("metric-{}", view.name), view.name,
                fmt::format("{} over training time", words),
                fmt::format("{}; target {}; last {}.", counted(shown.size(), "evaluation"),
                            short_number(record.promise.target),
                            shown.empty() ? "none" : short_number(shown.back().metric)));
  const double end_s = std::isnan(ranges.deadline_s) ? ranges.last_s : ranges.deadline_s;
  const double max_s = std::max({1e-3, ranges.last_s, end_s}) * 1.03;
  canvas.set_x(0, max_s);
  canvas.set_y(ranges.y.min, ranges.y.max, ranges.log);
  canvas.draw_axes(page::time_ticks(max_s, view.x_ticks),
                   ranges.log ? page::log_ticks(ranges.y.min, ranges.y.max, 5)
                              : page::number_ticks(ranges.y.min, ranges.y.max, 5),
                   "time since training began");
  canvas.area(band.high, band.low, "band");
  canvas.line(band.median, "median");
  canvas.horizontal(record.promise.target, "target " + short_number(record.promise.target),
                    "target");
  if (!std::isnan(ranges.deadline_s)) canvas.vertical(ranges.deadline_s, "deadline", "deadline");
  if (record.stated) {
    canvas.vertical(record.stated->seconds - training_began_s(record), "promised", "switch");
  }
  draw_switches(canvas, shown);
  draw_measurements(canvas, record, shown);
  return canvas.finish();
}

std::string cost_view(const RunRecord& record, const std::vector<Measurement>& shown,
                      const View& view) {
  Canvas canvas(view.size, fmt::format("cost-{}", view.name), view.name,
                "cost of training over training time",
                fmt::format("It reached {}.", money(shown.back().cost)));
  Extent y;
  y.add(0);
  std::vector<Point> course{{0, 0}};
  for (const Measurement& one : shown) {
    y.add(one.cost);
    course.push_back({one.seconds, one.cost});
  }
  const plan::Claims* const claims = claims_of(record);
  if (claims) y.add(claims->cost_95);
  std::optional<double> left;
  if (record.promise.budget) left = *record.promise.budget - record.profile_cost - record.data_cost;
  if (left && *left <= 2.5 * y.max) y.add(*left);
  const double max = y.max > 0 ? 1.1 * y.max : 1;
  const double max_s = std::max(1e-3, shown.back().seconds) * 1.03;
  canvas.set_x(0, max_s);
  canvas.set_y(0, max, false);
  canvas.draw_axes(page::time_ticks(max_s, view.x_ticks), page::number_ticks(0, max, 4),
                   "time since training began");
  if (claims && std::isfinite(claims->cost_95)) {
    canvas.horizontal(claims->cost_95, "planned, 95 %", "median");
  }
  if (left && *left >= 0 && *left <= max) canvas.horizontal(*left, "left for training", "target");
  canvas.line(course, "course strong");
  return canvas.finish();
}

bool changes_workers(const TimelineEvent& event) {
  return event.kind == EventKind::kJoin || event.kind == EventKind::kLeave ||
         event.kind == EventKind::kLost;
}

void mark_event(Canvas& canvas, const TimelineEvent& event) {
  const Point at{event.seconds, static_cast<double>(event.workers)};
  const std::string hint = fmt::format("{}: {}", time_words(event.seconds), event.text);
  const auto mark = [&](Canvas::Shape shape) { canvas.mark(at, shape, name_of(event.kind), hint); };
  if (event.kind == EventKind::kJoin) mark(Canvas::Shape::kUp);
  if (event.kind == EventKind::kLeave) mark(Canvas::Shape::kDown);
  if (event.kind == EventKind::kLost) mark(Canvas::Shape::kCross);
}

std::string workers_view(const RunRecord& record, const View& view) {
  Canvas canvas({view.size.width, view.size.height - 80}, fmt::format("workers-{}", view.name),
                view.name, "workers present over the time of the run",
                "Steps up where workers joined, down where they left or were lost.");
  std::vector<Point> steps{{0, 0}};
  double end_s = std::max(1e-3, std::isfinite(record.run_seconds) ? record.run_seconds : 0.0);
  double most = 1;
  for (const TimelineEvent& event : record.timeline) {
    if (!changes_workers(event) || !std::isfinite(event.seconds)) continue;
    steps.push_back({event.seconds, steps.back().y});
    steps.push_back({event.seconds, static_cast<double>(event.workers)});
    end_s = std::max(end_s, event.seconds);
    most = std::max(most, static_cast<double>(event.workers));
  }
  steps.push_back({end_s, steps.back().y});
  canvas.set_x(0, end_s * 1.03);
  canvas.set_y(0, most + 0.5, false);
  auto ticks = page::number_ticks(0, most + 0.5, 4);
  std::erase_if(ticks, [](const page::Tick& tick) { return tick.value != std::floor(tick.value); });
  for (page::Tick& tick : ticks) tick.label = fmt::format("{:.0f}", tick.value);
  canvas.draw_axes(page::time_ticks(end_s * 1.03, view.x_ticks), ticks, "time since the run began");
  canvas.line(steps, "course strong");
  for (const TimelineEvent& event : record.timeline) {
    if (std::isfinite(event.seconds)) mark_event(canvas, event);
  }
  return canvas.finish();
}

}  // namespace

std::string metric_chart(const RunRecord& record) {
  const std::vector<Measurement> shown = drawable(record.measurements);
  const ShownBand band = shown_band(record);
  if ((shown.empty() && band.low.empty()) || !std::isfinite(record.promise.target)) return {};
  const MetricRanges ranges = metric_ranges(record, shown, band);
  std::string out;
  for (const View& view : kViews) out += metric_view(record, shown, band, ranges, view);
  return out;
}

std::string cost_chart(const RunRecord& record) {
  const std::vector<Measurement> shown = drawable(record.measurements);
  if (shown.empty()) return {};
  std::string out;
  for (const View& view : kViews) out += cost_view(record, shown, view);
  return out;
}

std::string workers_chart(const RunRecord& record) {
  if (std::none_of(record.timeline.begin(), record.timeline.end(), changes_workers)) return {};
  std::string out;
  for (const View& view : kViews) out += workers_view(record, view);
  return out;
}

}  // namespace surety::certificate
