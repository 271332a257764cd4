#include "elastic/ownership/shuffle.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/check.h"
#include "base/words.h"

namespace surety::elastic {
namespace {

// Number of partners considered for one chunk; the most similar one is taken. If the number is
// doubled, loads change even less. But if few chunks are similar, the same chunks move repeatedly.
constexpr int kPartnersTried = 8;

class Exchange {
 public:
  Exchange(std::span<const Piece> pieces, const ShuffleOptions& options, Random random)
      : pieces_(pieces), options_(options), random_(random), moved_(pieces.size(), false) {}

  // Returns whether a pair was found.
  bool swap_one_pair() {
    const std::size_t a = random_.below(pieces_.size());
    if (moved_[a]) return false;
    std::optional<std::size_t> best;
    for (int i = 0; i < kPartnersTried; ++i) {
      const std::size_t b = random_.below(pieces_.size());
      if (moved_[b] || pieces_[b].at == pieces_[a].at || !is_affordable(a, b)) continue;
      if (!best || difference(a, b) < difference(a, *best)) best = b;
    }
    if (!best) return false;
    move(a, *pieces_[*best].at);
    move(*best, *pieces_[a].at);
    return true;
  }

  std::vector<Placed> take() { return std::move(moves_); }

 private:
  [[nodiscard]] std::uint64_t difference(std::size_t a, std::size_t b) const {
    const auto apart = [](std::uint32_t x, std::uint32_t y) { return x > y ? x - y : y - x; };
    return std::uint64_t{apart(pieces_[a].samples, pieces_[b].samples)} +
           apart(pieces_[a].left, pieces_[b].left);
  }

  // Each of the two workers receives the chunk that the other one sends.
  [[nodiscard]] bool is_affordable(std::size_t a, std::size_t b) {
    const auto fits = [this](std::size_t p, const std::map<WorkerId, std::uint64_t>& used,
                             WorkerId worker) {
      const auto found = used.find(worker);
      const std::uint64_t before = found == used.end() ? 0 : found->second;
      return before <= options_.bytes_max && pieces_[p].bytes <= options_.bytes_max - before;
    };
    return fits(a, out_, *pieces_[a].at) && fits(a, in_, *pieces_[b].at) &&
           fits(b, out_, *pieces_[b].at) && fits(b, in_, *pieces_[a].at);
  }

  void move(std::size_t p, WorkerId to) {
    moved_[p] = true;
    out_[*pieces_[p].at] += pieces_[p].bytes;
    in_[to] += pieces_[p].bytes;
    moves_.push_back({.chunk = pieces_[p].chunk, .to = to});
  }

  std::span<const Piece> pieces_;
  const ShuffleOptions& options_;
  Random random_;
  std::vector<bool> moved_;  // Whether a piece was moved.
  std::map<WorkerId, std::uint64_t> in_;
  std::map<WorkerId, std::uint64_t> out_;
  std::vector<Placed> moves_;
};

}  // namespace

Shuffle shuffle_chunks(std::span<const Piece> pieces, const ShuffleOptions& options,
                       Random random) {
  SURETY_CHECK(options.share >= 0 && options.share <= 1);
  for (const Piece& piece : pieces) SURETY_CHECK(piece.at.has_value());
  if (pieces.size() < 2 || options.share == 0) return {{}, "there is nothing to shuffle"};
  const auto pairs = static_cast<std::size_t>(
      std::max(1.0, std::floor(options.share * static_cast<double>(pieces.size()) / 2)));
  Exchange exchange(pieces, options, random);
  std::size_t swapped = 0;
  // There are twice as many tries as pairs, because a chunk without a partner is skipped.
  for (std::size_t tries = 0; tries < 2 * pairs && swapped < pairs; ++tries) {
    if (exchange.swap_one_pair()) ++swapped;
  }
  if (swapped == 0) return {exchange.take(), "found no two chunks to exchange"};
  return {exchange.take(), fmt::format("{} of chunks exchanged", counted(swapped, "pair"))};
}

}  // namespace surety::elastic
