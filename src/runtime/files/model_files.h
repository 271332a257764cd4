// Checkpoint files: a model, and the per-sample state of chunks, as safetensors.
//
// model.safetensors has "parameters" and, for a pruned version, "parent", both flat as they are
// merged; the version is in the metadata. state-WORKER.safetensors has "chunk-ID" for each chunk
// with state.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "data/sources/chunk.h"
#include "learn/model.h"

namespace surety::proto {
class SavedFile;
}  // namespace surety::proto

namespace surety::runtime {

// Errors: those of posix::write_file_atomically().
[[nodiscard]] Result<proto::SavedFile> save_model(const std::filesystem::path& path,
                                                  const learn::Model& model);
// Errors: those of posix::read_file() and parse_model().
[[nodiscard]] Result<learn::Model> load_model(const std::filesystem::path& path);
// The model of a file with these bytes. `name` is for messages. Errors: those of read_safetensors()
// and floats_of(), and Corrupt if the version is missing, or if the average has another size than
// the parameters.
[[nodiscard]] Result<learn::Model> parse_model(const std::string& name, std::string_view bytes);

// Errors: those of posix::write_file_atomically().
[[nodiscard]] Result<proto::SavedFile> save_chunk_state(
    const std::filesystem::path& path, const std::map<ChunkId, data::Chunk>& chunks);
// The bytes of a file of a checkpoint. Corrupt if the file is missing, or if they are not those
// that were saved; Unavailable if the file cannot be read. A file of another size is not read.
[[nodiscard]] Result<std::string> read_saved_file(const proto::SavedFile& file);
// States of those chunks of `wanted` that the file has. Corrupt if the file's checksum differs: a
// wrong dual variable would make every later certificate wrong.
[[nodiscard]] Result<data::ChunkStates> load_chunk_states(const std::filesystem::path& path,
                                                          std::uint64_t checksum,
                                                          const std::vector<ChunkId>& wanted);
// The same from the bytes of a file. `name` is for the errors: those of read_safetensors() and
// floats_of().
[[nodiscard]] Result<data::ChunkStates> parse_chunk_states(const std::string& name,
                                                           std::string_view bytes,
                                                           const std::vector<ChunkId>& wanted);

}  // namespace surety::runtime
