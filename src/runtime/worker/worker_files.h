// The files of a worker process: data sources, and checkpoints in the folder of the run.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/sources/source_info.h"
#include "worker/operations/files.h"

namespace surety::runtime {

class WorkerFiles final : public worker::Files {
 public:
  // `memory` holds the samples and must outlive them. `data_root`: WorkerOptions::data_root.
  WorkerFiles(data::OpenFile open, std::optional<std::string> data_root,
              std::pmr::memory_resource* memory)
      : open_(std::move(open)), data_root_(std::move(data_root)), memory_(memory) {}

  // The worker ends: a read that is under way or begins later fails soon. Any thread may call this
  // function.
  void end() { ends_ = true; }

  void use_sources(const proto::Welcome& welcome) override;
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
  const data::OpenFile open_;
  const std::optional<std::string> data_root_;
  data::OpenFile open_source_;  // Opens the files of the sources on this machine.
  std::pmr::memory_resource* const memory_;
  std::atomic<bool> ends_ = false;
  std::vector<data::SourceInfo> sources_;  // Validation last, if it has a source of its own.
};

}  // namespace surety::runtime
