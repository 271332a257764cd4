#include "runtime/files/model_files.h"

#include "base/checksum.h"
#include "base/posix/file.h"
#include "base/random.h"
#include "model/safetensors.h"
#include "proto/surety.pb.h"

namespace surety::runtime {
namespace {

// No model of ours is larger. The file's size is checked before it is read.
constexpr std::uint64_t kModelFileBytesMax = 16ull << 30;

std::string tensor_name(ChunkId chunk) { return fmt::format("chunk-{}", chunk); }

Result<proto::SavedFile> write(const std::filesystem::path& path, const model::Safetensors& file) {
  const std::vector<std::byte> bytes = model::write_safetensors(file);
  SURETY_TRY(posix::write_file_atomically(path, bytes));
  proto::SavedFile saved;
  saved.set_path(path.string());
  saved.set_checksum(checksum(bytes));
  saved.set_bytes(bytes.size());
  return saved;
}

// The bytes of the file, if they have this checksum.
Result<std::string> read_checked(const std::filesystem::path& path, std::uint64_t expected) {
  SURETY_TRY(std::string text, posix::read_file(path, kModelFileBytesMax));
  const std::uint64_t found = checksum(std::as_bytes(std::span(text)));
  if (found == expected) return text;
  return fail(ErrorCode::kCorrupt, "{}: found checksum {:016x}, expected {:016x}", path.string(),
              found, expected);
}

}  // namespace

Result<proto::SavedFile> save_model(const std::filesystem::path& path, const learn::Model& model) {
  model::Safetensors file;
  file.tensors["parameters"] = model::view_of(model.parameters, {model.parameters.size()});
  if (!model.parent.empty()) {
    file.tensors["parent"] = model::view_of(model.parent, {model.parent.size()});
  }
  if (!model.velocity.empty()) {
    file.tensors["velocity"] = model::view_of(model.velocity, {model.velocity.size()});
  }
  if (!model.average.empty()) {
    file.tensors["average"] = model::view_of(model.average, {model.average.size()});
  }
  file.metadata["version"] = model.version;
  return write(path, file);
}

Result<learn::Model> load_model(const std::filesystem::path& path) {
  SURETY_TRY(const std::string text, posix::read_file(path, kModelFileBytesMax));
  return parse_model(path.string(), text);
}

Result<learn::Model> parse_model(const std::string& name, std::string_view bytes) {
  SURETY_TRY(const model::Safetensors file,
             model::read_safetensors(name, std::as_bytes(std::span(bytes))));
  const auto floats = [&](const char* tensor) -> Result<std::vector<float>> {
    auto values = model::floats_of(file, tensor);
    if (!values) return fail_in(values.error(), "{}", name);
    return values;
  };
  learn::Model model;
  SURETY_TRY(model.parameters, floats("parameters"));
  if (file.tensors.contains("parent")) {
    SURETY_TRY(model.parent, floats("parent"));
  }
  if (file.tensors.contains("velocity")) {
    SURETY_TRY(model.velocity, floats("velocity"));
  }
  if (file.tensors.contains("average")) {
    SURETY_TRY(model.average, floats("average"));
    if (model.average.size() != model.parameters.size()) {
      return fail(ErrorCode::kCorrupt,
                  "{}: found an average of {} values, expected {}, one for each parameter", name,
                  model.average.size(), model.parameters.size());
    }
  }
  const auto version = file.metadata.find("version");
  if (version == file.metadata.end()) {
    return fail(ErrorCode::kCorrupt, "{}: its metadata has no version", name);
  }
  model.version = version->second;
  return model;
}

Result<proto::SavedFile> save_chunk_state(const std::filesystem::path& path,
                                          const std::map<ChunkId, data::Chunk>& chunks) {
  model::Safetensors file;
  for (const auto& [id, chunk] : chunks) {
    if (chunk.state.empty()) continue;
    file.tensors[tensor_name(id)] = model::view_of(chunk.state, {chunk.state.size()});
  }
  SURETY_TRY(proto::SavedFile saved, write(path, file));
  for (const auto& [id, chunk] : chunks) {
    if (!chunk.state.empty()) saved.add_chunks(id.value);
  }
  return saved;
}

Result<std::string> read_saved_file(const proto::SavedFile& file) {
  std::error_code error;
  const std::uintmax_t bytes = std::filesystem::file_size(file.path(), error);
  if (error == std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::kCorrupt, "{}: the file is missing", file.path());
  }
  if (!error && bytes != file.bytes()) {
    return fail(ErrorCode::kCorrupt, "{}: found {} bytes, expected {}", file.path(), bytes,
                file.bytes());
  }
  Result<std::string> read = read_checked(file.path(), file.checksum());
  // The file exists, but it cannot be read now.
  const bool is_unreadable = !read && read.error().code == ErrorCode::kInvalidInput;
  if (is_unreadable) return fail(ErrorCode::kUnavailable, "{}", read.error().message);
  return read;
}

Result<data::ChunkStates> load_chunk_states(const std::filesystem::path& path,
                                            std::uint64_t checksum,
                                            const std::vector<ChunkId>& wanted) {
  SURETY_TRY(const std::string bytes, read_checked(path, checksum));
  return parse_chunk_states(path.string(), bytes, wanted);
}

Result<data::ChunkStates> parse_chunk_states(const std::string& name, std::string_view bytes,
                                             const std::vector<ChunkId>& wanted) {
  SURETY_TRY(const model::Safetensors file,
             model::read_safetensors(name, std::as_bytes(std::span(bytes))));
  data::ChunkStates states;
  for (const ChunkId chunk : wanted) {
    if (!file.tensors.contains(tensor_name(chunk))) continue;
    SURETY_TRY(states[chunk], model::floats_of(file, tensor_name(chunk)));
  }
  return states;
}

}  // namespace surety::runtime
