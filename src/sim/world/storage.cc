#include "sim/world/storage.h"

#include <algorithm>
#include <span>

#include "base/checksum.h"
#include "orchestrator/history/journal.h"

namespace surety::sim {
namespace {

constexpr std::string_view kJournal = "journal.log";

std::uint64_t bytes_of(const learn::Model& model) {
  return 4 * (model.parameters.size() + model.parent.size() + model.velocity.size() +
              model.average.size());
}

std::uint64_t bytes_of(const data::ChunkStates& states) {
  std::uint64_t bytes = 0;
  for (const auto& [chunk, state] : states) bytes += 4 * state.size();
  return bytes;
}

}  // namespace

// ---- checkpoints --------------------------------------------------------------------------------

template <typename Content>
Result<proto::SavedFile> Checkpoints::put(const std::string& path, Content content,
                                          std::uint64_t bytes) {
  if (full_) return fail(ErrorCode::kUnavailable, "{}: no space left on device", path);
  files_[path] = File{std::move(content), false};
  proto::SavedFile saved;
  saved.set_path(path);
  saved.set_bytes(bytes);
  return saved;
}

Result<proto::SavedFile> Checkpoints::write(const std::string& path, learn::Model model) {
  const std::uint64_t bytes = bytes_of(model);
  return put(path, std::move(model), bytes);
}

Result<proto::SavedFile> Checkpoints::write(const std::string& path, data::ChunkStates states) {
  const std::uint64_t bytes = bytes_of(states);
  std::vector<std::uint32_t> chunks;
  for (const auto& [chunk, state] : states) chunks.push_back(chunk.value);
  SURETY_TRY(proto::SavedFile saved, put(path, std::move(states), bytes));
  for (const std::uint32_t chunk : chunks) saved.add_chunks(chunk);
  return saved;
}

void Checkpoints::corrupt(const std::string& path, bool quietly) {
  File& file = files_.at(path);
  auto* model = std::get_if<learn::Model>(&file.content);
  if (quietly && model != nullptr && !model->parameters.empty()) {
    model->parameters.front() += 1;
  } else {
    file.is_corrupt = true;
  }
}

template <typename Content>
Result<Content> Checkpoints::get(const std::string& path) const {
  const auto file = files_.find(path);
  if (file == files_.end()) return fail(ErrorCode::kUnavailable, "{}: no such file", path);
  if (file->second.is_corrupt || !std::holds_alternative<Content>(file->second.content)) {
    return fail(ErrorCode::kCorrupt, "{}: its bytes differ from those that were written", path);
  }
  return std::get<Content>(file->second.content);
}

Result<learn::Model> Checkpoints::model(const std::string& path) const {
  return get<learn::Model>(path);
}

Result<data::ChunkStates> Checkpoints::states(const std::string& path) const {
  return get<data::ChunkStates>(path);
}

void Checkpoints::remove_folder(const std::string& folder) {
  std::erase_if(files_, [&](const auto& entry) { return entry.first.starts_with(folder + "/"); });
}

std::vector<std::string> Checkpoints::paths() const {
  std::vector<std::string> paths;
  for (const auto& [path, file] : files_) paths.push_back(path);
  return paths;
}

// ---- journal ------------------------------------------------------------------------------------

JournalDisk::JournalDisk() {
  const auto magic = std::as_bytes(std::span(orchestrator::kJournalMagic));
  bytes_.assign(magic.begin(), magic.end());
  synced_ = bytes_.size();
}

bool JournalDisk::sync() {
  if (!std::exchange(must_sync_, false)) return false;
  synced_ = bytes_.size();
  return true;
}

Result<void> JournalDisk::append(const proto::JournalRecord& record) {
  if (full_) return fail(ErrorCode::kUnavailable, "{}: no space left on device", kJournal);
  const std::vector<std::byte> bytes = orchestrator::encode_record(record);
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  must_sync_ = must_sync_ || orchestrator::must_be_durable(record);
  return {};
}

void JournalDisk::crash(double share) {
  const auto torn = static_cast<double>(bytes_.size() - synced_);
  bytes_.resize(synced_ + static_cast<std::size_t>(share * torn));
  must_sync_ = false;
}

Result<std::vector<proto::JournalRecord>> JournalDisk::open() {
  SURETY_TRY(orchestrator::JournalContents contents,
             orchestrator::decode_journal(kJournal, bytes_));
  bytes_.resize(contents.valid_bytes);
  synced_ = bytes_.size();
  return std::move(contents.records);
}

}  // namespace surety::sim
