#include "datasets.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>
#include <vector>

namespace surety::bench {
namespace {

// Arrays follow one another: each has its length as a 64-bit number, then its values in this
// machine's memory layout.
template <typename T>
void write_array(std::ofstream& file, const std::pmr::vector<T>& values) {
  const std::uint64_t count = values.size();
  file.write(reinterpret_cast<const char*>(&count), sizeof count);
  file.write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(count * sizeof(T)));
}

template <typename T>
bool read_array(std::ifstream& file, std::pmr::vector<T>& values) {
  std::uint64_t count = 0;
  if (!file.read(reinterpret_cast<char*>(&count), sizeof count)) return false;
  values.resize(count);
  return static_cast<bool>(file.read(reinterpret_cast<char*>(values.data()),
                                     static_cast<std::streamsize>(count * sizeof(T))));
}

bool read_cached(const std::string& path, Dataset& set) {
  std::ifstream file(path, std::ios::binary);
  std::pmr::vector<std::uint32_t> head;
  if (!file || !read_array(file, head) || head.size() != 2) return false;
  set.schema.layout = static_cast<data::Layout>(head[0]);
  set.schema.width = set.schema.features = head[1];
  data::Samples& samples = set.samples;
  return read_array(file, samples.f32) && read_array(file, samples.index) &&
         read_array(file, samples.row_begin) && read_array(file, samples.label);
}

void write_cached(const std::string& path, const Dataset& set) {
  std::error_code error;  // A cache that cannot be written only costs time.
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const std::string beside = path + ".new";
  std::ofstream file(beside, std::ios::binary);
  write_array(file, std::pmr::vector<std::uint32_t>{static_cast<std::uint32_t>(set.schema.layout),
                                                    set.schema.features});
  write_array(file, set.samples.f32);
  write_array(file, set.samples.index);
  write_array(file, set.samples.row_begin);
  write_array(file, set.samples.label);
  file.close();
  if (file) std::filesystem::rename(beside, path, error);
}

}  // namespace

Result<Dataset> dataset(const std::string& name, std::uint32_t rows, const std::string& folder) {
  const std::string path = fmt::format("{}/{}-{}.bin", folder, name, rows);
  Dataset set{.name = name, .schema = {}, .samples = {}};
  if (read_cached(path, set)) return set;
  if (name == "text") {
    set = read_text(rows);
  } else if (name == "sparse") {
    set = draw_sparse(rows);
  } else if (name == "dense") {
    set = draw_dense(rows);
  } else {
    return fail(ErrorCode::kInvalidInput, "data set {}: expected text, sparse or dense", name);
  }
  write_cached(path, set);
  return set;
}

}  // namespace surety::bench
