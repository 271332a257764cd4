#include "fabric/allreduce/mailbox.h"

namespace surety::fabric {

void Mailbox::add(Received message) {
  bytes_ += kOverhead + message.bytes.size();
  messages_[message.tag.round].push_back(std::move(message));
}

std::vector<Received> Mailbox::take_round(std::uint64_t round) {
  std::vector<Received> taken;
  if (auto kept = messages_.extract(round)) taken = std::move(kept.mapped());
  for (const Received& message : taken) bytes_ -= kOverhead + message.bytes.size();
  return taken;
}

void Mailbox::drop_rounds_before(std::uint64_t round) {
  while (!messages_.empty() && messages_.begin()->first < round) {
    static_cast<void>(take_round(messages_.begin()->first));
  }
}

bool Mailbox::add_blob(const Tag& tag, std::vector<std::byte> bytes) {
  const std::uint64_t size = bytes.size();
  if (!blobs_.try_emplace(tag, std::move(bytes)).second) return false;
  bytes_ += kOverhead + size;
  return true;
}

std::optional<std::vector<std::byte>> Mailbox::take_blob(const Tag& tag) {
  auto taken = blobs_.extract(tag);
  if (taken.empty()) return std::nullopt;
  bytes_ -= kOverhead + taken.mapped().size();
  return std::move(taken.mapped());
}

std::vector<std::pair<Tag, std::vector<std::byte>>> Mailbox::take_blobs(std::uint64_t round) {
  std::vector<std::pair<Tag, std::vector<std::byte>>> taken;
  auto at = blobs_.lower_bound(Tag{.round = round});
  while (at != blobs_.end() && at->first.round == round) {
    bytes_ -= kOverhead + at->second.size();
    taken.emplace_back(at->first, std::move(at->second));
    at = blobs_.erase(at);
  }
  return taken;
}

void Mailbox::drop_blobs_before(std::uint64_t round) {
  while (!blobs_.empty() && blobs_.begin()->first.round < round) {
    bytes_ -= kOverhead + blobs_.begin()->second.size();
    blobs_.erase(blobs_.begin());
  }
}

}  // namespace surety::fabric
