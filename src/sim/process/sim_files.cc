#include "sim/process/sim_files.h"
#include "learn/model_checksum.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace surety::sim {

Result<std::vector<data::Chunk>> SimFiles::read_chunks(
    const std::vector<data::ChunkRange>& ranges) {
  std::vector<data::Chunk> chunks;
  for (const data::ChunkRange& range : ranges) {
    if (std::exchange(damages_, false)) {
      return fail(ErrorCode::kInvalidInput, "chunk {}: the source is damaged", range.id);
    }
    SURETY_TRY(chunks.emplace_back(), learner_.load(range));
  }
  return chunks;
}

std::string SimFiles::place_of(const data::ChunkRange& range) const {
  return fmt::format("chunk {}", range.id);
}

Result<learn::Model> SimFiles::load_model(const std::string& path) {
  return checkpoints_.model(path);
}

Result<data::ChunkStates> SimFiles::load_states(const std::string& path, std::uint64_t,
                                                const std::vector<ChunkId>& wanted) {
  SURETY_TRY(data::ChunkStates found, checkpoints_.states(path));
  std::erase_if(found, [&](const auto& entry) {
    return std::ranges::find(wanted, entry.first) == wanted.end();
  });
  return found;
}

Result<proto::SavedFile> SimFiles::save_model(const std::string& path, const learn::Model& model) {
  SURETY_TRY(proto::SavedFile file, checkpoints_.write(path, model));
  watch_.on_model_written(file.path(), learn::model_checksum(model));
  return file;
}

Result<proto::SavedFile> SimFiles::save_states(const std::string& path,
                                               const std::map<ChunkId, data::Chunk>& chunks) {
  data::ChunkStates states;
  for (const auto& [id, chunk] : chunks) {
    if (!chunk.state.empty()) states[id] = chunk.state;
  }
  return checkpoints_.write(path, std::move(states));
}

}  // namespace surety::sim
