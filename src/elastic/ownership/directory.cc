#include "elastic/ownership/directory.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "elastic/ownership/directory_check.h"
#include "elastic/ownership/resting.h"

namespace surety::elastic {
namespace {

// The moved chunks by cause, without causes that moved none: "3 orphans, 1 to balance".
std::string moved_text(const Placement& placement, std::ptrdiff_t orphans, bool some_rest) {
  std::string text;
  const auto add = [&text](std::ptrdiff_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, count == 1 ? one : many);
  };
  const std::ptrdiff_t handed_over = std::ssize(placement.placed) - orphans;
  add(orphans, "orphan", "orphans");
  if (some_rest) {
    add(handed_over, "chunk of leaving or resting workers", "chunks of leaving or resting workers");
  } else {
    add(handed_over, "chunk of leaving workers", "chunks of leaving workers");
  }
  add(std::ssize(placement.fills), "to fill new workers", "to fill new workers");
  add(std::ssize(placement.balances), "to balance", "to balance");
  return text.empty() ? "no chunk moves" : text;
}

}  // namespace

Directory::Directory(std::vector<ChunkSize> chunks, DirectoryOptions options)
    : chunks_(std::move(chunks)), options_(options), entries_(chunks_.size()) {
  for (std::size_t i = 0; i < chunks_.size(); ++i) SURETY_CHECK(chunks_[i].id.value == i);
}

void Directory::join(WorkerId worker) {
  const bool is_new = workers_.emplace(worker, Presence::kStaying).second;
  SURETY_CHECK(is_new);
}

void Directory::has_samples(WorkerId worker, ChunkId chunk) {
  SURETY_CHECK(chunk.value < entries_.size() && workers_.contains(worker));
  sample_holders_[chunk] = worker;
}

void Directory::leave(WorkerId worker) {
  if (!is(worker, Presence::kStaying)) return;
  workers_[worker] = Presence::kLeaving;
  depart_if_empty(worker);
}

void Directory::lose(WorkerId worker) {
  if (!is_live(worker)) return;
  workers_[worker] = Presence::kLost;
  for (Entry& entry : entries_) {
    if (entry.state == Ownership::kOwned && entry.owner == worker) {
      entry.state = Ownership::kOrphan;
      entry.state_lost = true;
      ++entry.version;
    } else if (entry.state == Ownership::kHanding && entry.owner == worker) {
      // The holder's frozen copy is still current: nothing was committed since the grant.
      entry.state = entry.holder ? Ownership::kOwned : Ownership::kOrphan;
      if (entry.holder) entry.owner = *entry.holder;
      entry.holder.reset();
      ++entry.version;
    } else if (entry.holder == worker) {
      entry.holder.reset();
      entry.state_lost = true;
    }
  }
}

// The worker where a chunk may stay: its owner, or a worker that has its samples.
std::optional<WorkerId> Directory::place_of(ChunkId chunk,
                                            const std::set<WorkerId>& resting) const {
  const Entry& entry = entries_[chunk.value];
  SURETY_CHECK(entry.state != Ownership::kHanding);
  std::optional<WorkerId> at;
  if (entry.state == Ownership::kOwned) {
    at = entry.owner;
  } else if (const auto holder = sample_holders_.find(chunk); holder != sample_holders_.end()) {
    at = holder->second;
  }
  return at && is(*at, Presence::kStaying) && !resting.contains(*at) ? at : std::nullopt;
}

std::vector<Piece> Directory::pieces(const std::set<WorkerId>& resting) const {
  std::vector<Piece> pieces;
  pieces.reserve(chunks_.size());
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    pieces.push_back({.chunk = chunks_[i].id,
                      .samples = chunks_[i].samples,
                      .left = chunks_[i].samples - entries_[i].samples_done,
                      .bytes = chunks_[i].bytes,
                      .at = place_of(chunks_[i].id, resting)});
  }
  return pieces;
}

// An orphan that stays at the worker with its samples is granted, too.
void Directory::place_at_holders(const std::vector<Piece>& pieces, Placement& placement) const {
  if (sample_holders_.empty()) return;
  std::set<ChunkId> moved;
  for (const auto* moves : {&placement.fills, &placement.balances}) {
    for (const Placed& placed : *moves) moved.insert(placed.chunk);
  }
  for (const Piece& piece : pieces) {
    const bool is_orphan = entries_[piece.chunk.value].state == Ownership::kOrphan;
    if (!is_orphan || !piece.at || moved.contains(piece.chunk)) continue;
    placement.placed.push_back({piece.chunk, *piece.at});
  }
}

Grant Directory::grant(const Placed& placed) {
  Entry& entry = entries_[placed.chunk.value];
  SURETY_CHECK(entry.state != Ownership::kHanding);
  if (entry.state == Ownership::kOwned) {
    entry.holder = entry.owner;
    entry.state_lost = false;  // The state is sent along.
  }
  sample_holders_.erase(placed.chunk);
  entry.state = Ownership::kHanding;
  entry.owner = placed.to;
  ++entry.version;
  return {.chunk = placed.chunk, .version = entry.version, .to = placed.to, .from = entry.holder};
}

std::set<WorkerId> Directory::resting(const BoundaryPolicy& policy) const {
  if (policy.working == 0) return policy.resting;
  std::vector<WorkerId> awake;
  for (const auto& [worker, presence] : workers_) {
    const bool rests = policy.resting.contains(worker);
    if (presence == Presence::kStaying && !rests) awake.push_back(worker);
  }
  std::map<WorkerId, std::uint64_t> bytes;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].state != Ownership::kOrphan) bytes[entries_[i].owner] += chunks_[i].bytes;
  }
  std::set<WorkerId> result =
      elastic::resting(awake, bytes, policy.working, policy.placement.bytes_max);
  result.insert(policy.resting.begin(), policy.resting.end());
  return result;
}

Boundary Directory::boundary(const BoundaryPolicy& policy) {
  const std::set<WorkerId> resting = this->resting(policy);
  std::vector<WorkerId> working;
  std::vector<double> costs;
  for (const auto& [worker, presence] : workers_) {
    if (presence != Presence::kStaying || resting.contains(worker)) continue;
    working.push_back(worker);
    const auto cost = policy.costs.find(worker);
    costs.push_back(cost == policy.costs.end() ? 1 : cost->second);
  }
  SURETY_CHECK(!working.empty());
  const std::vector<Piece> pieces = this->pieces(resting);
  Placement placement = place(pieces, working, costs, policy.placement);
  place_at_holders(pieces, placement);

  const auto first_handed_over = std::stable_partition(
      placement.placed.begin(), placement.placed.end(),
      [this](const Placed& p) { return entries_[p.chunk.value].state == Ownership::kOrphan; });
  Boundary boundary;
  boundary.resting = resting;
  const std::ptrdiff_t orphans = first_handed_over - placement.placed.begin();
  boundary.reason =
      fmt::format("{}; {}", moved_text(placement, orphans, !resting.empty()), placement.reason);
  for (const auto* moves : {&placement.placed, &placement.fills, &placement.balances}) {
    for (const Placed& placed : *moves) boundary.grants.push_back(grant(placed));
  }
  if (policy.shuffle && boundary.grants.empty()) {
    const Shuffle shuffled = shuffle_chunks(pieces, *policy.shuffle, Random(policy.shuffle_seed));
    for (const Placed& placed : shuffled.moves) boundary.grants.push_back(grant(placed));
    boundary.shuffled = shuffled.moves.size();
    boundary.reason += "; " + shuffled.reason;
  }
  return boundary;
}

void Directory::confirm(const Grant& grant, bool state_lost) {
  SURETY_CHECK(grant.chunk.value < entries_.size());
  Entry& entry = entries_[grant.chunk.value];
  SURETY_CHECK(grant.version <= entry.version);
  if (grant.version < entry.version || entry.state != Ownership::kHanding) return;
  SURETY_CHECK(entry.owner == grant.to);
  const auto sender = std::exchange(entry.holder, std::nullopt);
  entry.state = Ownership::kOwned;
  entry.state_lost = entry.state_lost || state_lost;
  if (sender) depart_if_empty(*sender);
}

std::vector<Grant> Directory::pending() const {
  std::vector<Grant> grants;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    const Entry& entry = entries_[i];
    if (entry.state != Ownership::kHanding) continue;
    grants.push_back({.chunk = chunks_[i].id,
                      .version = entry.version,
                      .to = entry.owner,
                      .from = entry.holder});
  }
  return grants;
}

std::vector<std::size_t> Directory::visiting_order() const {
  std::vector<std::size_t> order(entries_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_partition(order.begin(), order.end(),
                        [this](std::size_t i) { return entries_[i].cut_short; });
  return order;
}

std::map<WorkerId, std::vector<Work>> Directory::work(std::uint32_t quota) const {
  SURETY_CHECK(quota > 0);
  std::map<WorkerId, std::uint32_t> quotas;
  for (const Entry& entry : entries_) quotas[entry.owner] = quota;
  return work(quotas);
}

std::map<WorkerId, std::vector<Work>> Directory::work(
    const std::map<WorkerId, std::uint32_t>& quotas) const {
  std::map<WorkerId, std::uint32_t> room = quotas;
  std::map<WorkerId, std::vector<Work>> work;
  for (const std::size_t i : visiting_order()) {
    const Entry& entry = entries_[i];
    SURETY_CHECK(entry.state == Ownership::kOwned);
    std::uint32_t& left = room[entry.owner];
    const std::uint32_t count = std::min(chunks_[i].samples - entry.samples_done, left);
    if (count == 0) continue;
    left -= count;
    work[entry.owner].push_back({.chunk = chunks_[i].id,
                                 .version = entry.version,
                                 .first = entry.samples_done,
                                 .count = count});
  }
  return work;
}

std::vector<Work> first_of(std::span<const Work> work, std::uint64_t samples) {
  std::vector<Work> first;
  for (const Work& piece : work) {
    if (samples == 0) break;
    first.push_back(piece);
    first.back().count = static_cast<std::uint32_t>(std::min<std::uint64_t>(piece.count, samples));
    samples -= first.back().count;
  }
  SURETY_CHECK(samples == 0);
  return first;
}

bool Directory::is_current(WorkerId worker, const Work& work) const {
  if (work.chunk.value >= entries_.size()) return false;
  const Entry& entry = entries_[work.chunk.value];
  const std::uint32_t left = chunks_[work.chunk.value].samples - entry.samples_done;
  return entry.state == Ownership::kOwned && entry.owner == worker &&
         entry.version == work.version && entry.samples_done == work.first && work.count > 0 &&
         work.count <= left;
}

void Directory::commit(const std::map<WorkerId, std::vector<Work>>& work) {
  for (const auto& [worker, pieces] : work) {
    for (const Work& piece : pieces) {
      SURETY_CHECK(is_current(worker, piece));
      entries_[piece.chunk.value].samples_done += piece.count;
    }
  }
}

void Directory::begin_pass() {
  SURETY_CHECK(is_pass_finished());
  for (Entry& entry : entries_) {
    entry.samples_done = 0;
    entry.cut_short = false;
  }
}

std::uint64_t Directory::cut_pass_short() {
  const std::uint64_t left = samples_left();
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    entries_[i].cut_short = entries_[i].samples_done < chunks_[i].samples;
    entries_[i].samples_done = 0;
  }
  return left;
}

std::vector<WorkerId> Directory::workers() const {
  std::vector<WorkerId> live;
  for (const auto& [worker, presence] : workers_) {
    if (is_live(worker)) live.push_back(worker);
  }
  return live;
}

std::size_t Directory::staying() const {
  return static_cast<std::size_t>(
      std::count_if(workers_.begin(), workers_.end(),
                    [](const auto& worker) { return worker.second == Presence::kStaying; }));
}

bool Directory::has_departed(WorkerId worker) const { return is(worker, Presence::kDeparted); }

std::uint64_t Directory::samples_left() const {
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    left += chunks_[i].samples - entries_[i].samples_done;
  }
  return left;
}

bool Directory::is(WorkerId worker, Presence presence) const {
  const auto it = workers_.find(worker);
  return it != workers_.end() && it->second == presence;
}

bool Directory::is_live(WorkerId worker) const {
  return is(worker, Presence::kStaying) || is(worker, Presence::kLeaving);
}

std::string Directory::violation() const {
  std::set<WorkerId> live;
  std::set<WorkerId> leaving;
  for (const auto& [worker, presence] : workers_) {
    if (presence == Presence::kStaying || presence == Presence::kLeaving) live.insert(worker);
    if (presence == Presence::kLeaving) leaving.insert(worker);
  }
  return ownership_violation(entries_, chunks_, live, leaving);
}

// A leaver that is still to receive a chunk has not departed: only it can confirm that chunk.
void Directory::depart_if_empty(WorkerId worker) {
  if (!is(worker, Presence::kLeaving)) return;
  const bool is_empty =
      std::none_of(entries_.begin(), entries_.end(), [worker](const Entry& entry) {
        const bool owns = entry.state != Ownership::kOrphan && entry.owner == worker;
        return owns || entry.holder == worker;
      });
  if (is_empty) workers_[worker] = Presence::kDeparted;
}

}  // namespace surety::elastic
