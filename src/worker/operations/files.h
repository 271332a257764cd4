// The files and data sources that a worker reads and writes. Background computations (host.h) call
// these functions. So calls come from another thread than that of the machine, one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "learn/model.h"

namespace surety::proto {
class SavedFile;
class Welcome;
}  // namespace surety::proto

namespace surety::worker {

class Files {
 public:
  virtual ~Files() = default;

  // The sources that the coordinator names. Called by the machine while no computation is under
  // way.
  virtual void use_sources(const proto::Welcome& welcome) = 0;
  // Errors as those of data::load_chunks().
  [[nodiscard]] virtual Result<std::vector<data::Chunk>> read_chunks(
      const std::vector<data::ChunkRange>& ranges) = 0;
  // Names the source and the range, for error messages.
  [[nodiscard]] virtual std::string place_of(const data::ChunkRange& range) const = 0;

  // Corrupt: the file is damaged. Unavailable: it cannot be read.
  [[nodiscard]] virtual Result<learn::Model> load_model(const std::string& path) = 0;
  // States of those chunks of `wanted` that the file has. Corrupt: it is not the saved file.
  [[nodiscard]] virtual Result<data::ChunkStates> load_states(
      const std::string& path, std::uint64_t checksum, const std::vector<ChunkId>& wanted) = 0;
  // save_model() and save_states() create the folder. Unavailable: the disk is full, or the folder
  // cannot be written.
  [[nodiscard]] virtual Result<proto::SavedFile> save_model(const std::string& path,
                                                            const learn::Model& model) = 0;
  [[nodiscard]] virtual Result<proto::SavedFile> save_states(
      const std::string& path, const std::map<ChunkId, data::Chunk>& chunks) = 0;
};

}  // namespace surety::worker
