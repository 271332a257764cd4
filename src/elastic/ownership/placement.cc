#include "elastic/ownership/placement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "base/check.h"

namespace surety::elastic {
namespace {

using Wide = __int128;  // It holds a product of a chunk (32 bits) and a load (64 bits).

constexpr std::int64_t kCostUnit = 1024;  // Cost of the fastest worker.
// Costs above this multiple of the lowest cost count as this multiple.
constexpr double kCostRange = 1000;

// A worker's samples, their cost in time, and the bytes that it sent and received.
struct Load {
  std::int64_t cost = kCostUnit;
  std::int64_t samples = 0;
  std::int64_t left = 0;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;

  [[nodiscard]] std::int64_t finish() const { return cost * samples; }
  [[nodiscard]] std::int64_t finish_left() const { return cost * left; }
};

struct Move {
  std::size_t piece = 0;
  std::size_t to = 0;  // Index of a worker, not its id.
  Wide gain = 0;
};

// Largest load minus smallest load, in samples of a worker of mean speed.
struct Spread {
  std::int64_t samples = 0;
  std::int64_t left = 0;
};

class Loads {
 public:
  Loads(std::span<const Piece> pieces, std::span<const WorkerId> workers,
        std::span<const double> costs, const PlacementOptions& options)
      : pieces_(pieces),
        workers_(workers),
        options_(options),
        at_(pieces.size()),
        loads_(workers.size()),
        joiner_(workers.size(), true),
        moved_(pieces.size(), false) {
    const double lowest = *std::min_element(costs.begin(), costs.end());
    SURETY_CHECK(costs.size() == workers_.size() && lowest > 0);
    for (std::size_t w = 0; w < costs.size(); ++w) {
      loads_[w].cost =
          std::llround(std::min(costs[w] / lowest, kCostRange) * static_cast<double>(kCostUnit));
    }
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      SURETY_CHECK(pieces_[p].left <= pieces_[p].samples);
      SURETY_CHECK(p == 0 || pieces_[p - 1].chunk < pieces_[p].chunk);
      if (!pieces_[p].at) continue;
      const auto it = std::lower_bound(workers_.begin(), workers_.end(), *pieces_[p].at);
      SURETY_CHECK(it != workers_.end() && *it == *pieces_[p].at);
      put(p, static_cast<std::size_t>(it - workers_.begin()));
      joiner_[at_[p]] = false;
    }
    measure();
  }

  // Places pieces without a worker, those with the most remaining samples first, each where it
  // raises the sum of squares least.
  std::vector<Placed> place_homeless() {
    std::vector<std::size_t> homeless;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (!pieces_[p].at) homeless.push_back(p);
    }
    std::stable_sort(homeless.begin(), homeless.end(), [this](std::size_t a, std::size_t b) {
      return std::tie(pieces_[a].left, pieces_[a].samples) >
             std::tie(pieces_[b].left, pieces_[b].samples);
    });
    std::vector<Placed> placed;
    for (const std::size_t p : homeless) {
      placed.push_back(apply({.piece = p, .to = cheapest_worker(pieces_[p])}));
    }
    return placed;
  }

  // Makes moves to workers that had no chunk at all, as long as a move lowers the sum.
  std::vector<Placed> fill_joiners() {
    std::vector<std::size_t> joiners;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (joiner_[w]) joiners.push_back(w);
    }
    const auto affordable = [this](const Piece& piece, std::size_t from, std::size_t to) {
      return loads_[to].samples == 0 || is_affordable(piece, from, to);
    };
    std::vector<Placed> placed;
    while (const auto move = best_move(joiners, affordable)) placed.push_back(apply(*move));
    return placed;
  }

  // Makes moves between workers whose loads differ by more than the slack.
  std::vector<Placed> balance() {
    const auto is_worthwhile = [this](const Piece& piece, std::size_t from, std::size_t to) {
      const Load& a = loads_[from];
      const Load& b = loads_[to];
      const std::int64_t slack = slack_between(a, b);
      const bool apart =
          a.finish() - b.finish() > slack || a.finish_left() - b.finish_left() > slack;
      return apart && is_affordable(piece, from, to);
    };
    std::vector<std::size_t> everyone(workers_.size());
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    std::vector<Placed> placed;
    while (placed.size() < options_.moves_max) {
      const auto move = best_move(everyone, is_worthwhile);
      if (!move) break;
      placed.push_back(apply(*move));
    }
    return placed;
  }

  [[nodiscard]] Spread spread() const {
    const auto [fewest, most] =
        std::minmax_element(loads_.begin(), loads_.end(),
                            [](const Load& a, const Load& b) { return a.finish() < b.finish(); });
    const auto [least, largest] = std::minmax_element(
        loads_.begin(), loads_.end(),
        [](const Load& a, const Load& b) { return a.finish_left() < b.finish_left(); });
    return {.samples = (most->finish() - fewest->finish()) / mean_cost_,
            .left = (largest->finish_left() - least->finish_left()) / mean_cost_};
  }

  // The largest slack over all pairs, in samples of a worker of mean speed.
  [[nodiscard]] std::int64_t slack() const {
    const auto slowest = std::max_element(
        loads_.begin(), loads_.end(), [](const Load& a, const Load& b) { return a.cost < b.cost; });
    return slack_between(*slowest, *slowest) / mean_cost_;
  }

  // The ratio of the slowest finish to the ideal one; 1 is the best possible.
  [[nodiscard]] double finish() const {
    std::int64_t latest = 0;
    for (const Load& load : loads_) latest = std::max(latest, load.finish());
    return ideal_ > 0 ? static_cast<double>(latest) / ideal_ : 1;
  }

 private:
  void measure() {
    double total = 0;
    for (const Piece& piece : pieces_) {
      largest_ = std::max<std::int64_t>(largest_, piece.samples);
      total += piece.samples;
    }
    double speed = 0;
    for (const Load& load : loads_) speed += 1 / static_cast<double>(load.cost);
    ideal_ = total / speed;
    mean_cost_ = std::llround(static_cast<double>(loads_.size()) / speed);
  }

  // The time for one largest chunk at the slower of the two, or the part imbalance_min of the ideal
  // finish if this is larger.
  [[nodiscard]] std::int64_t slack_between(const Load& a, const Load& b) const {
    return std::max(largest_ * std::max(a.cost, b.cost),
                    static_cast<std::int64_t>(std::floor(options_.imbalance_min * ideal_)));
  }

  [[nodiscard]] bool is_affordable(const Piece& piece, std::size_t from, std::size_t to) const {
    const auto fits = [&](std::uint64_t used) {
      return used <= options_.bytes_max && piece.bytes <= options_.bytes_max - used;
    };
    return fits(loads_[from].bytes_out) && fits(loads_[to].bytes_in);
  }

  void put(std::size_t p, std::size_t worker) {
    at_[p] = worker;
    loads_[worker].samples += pieces_[p].samples;
    loads_[worker].left += pieces_[p].left;
  }

  Placed apply(const Move& move) {
    SURETY_CHECK(!moved_[move.piece]);
    const Piece& piece = pieces_[move.piece];
    if (piece.at) {
      SURETY_CHECK(move.gain > 0 && at_[move.piece] != move.to);
      loads_[at_[move.piece]].samples -= piece.samples;
      loads_[at_[move.piece]].left -= piece.left;
      loads_[at_[move.piece]].bytes_out += piece.bytes;
      loads_[move.to].bytes_in += piece.bytes;
    }
    put(move.piece, move.to);
    moved_[move.piece] = true;
    return {.chunk = piece.chunk, .to = workers_[move.to]};
  }

  [[nodiscard]] std::size_t cheapest_worker(const Piece& piece) const {
    const auto rise = [&](const Load& load) {
      return 2 * (Wide{piece.samples} * load.finish() + Wide{piece.left} * load.finish_left()) +
             load.cost * squares(piece);
    };
    const auto best =
        std::min_element(loads_.begin(), loads_.end(),
                         [&](const Load& a, const Load& b) { return rise(a) < rise(b); });
    return static_cast<std::size_t>(best - loads_.begin());
  }

  [[nodiscard]] Wide gain(const Piece& piece, std::size_t from, std::size_t to) const {
    const Load& a = loads_[from];
    const Load& b = loads_[to];
    return 2 * (Wide{piece.samples} * (a.finish() - b.finish()) +
                Wide{piece.left} * (a.finish_left() - b.finish_left())) -
           (a.cost + b.cost) * squares(piece);
  }

  [[nodiscard]] static Wide squares(const Piece& piece) {
    return Wide{piece.samples} * piece.samples + Wide{piece.left} * piece.left;
  }

  // Returns the move with the largest positive gain to one of the targets, which are ascending, if
  // allowed(piece, from, to); see place() for ties.
  template <typename Allowed>
  [[nodiscard]] std::optional<Move> best_move(const std::vector<std::size_t>& targets,
                                              const Allowed& allowed) const {
    std::optional<Move> best;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (moved_[p]) continue;
      const std::size_t from = at_[p];
      for (const std::size_t to : targets) {
        if (to == from || !allowed(pieces_[p], from, to)) continue;
        const Wide gained = gain(pieces_[p], from, to);
        if (gained <= 0) continue;
        const bool better = !best || gained > best->gain ||
                            (gained == best->gain && pieces_[p].bytes < pieces_[best->piece].bytes);
        if (better) best = Move{.piece = p, .to = to, .gain = gained};
      }
    }
    return best;
  }

  std::span<const Piece> pieces_;
  std::span<const WorkerId> workers_;
  const PlacementOptions& options_;
  std::int64_t largest_ = 0;  // Samples of the largest chunk.
  double ideal_ = 0;          // Ideal finish of a pass, by water-filling.
  // Harmonic mean: the cost of a worker of mean speed.
  std::int64_t mean_cost_ = kCostUnit;
  std::vector<std::size_t> at_;  // Index of each piece's worker, once it has one.
  std::vector<Load> loads_;      // One for each worker.
  std::vector<bool> joiner_;     // Whether a worker had no chunk at the start.
  std::vector<bool> moved_;      // Whether a piece was placed or moved.
};

std::string explain(const Placement& placement, const Spread& before, const Loads& loads,
                    const PlacementOptions& options) {
  const Spread after = loads.spread();
  const char* verdict = "no move of a single chunk would help";
  if (std::max(after.samples, after.left) <= loads.slack()) {
    verdict = "balanced";
  } else if (placement.balances.size() == options.moves_max) {
    verdict = "the largest number of moves is reached";
  }
  return fmt::format(
      "over a whole pass, the work of two workers differs by at most {} samples (before: {}), and "
      "over the rest of this pass by at most {} (before: {}). A difference of {} samples is "
      "allowed: {}. A pass takes {:.2f} times the ideal time",
      after.samples, before.samples, after.left, before.left, loads.slack(), verdict,
      loads.finish());
}

}  // namespace

Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                std::span<const double> costs, const PlacementOptions& options) {
  SURETY_CHECK(!workers.empty());
  SURETY_CHECK(std::adjacent_find(workers.begin(), workers.end(), std::greater_equal<>()) ==
               workers.end());
  SURETY_CHECK(options.imbalance_min >= 0);
  Loads loads(pieces, workers, costs, options);
  const Spread before = loads.spread();
  Placement placement;
  placement.placed = loads.place_homeless();
  placement.fills = loads.fill_joiners();
  placement.balances = loads.balance();
  placement.reason = explain(placement, before, loads, options);
  return placement;
}

Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                const PlacementOptions& options) {
  const std::vector<double> equal(workers.size(), 1);
  return place(pieces, workers, equal, options);
}

}  // namespace surety::elastic
