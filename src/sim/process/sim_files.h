// The files and data sources of a simulated worker: the checkpoints that all workers share, and
// chunks that its learner makes. A source may be damaged.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "sim/learning/learner.h"
#include "sim/world/storage.h"
#include "sim/world/watch.h"
#include "worker/operations/files.h"

namespace surety::sim {

class SimFiles final : public worker::Files {
 public:
  // The arguments must outlive this.
  SimFiles(const Learner& learner, Checkpoints& checkpoints, Watch& watch)
      : learner_(learner), checkpoints_(checkpoints), watch_(watch) {}

  // The next chunk that it reads is damaged.
  void damage_next_chunk() { damages_ = true; }

  void use_sources(const proto::Welcome& welcome) override { static_cast<void>(welcome); }
  [[nodiscard]] Result<std::vector<data::Chunk>> read_chunks(
      const std::vector<data::ChunkRange>& ranges) override;
  [[nodiscard]] std::string place_of(const data::ChunkRange& range) const override;
  [[nodiscard]] Result<learn::Model> load_model(const std::string& path) override;
  [[nodiscard]] Result<data::ChunkStates> load_states(const std::string& path,
                                                      std::uint64_t checksum,
                                                      const std::vector<ChunkId>& wanted) override;
  [[nodiscard]] Result<proto::SavedFile> save_model(const std::string& path,
                                                    const learn::Model& model) override;
  [[nodiscard]] Result<proto::SavedFile> save_states(
      const std::string& path, const std::map<ChunkId, data::Chunk>& chunks) override;

 private:
  const Learner& learner_;
  Checkpoints& checkpoints_;
  Watch& watch_;
  bool damages_ = false;
};

}  // namespace surety::sim
