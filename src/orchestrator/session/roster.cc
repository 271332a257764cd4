#include "orchestrator/session/roster.h"

#include <utility>

#include "base/check.h"
#include "protocol/messages.h"

namespace surety::orchestrator {

void Roster::join(WorkerId worker, std::string address,
                  std::vector<std::uint32_t> chunks_in_memory) {
  Member& member = members_[worker];
  member.address = std::move(address);
  member.chunks_in_memory = std::move(chunks_in_memory);
}

bool Roster::leave(WorkerId worker) {
  const auto member = members_.find(worker);
  return member != members_.end() && !std::exchange(member->second.is_leaving, true);
}

std::vector<WorkerId> Roster::those_that(bool leave) const {
  std::vector<WorkerId> workers;
  for (const auto& [worker, member] : members_) {
    if (member.is_leaving == leave) workers.push_back(worker);
  }
  return workers;
}

std::vector<WorkerId> Roster::leaving() const { return those_that(true); }

std::vector<WorkerId> Roster::staying() const { return those_that(false); }

const std::vector<std::uint32_t>& Roster::chunks_in_memory(WorkerId worker) const {
  SURETY_CHECK(contains(worker));
  return members_.at(worker).chunks_in_memory;
}

void Roster::forget_samples(WorkerId worker) {
  SURETY_CHECK(contains(worker));
  members_.at(worker).chunks_in_memory.clear();
}

proto::Peer Roster::peer(WorkerId worker) const {
  SURETY_CHECK(contains(worker));
  return protocol::peer_proto(worker, members_.at(worker).address);
}

std::vector<proto::Peer> Roster::peers() const {
  std::vector<proto::Peer> peers;
  for (const auto& [worker, member] : members_)
    peers.push_back(protocol::peer_proto(worker, member.address));
  return peers;
}

}  // namespace surety::orchestrator
