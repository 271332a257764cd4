#include "model/safetensors.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/checksum.h"
#include "base/json/parse_json.h"
#include "base/random.h"
#include "base/text.h"

namespace surety::model {
namespace {

using Json = nlohmann::json;

// The limit of the reference implementation.
constexpr std::uint64_t kHeaderBytesMax = 100'000'000;
constexpr std::size_t kPrefixBytes = 8;
constexpr std::size_t kAlignment = 8;
constexpr const char* kMetadata = "__metadata__";
constexpr const char* kSeal = "surety_checksum";
constexpr std::size_t kSealBytesMax = 40;  // Bytes of a wrong checksum that a message shows.

const char* name_of(Dtype dtype) {
  return dtype == Dtype::kF32 ? "F32" : dtype == Dtype::kI64 ? "I64" : "U8";
}

std::optional<Dtype> dtype_of(std::string_view name) {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kI64, Dtype::kU8}) {
    if (name == name_of(dtype)) return dtype;
  }
  return std::nullopt;
}

// Checksum of all contents of the file, except the checksum itself.
std::string checksum_of_all(const Safetensors& file) {
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t one) { sum = mix64(sum ^ one); };
  for (const auto& [name, tensor] : file.tensors) {
    add(checksum_of(std::span(name)));
    add(checksum_of(std::span(tensor.shape)));
    add(checksum(tensor.bytes));
  }
  for (const auto& [key, text] : file.metadata) {
    if (key == kSeal) continue;
    add(checksum_of(std::span(key)));
    add(checksum_of(std::span(text)));
  }
  return fmt::format("{:016x}", sum);
}

// The number of bytes, or nullopt if it does not fit into 63 bits.
std::optional<std::uint64_t> bytes_of(Dtype dtype, const std::vector<std::uint64_t>& shape) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t bytes = size_of(dtype);
  if (std::ranges::find(shape, std::uint64_t{0}) != shape.end()) return 0;
  for (const std::uint64_t side : shape) {
    if (bytes > kMax / side) return std::nullopt;
    bytes *= side;
  }
  return bytes;
}

using TensorEntry = std::pair<const std::string, TensorView>;

// The tensors in the order of the file.
std::vector<const TensorEntry*> ordered(const Safetensors& file) {
  std::vector<const TensorEntry*> entries;
  for (const TensorEntry& entry : file.tensors) entries.push_back(&entry);
  std::ranges::stable_sort(entries, std::ranges::greater{},
                           [](const TensorEntry* entry) { return size_of(entry->second.dtype); });
  return entries;
}

std::string header_of(const Safetensors& file, const std::vector<const TensorEntry*>& entries) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!file.metadata.empty()) header[kMetadata] = file.metadata;
  std::uint64_t offset = 0;
  for (const TensorEntry* entry : entries) {
    const TensorView& tensor = entry->second;
    SURETY_CHECK(entry->first != kMetadata);
    SURETY_CHECK(bytes_of(tensor.dtype, tensor.shape) == tensor.bytes.size());
    const std::uint64_t end = offset + tensor.bytes.size();
    header[entry->first] = {
        {"dtype", name_of(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
    offset = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kAlignment - (kPrefixBytes + text.size()) % kAlignment) % kAlignment, ' ');
  SURETY_CHECK(text.size() <= kHeaderBytesMax);
  return text;
}

// Reads one file. Every error names the file and, once known, the tensor.
class Reader {
 public:
  Reader(std::string_view name, std::span<const std::byte> bytes) : name_(name), bytes_(bytes) {}

  Result<Safetensors> read();

 private:
  Result<std::string_view> header_text() const;
  Result<Json> parse(std::string_view text) const;
  Result<void> read_metadata(const Json& json);
  Result<void> read_tensor(const std::string& tensor, const Json& json);
  Result<std::vector<std::uint64_t>> numbers(const std::string& tensor, const Json& json,
                                             const char* key) const;
  Result<void> check_cover() const;
  Result<void> check_seal() const;

  std::string_view name_;
  std::span<const std::byte> bytes_;
  std::span<const std::byte> data_;  // The bytes after the header.
  Safetensors file_;
  // Names of tensors by [begin, end).
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> ranges_;
  std::uint64_t covered_ = 0;
};

// For error messages: a shape in a file may have any number of sizes.
std::string list_of(const std::vector<std::uint64_t>& sizes) {
  return excerpt(fmt::format("{}", fmt::join(sizes, ", ")));
}

Result<std::string_view> Reader::header_text() const {
  if (bytes_.size() < kPrefixBytes) {
    return fail(ErrorCode::kCorrupt, "{}: found {} bytes, expected at least 8", name_,
                bytes_.size());
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes_.data(), kPrefixBytes);
  const std::uint64_t limit =
      std::min<std::uint64_t>(kHeaderBytesMax, bytes_.size() - kPrefixBytes);
  if (length > limit) {
    return fail(ErrorCode::kCorrupt, "{}: found a header of {} bytes, expected at most {}", name_,
                length, limit);
  }
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()) + kPrefixBytes, length);
}

Result<Json> Reader::parse(std::string_view text) const {
  Result<Json> json = parse_json<Json>(text);
  if (!json) return fail(ErrorCode::kCorrupt, "{}: the header: {}", name_, json.error().message);
  if (!json->is_object()) {
    return fail(ErrorCode::kCorrupt, "{}: the header is not a JSON object", name_);
  }
  return json;
}

Result<void> Reader::read_metadata(const Json& json) {
  if (!json.is_object()) {
    return fail(ErrorCode::kCorrupt, "{}: {} is not a JSON object", name_, kMetadata);
  }
  for (const auto& [key, value] : json.items()) {
    if (!value.is_string()) {
      return fail(ErrorCode::kCorrupt, "{}: {}: '{}' is not a string", name_, kMetadata,
                  excerpt(key));
    }
    file_.metadata[key] = value.get<std::string>();
  }
  return {};
}

Result<std::vector<std::uint64_t>> Reader::numbers(const std::string& tensor, const Json& json,
                                                   const char* key) const {
  const auto found = json.find(key);
  const auto is_number = [](const Json& value) { return value.is_number_unsigned(); };
  if (found == json.end() || !found->is_array() || !std::ranges::all_of(*found, is_number)) {
    return fail(ErrorCode::kCorrupt, "{}: tensor '{}': '{}' is not a list of sizes", name_,
                excerpt(tensor), key);
  }
  return found->get<std::vector<std::uint64_t>>();
}

Result<void> Reader::read_tensor(const std::string& tensor, const Json& json) {
  const auto dtype_text = json.is_object() ? json.find("dtype") : json.end();
  if (!json.is_object() || dtype_text == json.end() || !dtype_text->is_string()) {
    return fail(ErrorCode::kCorrupt, "{}: tensor '{}' has no dtype", name_, excerpt(tensor));
  }
  const std::optional<Dtype> dtype = dtype_of(dtype_text->get_ref<const std::string&>());
  if (!dtype) {
    return fail(ErrorCode::kInvalidInput,
                "{}: tensor '{}': found dtype {}, expected F32, I64 or U8", name_, excerpt(tensor),
                excerpt(dtype_text->get_ref<const std::string&>()));
  }
  SURETY_TRY(std::vector<std::uint64_t> shape, numbers(tensor, json, "shape"));
  SURETY_TRY(const std::vector<std::uint64_t> range, numbers(tensor, json, "data_offsets"));
  if (range.size() != 2 || range[0] > range[1] || range[1] > data_.size()) {
    return fail(ErrorCode::kCorrupt, "{}: tensor '{}': found offsets [{}], expected two within {}",
                name_, excerpt(tensor), list_of(range), data_.size());
  }
  const std::uint64_t size = range[1] - range[0];
  if (bytes_of(*dtype, shape) != size) {
    return fail(ErrorCode::kCorrupt, "{}: tensor '{}': found {} bytes for shape [{}] of {}", name_,
                excerpt(tensor), size, list_of(shape), name_of(*dtype));
  }
  covered_ += size;
  ranges_.emplace(std::pair(range[0], range[1]), tensor);
  file_.tensors[tensor] = {*dtype, std::move(shape), data_.subspan(range[0], size)};
  return {};
}

// Checks the ranges in order of their beginnings: each must begin at the end of the one before,
// even if it is empty. Equal ranges are stored only once here, so the sum of all sizes must also be
// the whole size.
Result<void> Reader::check_cover() const {
  std::uint64_t end = 0;
  for (const auto& [range, tensor] : ranges_) {
    if (range.first != end) {
      return fail(ErrorCode::kCorrupt, "{}: tensor '{}' begins at byte {}, expected {}", name_,
                  excerpt(tensor), range.first, end);
    }
    end = range.second;
  }
  if (end != data_.size() || covered_ != end) {
    return fail(ErrorCode::kCorrupt, "{}: found {} bytes of tensors, expected {}", name_, covered_,
                data_.size());
  }
  return {};
}

Result<void> Reader::check_seal() const {
  const auto sealed = file_.metadata.find(kSeal);
  if (sealed == file_.metadata.end()) return {};
  const std::string found = checksum_of_all(file_);
  if (found == sealed->second) return {};
  return fail(ErrorCode::kCorrupt,
              "{}: found checksum {}, expected {} from its metadata: the file was changed or "
              "damaged after it was written. Use an intact copy of it, or train again",
              name_, found, sealed->second.substr(0, kSealBytesMax));
}

Result<Safetensors> Reader::read() {
  SURETY_TRY(const std::string_view text, header_text());
  data_ = bytes_.subspan(kPrefixBytes + text.size());
  SURETY_TRY(const Json header, parse(text));
  for (const auto& [key, value] : header.items()) {
    if (key == kMetadata) {
      SURETY_TRY(read_metadata(value));
    } else {
      SURETY_TRY(read_tensor(key, value));
    }
  }
  SURETY_TRY(check_cover());
  SURETY_TRY(check_seal());
  return std::move(file_);
}

template <typename T>
TensorView view(std::span<const T> values, Dtype dtype, std::vector<std::uint64_t> shape) {
  SURETY_CHECK(bytes_of(dtype, shape) == values.size_bytes());
  return {dtype, std::move(shape), std::as_bytes(values)};
}

}  // namespace

std::size_t size_of(Dtype dtype) { return dtype == Dtype::kF32 ? 4 : dtype == Dtype::kI64 ? 8 : 1; }

TensorView view_of(std::span<const float> values, std::vector<std::uint64_t> shape) {
  return view(values, Dtype::kF32, std::move(shape));
}
TensorView view_of(std::span<const std::int64_t> values, std::vector<std::uint64_t> shape) {
  return view(values, Dtype::kI64, std::move(shape));
}
TensorView view_of(std::span<const std::uint8_t> values, std::vector<std::uint64_t> shape) {
  return view(values, Dtype::kU8, std::move(shape));
}

void seal(Safetensors& file) { file.metadata[kSeal] = checksum_of_all(file); }

std::vector<std::byte> write_safetensors(const Safetensors& file) {
  const std::vector<const TensorEntry*> entries = ordered(file);
  const std::string header = header_of(file, entries);
  const std::uint64_t length = header.size();
  std::vector<std::byte> bytes(kPrefixBytes);
  std::memcpy(bytes.data(), &length, kPrefixBytes);
  std::size_t size = kPrefixBytes + header.size();
  for (const TensorEntry* entry : entries) size += entry->second.bytes.size();
  bytes.reserve(size);
  std::ranges::copy(std::as_bytes(std::span(header)), std::back_inserter(bytes));
  for (const TensorEntry* entry : entries) {
    bytes.insert(bytes.end(), entry->second.bytes.begin(), entry->second.bytes.end());
  }
  return bytes;
}

Result<Safetensors> read_safetensors(std::string_view name, std::span<const std::byte> bytes) {
  return Reader(name, bytes).read();
}

Result<std::vector<float>> floats_of(const Safetensors& file, std::string_view tensor) {
  const auto found = file.tensors.find(std::string(tensor));
  if (found == file.tensors.end()) {
    return fail(ErrorCode::kInvalidInput, "found no tensor '{}'", tensor);
  }
  const TensorView& view = found->second;
  if (view.dtype != Dtype::kF32) {
    return fail(ErrorCode::kInvalidInput, "tensor '{}': found {}, expected {}", tensor,
                name_of(view.dtype), name_of(Dtype::kF32));
  }
  std::vector<float> values(view.bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), view.bytes.data(), view.bytes.size());
  return values;
}

}  // namespace surety::model
