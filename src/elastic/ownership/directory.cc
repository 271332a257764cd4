#include "elastic/ownership/directory.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "elastic/ownership/directory_check.h"
#include "elastic/ownership/resting.h"

namespace surety::elastic {
namespace {

// The numbers of moved chunks by cause, without zeros: "3 without an owner, 1 to balance".
std::string moved_text(const Placement& placement, std::ptrdiff_t orphans, bool some_rest) {
  std::string text;
  const auto add = [&text](std::ptrdiff_t count, std::string_view why) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, why);
  };
  const std::ptrdiff_t handed_over = std::ssize(placement.placed) - orphans;
  add(orphans, "without an owner");
  add(handed_over, some_rest ? "of leaving or resting workers" : "of leaving workers");
  add(std::ssize(placement.fills), "to fill new workers");
  add(std::ssize(placement.balances), "to balance");
  return text.empty() ? "no chunk moves" : text;
}

std::vector<WorkerId> without(std::span<const WorkerId> workers,
                              const std::set<WorkerId>& resting) {
  std::vector<WorkerId> result;
  for (const WorkerId worker : workers) {
    if (!resting.contains(worker)) result.push_back(worker);
  }
  return result;
}

// The workers that must have no chunk after the boundary.
std::set<WorkerId> resting_workers(std::span<const WorkerId> staying,
                                   std::span<const ChunkOwner> owners,
                                   std::span<const ChunkSize> chunks,
                                   const BoundaryPolicy& policy) {
  if (!policy.working) return policy.resting;
  const std::vector<WorkerId> awake = without(staying, policy.resting);
  std::map<WorkerId, std::uint64_t> bytes;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (owners[i].state != Ownership::kOrphan) bytes[owners[i].owner] += chunks[i].bytes;
  }
  std::set<WorkerId> result = resting(awake, bytes, *policy.working, policy.placement.bytes_max);
  result.insert(policy.resting.begin(), policy.resting.end());
  return result;
}

std::vector<double> costs_of(std::span<const WorkerId> workers,
                             const std::map<WorkerId, double>& known) {
  std::vector<double> costs;
  for (const WorkerId worker : workers) {
    const auto cost = known.find(worker);
    costs.push_back(cost == known.end() ? 1 : cost->second);
  }
  return costs;
}

// The chunks, each at its current worker if this is one of the `working` workers, which are
// ascending.
std::vector<Piece> pieces_of(std::span<const ChunkSize> chunks, const ChunkOwners& owners,
                             const PassWork& pass, std::span<const WorkerId> working) {
  std::vector<Piece> pieces;
  pieces.reserve(chunks.size());
  for (const ChunkSize& chunk : chunks) {
    const std::optional<WorkerId> at = owners.place_of(chunk.id);
    const bool may_stay = at && std::binary_search(working.begin(), working.end(), *at);
    pieces.push_back({.chunk = chunk.id,
                      .samples = chunk.samples,
                      .left = chunk.samples - pass.progress()[chunk.id.value].done,
                      .bytes = chunk.bytes,
                      .at = may_stay ? at : std::nullopt});
  }
  return pieces;
}

// An orphan that stays at the worker with its samples is also granted.
void place_at_holders(std::span<const Piece> pieces, std::span<const ChunkOwner> owners,
                      Placement& placement) {
  std::set<ChunkId> moved;
  for (const auto* moves : {&placement.fills, &placement.balances}) {
    for (const Placed& placed : *moves) moved.insert(placed.chunk);
  }
  for (const Piece& piece : pieces) {
    const bool is_orphan = owners[piece.chunk.value].state == Ownership::kOrphan;
    if (!is_orphan || !piece.at || moved.contains(piece.chunk)) continue;
    placement.placed.push_back({piece.chunk, *piece.at});
  }
}

// Moves the orphans to the front, and returns their number.
std::ptrdiff_t move_orphans_to_front(std::span<const ChunkOwner> owners,
                                     std::vector<Placed>& placed) {
  const auto first_handed_over = std::stable_partition(
      placed.begin(), placed.end(),
      [owners](const Placed& p) { return owners[p.chunk.value].state == Ownership::kOrphan; });
  return first_handed_over - placed.begin();
}

}  // namespace

Directory::Directory(std::vector<ChunkSize> chunks)
    : chunks_(std::move(chunks)), owners_(chunks_.size()), pass_(chunks_) {}

void Directory::join(WorkerId worker) { presence_.join(worker); }

void Directory::has_samples(WorkerId worker, ChunkId chunk) {
  SURETY_CHECK(presence_.has_joined(worker));
  owners_.has_samples(worker, chunk);
}

void Directory::leave(WorkerId worker) {
  presence_.leave(worker);
  if (!owners_.has_any(worker)) presence_.has_no_chunk(worker);
}

void Directory::lose(WorkerId worker) {
  if (presence_.lose(worker)) owners_.lose(worker);
}

Boundary Directory::boundary(const BoundaryPolicy& policy) {
  const std::vector<WorkerId> staying = presence_.staying();
  Boundary boundary;
  boundary.resting = resting_workers(staying, owners_.all(), chunks_, policy);
  const std::vector<WorkerId> working = without(staying, boundary.resting);
  SURETY_CHECK(!working.empty());
  const std::vector<Piece> pieces = pieces_of(chunks_, owners_, pass_, working);
  Placement placement = place(pieces, working, costs_of(working, policy.costs), policy.placement);
  place_at_holders(pieces, owners_.all(), placement);
  const std::ptrdiff_t orphans = move_orphans_to_front(owners_.all(), placement.placed);
  boundary.reason = fmt::format("{}; {}", moved_text(placement, orphans, !boundary.resting.empty()),
                                placement.reason);
  const auto grant = [&](const std::vector<Placed>& moves) {
    for (const Placed& placed : moves) {
      boundary.grants.push_back(owners_.grant(placed.chunk, placed.to));
    }
  };
  for (const auto* moves : {&placement.placed, &placement.fills, &placement.balances}) {
    grant(*moves);
  }
  if (policy.shuffle && boundary.grants.empty()) {
    const Shuffle shuffled = shuffle_chunks(pieces, *policy.shuffle, Random(policy.shuffle_seed));
    grant(shuffled.moves);
    boundary.shuffled = shuffled.moves.size();
    boundary.reason += "; " + shuffled.reason;
  }
  // Checked in every build, because a chunk with a wrong owner would silently lose samples or count
  // them twice.
  if (const std::optional<std::string> wrong = violation()) {
    check_failed(wrong->c_str(), __FILE__, __LINE__);
  }
  return boundary;
}

// A leaver that still has to receive a chunk has not departed, because only this worker can confirm
// the chunk.
void Directory::confirm(const Grant& grant) {
  const std::optional<WorkerId> sender = owners_.confirm(grant);
  if (sender && !owners_.has_any(*sender)) presence_.has_no_chunk(*sender);
}

bool Directory::is_current(WorkerId worker, const Work& work) const {
  if (work.chunk.value >= chunks_.size()) return false;
  const ChunkOwner& owner = owners_.all()[work.chunk.value];
  return owner.state == Ownership::kOwned && owner.owner == worker &&
         owner.version == work.version && pass_.is_next(work);
}

void Directory::commit(const std::map<WorkerId, std::vector<Work>>& work) {
  for (const auto& [worker, pieces] : work) {
    for (const Work& piece : pieces) {
      SURETY_CHECK(is_current(worker, piece));
      pass_.commit(piece);
    }
  }
}

std::vector<Entry> Directory::entries() const {
  std::vector<Entry> entries;
  entries.reserve(chunks_.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const ChunkOwner& owner = owners_.all()[i];
    const PassWork::Progress& progress = pass_.progress()[i];
    entries.push_back({.state = owner.state,
                       .owner = owner.owner,
                       .holder = owner.holder,
                       .version = owner.version,
                       .samples_done = progress.done,
                       .cut_short = progress.cut_short});
  }
  return entries;
}

std::optional<std::string> Directory::violation() const {
  const std::vector<WorkerId> live = presence_.live();
  const std::vector<WorkerId> leaving = presence_.leaving();
  return ownership_violation(entries(), chunks_, {live.begin(), live.end()},
                             {leaving.begin(), leaving.end()});
}

}  // namespace surety::elastic
