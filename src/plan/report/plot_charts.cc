#include "plan/report/plot_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/words.h"
#include "page/chart_view.h"
#include "page/svg.h"
#include "plan/plan_text.h"
#include "plan/words.h"

namespace surety::plan {
namespace {

using page::Canvas;
using page::Extent;
using page::kViews;
using page::Point;
using page::View;

// A later deadline is not drawn, because the bands would then be too small.
constexpr double kDeadlineInPicture = 2.5;

double seconds_shown(const Claims& claims, const Promise& promise) {
  const double last_s = claims.bands.empty() ? 0 : claims.bands.back().seconds;
  const double end_s =
      deadline_in_picture(claims, promise) ? std::max(last_s, promise.deadline_s) : last_s;
  return std::max(1e-3, 1.03 * end_s);
}

struct ShownBands {
  std::vector<Point> low;
  std::vector<Point> median;
  std::vector<Point> high;
  Extent y;
  bool log = false;
};

ShownBands shown_bands(const Claims& claims, const Promise& promise) {
  ShownBands out;
  for (const Band& band : claims.bands) {
    const double a = shown_metric(promise.metric, band.q05);
    const double b = shown_metric(promise.metric, band.q95);
    out.low.push_back({band.seconds, std::min(a, b)});
    out.median.push_back({band.seconds, shown_metric(promise.metric, band.q50)});
    out.high.push_back({band.seconds, std::max(a, b)});
    out.y.add(a);
    out.y.add(b);
  }
  out.y.add(promise.target);
  out.log = promise.metric == Metric::kDualityGap && out.y.min > 0;
  out.y = out.log ? Extent{out.y.min / 2, out.y.max * 2} : out.y.widened(0.05);
  return out;
}

std::string bands_view(const Claims& claims, const Promise& promise, const ShownBands& shown,
                       const View& view) {
  const std::string words = metric_words(promise.metric);
  Canvas canvas(view.size, fmt::format("bands-{}", view.name), view.name,
                fmt::format("planned {} over training time", words),
                fmt::format("The median of the simulated runs ends at {}; the target is {}.",
                            short_number(shown.median.back().y), short_number(promise.target)));
  const double end_s = seconds_shown(claims, promise);
  canvas.set_x(0, end_s);
  canvas.set_y(shown.y.min, shown.y.max, shown.log);
  canvas.draw_axes(page::time_ticks(end_s, view.x_ticks),
                   shown.log ? page::log_ticks(shown.y.min, shown.y.max, 5)
                             : page::number_ticks(shown.y.min, shown.y.max, 5),
                   "time since training begins");
  canvas.area(shown.high, shown.low, "band");
  canvas.line(shown.low, "edge");
  canvas.line(shown.high, "edge");
  canvas.line(shown.median, "course strong");
  canvas.horizontal(promise.target, "target " + short_number(promise.target), "target",
                    Canvas::End::kLeft);
  if (deadline_in_picture(claims, promise)) {
    canvas.vertical(promise.deadline_s, "deadline " + time_words(promise.deadline_s), "deadline");
  }
  return canvas.finish();
}

// Probabilities on a scale on which 90 %, 99 % and 99.9 % have equal distances.
double nines(double probability) {
  static constexpr double kMost = 0.9999;
  return -std::log10(1 - std::clamp(probability, 0.0, kMost));
}

struct Frontier {
  Extent x;
  Extent cost;
};

Frontier frontier_extent(const Claims& claims, const Promise& promise) {
  Frontier out;
  const auto add = [&](double probability, double cost) {
    out.x.add(nines(probability));
    out.cost.add(cost);
  };
  add(promise.probability, claims.cost_mean);
  for (const PricePoint& point : claims.prices) add(point.promised, point.cost_mean);
  for (const Candidate& candidate : claims.runners_up) {
    add(candidate.probability, candidate.cost_mean);
  }
  out.cost.add(0);
  out.cost = {0, out.cost.max > 0 ? 1.1 * out.cost.max : 1};
  out.x = out.x.widened(0.06);
  return out;
}

std::vector<page::Tick> probability_ticks(const Extent& x, bool narrow) {
  std::vector<page::Tick> out;
  for (const double p : {0.0, 0.2, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999}) {
    if (narrow && (p == 0.2 || p == 0.8 || p == 0.95)) continue;
    if (nines(p) >= x.min && nines(p) <= x.max) out.push_back({nines(p), percent(p)});
  }
  return out;
}

std::string frontier_view(const Claims& claims, const Promise& promise, const View& view) {
  Canvas canvas(view.size, fmt::format("frontier-{}", view.name), view.name,
                "mean cost against probability",
                fmt::format("This plan costs {} for a promise of {}. Other plans shown: {}.",
                            money(claims.cost_mean), chosen_percent(promise.probability),
                            claims.runners_up.size()));
  const Frontier extent = frontier_extent(claims, promise);
  canvas.set_x(extent.x.min, extent.x.max);
  canvas.set_y(extent.cost.min, extent.cost.max, false);
  canvas.draw_axes(probability_ticks(extent.x, view.x_ticks < 8),
                   page::number_ticks(extent.cost.min, extent.cost.max, 4),
                   "probability of reaching the target in time");
  canvas.vertical(nines(promise.probability), "promised", "switch");
  std::vector<Point> line;
  for (const PricePoint& point : claims.prices) {
    line.push_back({nines(point.promised), point.cost_mean});
  }
  canvas.line(line, "course strong");
  for (const PricePoint& point : claims.prices) {
    canvas.mark({nines(point.promised), point.cost_mean}, Canvas::Shape::kDot, "dot",
                fmt::format("promise of {}: {}", percent(point.promised), money(point.cost_mean)));
  }
  for (std::size_t i = 0; i < claims.runners_up.size(); ++i) {
    const Candidate& candidate = claims.runners_up[i];
    const Point at{nines(candidate.probability), candidate.cost_mean};
    const bool keeps = candidate.probability >= promise.probability;
    canvas.mark(at, keeps ? Canvas::Shape::kUp : Canvas::Shape::kCross, keeps ? "other" : "too-low",
                fmt::format("{}: {}, {}", candidate.what, money(candidate.cost_mean),
                            percent(candidate.probability)));
    canvas.label(at, "", letter_of(i));
  }
  const Point ours{nines(promise.probability), claims.cost_mean};
  canvas.mark(ours, Canvas::Shape::kDot, "dot ours", "this plan");
  canvas.name(ours, "strong", "this plan", 14);
  return canvas.finish();
}

// The point at which a layer is thickest, for its letter. Shares below 0 are never the thickest.
std::size_t thickest(const std::vector<double>& shares) {
  return static_cast<std::size_t>(std::ranges::max_element(shares) - shares.begin());
}

std::string schedule_view(const std::vector<Band>& bands, const std::vector<Layer>& layers,
                          const View& view) {
  static constexpr double kNamed = 0.12;  // Share that is needed for a letter to fit.
  Canvas canvas(
      {view.size.width, view.size.height - 40}, fmt::format("schedule-{}", view.name), view.name,
      "share of the runs that train on each version and its nodes, over time",
      "Layers from the bottom, in the order of the legend; the remaining runs have stopped.");
  const double end_s = std::max(1e-3, 1.03 * bands.back().seconds);
  canvas.set_x(0, end_s);
  canvas.set_y(0, 1, false);
  std::vector<page::Tick> ticks;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) ticks.push_back({share, percent(share)});
  canvas.draw_axes(page::time_ticks(end_s, view.x_ticks), ticks, "time since training begins");
  std::vector<double> below(bands.size(), 0.0);
  std::vector<Point> names;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    std::vector<Point> lower;
    std::vector<Point> upper;
    const std::size_t thick = thickest(layers[k].shares);
    for (std::size_t i = 0; i < below.size(); ++i) {
      lower.push_back({bands[i].seconds, below[i]});
      below[i] += layers[k].shares[i];
      upper.push_back({bands[i].seconds, below[i]});
    }
    canvas.area(upper, lower, fmt::format("layer layer-{}", k + 1));
    canvas.area(upper, lower, fmt::format("hatch hatch-{}", k + 1));
    const double x = std::max(bands[thick].seconds, 0.03 * end_s);
    names.push_back({x, (lower[thick].y + upper[thick].y) / 2});
  }
  for (std::size_t k = 0; k < layers.size(); ++k) {
    if (layers[k].shares[thickest(layers[k].shares)] < kNamed) continue;
    canvas.name(names[k], "on-layer", layers[k].letter);
  }
  return canvas.finish();
}

}  // namespace

bool deadline_in_picture(const Claims& claims, const Promise& promise) {
  return !claims.bands.empty() &&
         promise.deadline_s <= kDeadlineInPicture * claims.bands.back().seconds;
}

std::string bands_chart(const Claims& claims, const Promise& promise) {
  if (claims.bands.size() < 2) return {};
  const ShownBands shown = shown_bands(claims, promise);
  std::string out;
  for (const View& view : kViews) out += bands_view(claims, promise, shown, view);
  return out;
}

std::string letter_of(std::size_t runner_up) {
  const std::string letter(1, static_cast<char>('A' + runner_up % 26));
  return runner_up < 26 ? letter : fmt::format("{}{}", letter, runner_up / 26 + 1);
}

std::string frontier_chart(const Claims& claims, const Promise& promise) {
  if (claims.prices.empty() && claims.runners_up.empty()) return {};
  std::string out;
  for (const View& view : kViews) out += frontier_view(claims, promise, view);
  return out;
}

std::vector<Layer> layers_of(const Plan& plan) {
  std::vector<Layer> out;
  if (!plan.claims) return out;
  const Claims& claims = *plan.claims;
  std::size_t others = 0;
  for (const Usage& usage : claims.usage) {
    if (usage.shares.size() != claims.bands.size() || usage.block >= plan.blocks.size()) continue;
    const bool room = out.size() + 1 < kLayersMax || claims.usage.size() <= kLayersMax;
    if (room) {
      out.push_back(
          {block_text(plan.blocks[usage.block]), fmt::format("{}", out.size() + 1), usage.shares});
      continue;
    }
    if (others == 0) out.push_back({"", fmt::format("{}", out.size() + 1), {}});
    others += 1;
    Layer& rest = out.back();
    rest.shares.resize(usage.shares.size(), 0);
    for (std::size_t i = 0; i < usage.shares.size(); ++i) rest.shares[i] += usage.shares[i];
    rest.name = counted(others, "other");
  }
  return out;
}

std::string schedule_chart(const Plan& plan) {
  const std::vector<Layer> layers = layers_of(plan);
  if (layers.empty() || plan.claims->bands.size() < 2) return {};
  std::string out;
  for (const View& view : kViews) out += schedule_view(plan.claims->bands, layers, view);
  return out;
}

}  // namespace surety::plan
