#include "elastic/placement.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>

#include "base/check.h"

namespace surety::elastic {
namespace {

using Wide = __int128;  // Products of a chunk (32 bits) and a load (64 bits).

struct Load {
  std::int64_t samples = 0;
  std::int64_t left = 0;
};

struct Move {
  std::size_t piece = 0;
  std::size_t to = 0;  // Index of a worker, not its id.
  Wide gain = 0;
};

struct Spread {
  std::int64_t samples = 0;  // Largest load minus smallest load.
  std::int64_t left = 0;
};

class Loads {
 public:
  Loads(std::span<const Piece> pieces, std::span<const WorkerId> workers)
      : pieces_(pieces),
        workers_(workers),
        at_(pieces.size()),
        loads_(workers.size()),
        joiner_(workers.size(), true),
        moved_(pieces.size(), false) {
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      SURETY_CHECK(pieces_[p].left <= pieces_[p].samples);
      SURETY_CHECK(p == 0 || pieces_[p - 1].chunk < pieces_[p].chunk);
      if (!pieces_[p].at) continue;
      const auto it = std::lower_bound(workers_.begin(), workers_.end(), *pieces_[p].at);
      SURETY_CHECK(it != workers_.end() && *it == *pieces_[p].at);
      put(p, static_cast<std::size_t>(it - workers_.begin()));
      joiner_[at_[p]] = false;
    }
  }

  // Pieces without a worker, the most left first, each to where it raises the sum of squares least.
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

  // Moves to those that had no chunk at all, while any move helps.
  std::vector<Placed> fill_joiners() {
    std::vector<std::size_t> joiners;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (joiner_[w]) joiners.push_back(w);
    }
    const auto any = [](std::size_t, std::size_t) { return true; };
    std::vector<Placed> placed;
    while (const auto move = best_move(joiners, any)) placed.push_back(apply(*move));
    return placed;
  }

  // Moves between workers whose loads are further apart than the slack.
  std::vector<Placed> balance(std::uint32_t moves_max, std::int64_t slack) {
    const auto apart = [this, slack](std::size_t a, std::size_t b) {
      return loads_[a].samples - loads_[b].samples > slack ||
             loads_[a].left - loads_[b].left > slack;
    };
    std::vector<std::size_t> everyone(workers_.size());
    std::iota(everyone.begin(), everyone.end(), std::size_t{0});
    std::vector<Placed> placed;
    while (placed.size() < moves_max) {
      const auto move = best_move(everyone, apart);
      if (!move) break;
      placed.push_back(apply(*move));
    }
    return placed;
  }

  [[nodiscard]] Spread spread() const {
    const auto [fewest, most] =
        std::minmax_element(loads_.begin(), loads_.end(),
                            [](const Load& a, const Load& b) { return a.samples < b.samples; });
    const auto [least, largest] = std::minmax_element(
        loads_.begin(), loads_.end(), [](const Load& a, const Load& b) { return a.left < b.left; });
    return {.samples = most->samples - fewest->samples, .left = largest->left - least->left};
  }

  // One largest chunk, or the share of the mean load that is not worth a move.
  [[nodiscard]] std::int64_t slack(double imbalance_min) const {
    std::int64_t largest = 0;
    std::int64_t total = 0;
    for (const Piece& piece : pieces_) {
      largest = std::max<std::int64_t>(largest, piece.samples);
      total += piece.samples;
    }
    const double mean = static_cast<double>(total) / static_cast<double>(workers_.size());
    return std::max(largest, static_cast<std::int64_t>(std::floor(imbalance_min * mean)));
  }

 private:
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
    }
    put(move.piece, move.to);
    moved_[move.piece] = true;
    return {.chunk = piece.chunk, .to = workers_[move.to]};
  }

  [[nodiscard]] std::size_t cheapest_worker(const Piece& piece) const {
    const auto rise = [&](const Load& load) {
      return Wide{piece.samples} * load.samples + Wide{piece.left} * load.left;
    };
    const auto best =
        std::min_element(loads_.begin(), loads_.end(),
                         [&](const Load& a, const Load& b) { return rise(a) < rise(b); });
    return static_cast<std::size_t>(best - loads_.begin());
  }

  [[nodiscard]] Wide gain(const Piece& piece, std::size_t from, std::size_t to) const {
    const Load& a = loads_[from];
    const Load& b = loads_[to];
    return Wide{piece.samples} * (a.samples - b.samples - piece.samples) +
           Wide{piece.left} * (a.left - b.left - piece.left);
  }

  // The move of the largest positive gain to one of the targets, ascending, among those that are
  // allowed(from, to); see place() for ties.
  template <typename Allowed>
  [[nodiscard]] std::optional<Move> best_move(const std::vector<std::size_t>& targets,
                                              const Allowed& allowed) const {
    std::optional<Move> best;
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (moved_[p]) continue;
      const std::size_t from = at_[p];
      for (const std::size_t to : targets) {
        if (to == from || !allowed(from, to)) continue;
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
  std::vector<std::size_t> at_;  // By piece: index of its worker, once it has one.
  std::vector<Load> loads_;      // By worker.
  std::vector<bool> joiner_;     // By worker: had no chunk at the start.
  std::vector<bool> moved_;      // By piece.
};

std::string explain(const Placement& placement, const Spread& before, const Spread& after,
                    std::int64_t slack, const PlacementOptions& options) {
  const char* verdict = "no single chunk would help";
  if (std::max(after.samples, after.left) <= slack) {
    verdict = "balanced";
  } else if (placement.balances.size() == options.moves_max) {
    verdict = "moves_max reached";
  }
  return fmt::format(
      "{} placed, {} to fill new workers, {} to balance; largest minus smallest load {} -> {} "
      "samples, {} -> {} left in this pass, slack {}: {}",
      placement.placed.size(), placement.fills.size(), placement.balances.size(), before.samples,
      after.samples, before.left, after.left, slack, verdict);
}

}  // namespace

Placement place(std::span<const Piece> pieces, std::span<const WorkerId> workers,
                const PlacementOptions& options) {
  SURETY_CHECK(!workers.empty());
  SURETY_CHECK(std::adjacent_find(workers.begin(), workers.end(), std::greater_equal<>()) ==
               workers.end());
  SURETY_CHECK(options.imbalance_min >= 0);
  Loads loads(pieces, workers);
  const Spread before = loads.spread();
  const std::int64_t slack = loads.slack(options.imbalance_min);
  Placement placement;
  placement.placed = loads.place_homeless();
  placement.fills = loads.fill_joiners();
  placement.balances = loads.balance(options.moves_max, slack);
  placement.reason = explain(placement, before, loads.spread(), slack, options);
  return placement;
}

}  // namespace surety::elastic
