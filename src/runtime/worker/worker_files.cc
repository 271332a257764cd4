#include "runtime/worker/worker_files.h"

#include <filesystem>
#include <system_error>

#include "proto/surety.pb.h"
#include "protocol/messages.h"
#include "runtime/files/model_files.h"
#include "runtime/worker/data_folder.h"

namespace surety::runtime {
namespace {

// A checkpoint that is missing or unreadable is not an error of the user's input. An older
// checkpoint may still be usable.
template <typename T>
Result<T> of_checkpoint(Result<T> read) {
  if (read || read.error().code != ErrorCode::kInvalidInput) return read;
  return fail(ErrorCode::kCorrupt, "{}", read.error().message);
}

Result<void> make_folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return fail(ErrorCode::kUnavailable,
                "{}: cannot create the folder of a checkpoint: {}; is the run's folder reachable "
                "and writable on this machine?",
                folder.string(), error.message());
  }
  return {};
}

}  // namespace

void WorkerFiles::use_sources(const proto::Welcome& welcome) {
  sources_.clear();
  for (const proto::Source& source : welcome.sources()) {
    sources_.push_back(protocol::from_proto(source));
  }
  if (welcome.has_validation()) sources_.push_back(protocol::from_proto(welcome.validation()));
  open_source_ = data_root_ ? opened_in(open_, common_folder(sources_), *data_root_) : open_;
}

Result<std::vector<data::Chunk>> WorkerFiles::read_chunks(
    const std::vector<data::ChunkRange>& ranges) {
  return data::load_chunks(sources_, ranges, open_source_, {.memory = memory_, .stop = &ends_});
}

std::string WorkerFiles::place_of(const data::ChunkRange& range) const {
  return data::place_of(sources_.at(range.source));
}

Result<learn::Model> WorkerFiles::load_model(const std::string& path) {
  return of_checkpoint(runtime::load_model(path));
}

Result<data::ChunkStates> WorkerFiles::load_states(const std::string& path, std::uint64_t checksum,
                                                   const std::vector<ChunkId>& wanted) {
  return of_checkpoint(load_chunk_states(path, checksum, wanted));
}

Result<proto::SavedFile> WorkerFiles::save_model(const std::string& path,
                                                 const learn::Model& model) {
  SURETY_TRY(make_folder_of(path));
  return runtime::save_model(path, model);
}

Result<proto::SavedFile> WorkerFiles::save_states(const std::string& path,
                                                  const std::map<ChunkId, data::Chunk>& chunks) {
  SURETY_TRY(make_folder_of(path));
  return save_chunk_state(path, chunks);
}

}  // namespace surety::runtime
