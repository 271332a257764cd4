// The safetensors format, in memory: named tensors and text, with nothing in it that can run code.
//
// 8 bytes N (little-endian), N bytes of JSON, then the tensors' bytes. The JSON maps each name to
// {"dtype", "shape", "data_offsets": [begin, end)} and "__metadata__" to text by text. As in the
// reference implementation, the header is at most 100 MB, and tensors fill the rest of the file
// without gap or overlap. Of its types we know F32, I64 and U8.
//
// Bytes are little-endian; so are the machines that this code compiles for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace surety::model {

enum class Dtype { kF32, kI64, kU8 };

[[nodiscard]] std::size_t size_of(Dtype dtype);  // In bytes.

// One tensor, seen: the bytes belong to somebody else and need no alignment.
struct TensorView {
  Dtype dtype = Dtype::kF32;
  std::vector<std::uint64_t> shape;  // Row-major; {} is a scalar.
  std::span<const std::byte> bytes;
};

// What a file holds. Views: valid as long as the bytes they were read from.
struct Safetensors {
  std::map<std::string, TensorView> tensors;
  std::map<std::string, std::string> metadata;
};

// A tensor over values that stay the caller's.
[[nodiscard]] TensorView view_of(std::span<const float> values, std::vector<std::uint64_t> shape);
[[nodiscard]] TensorView view_of(std::span<const std::int64_t> values,
                                 std::vector<std::uint64_t> shape);
[[nodiscard]] TensorView view_of(std::span<const std::uint8_t> values,
                                 std::vector<std::uint64_t> shape);

// Puts a checksum of all tensors and all other metadata into the metadata, as "surety_checksum". A
// damaged weight looks like any other one: without it nobody would notice.
void seal(Safetensors& file);

// Wide types first, then by name, so that all are aligned: equal contents give equal bytes.
// REQUIRES: no tensor is called "__metadata__"; every tensor has the bytes its shape says.
[[nodiscard]] std::vector<std::byte> write_safetensors(const Safetensors& file);

// `name` is for error messages. Corrupt: not safetensors, or cut off, or inconsistent, or sealed
// and changed since; InvalidInput: a type that we do not know. Copies no tensor; allocates no more
// than in proportion to the header.
[[nodiscard]] Result<Safetensors> read_safetensors(std::string_view name,
                                                   std::span<const std::byte> bytes);

// The values of one tensor. InvalidInput: absent, another type, or another number of values.
[[nodiscard]] Result<std::vector<float>> floats_of(const Safetensors& file,
                                                   std::string_view tensor);
[[nodiscard]] Result<std::vector<std::int64_t>> integers_of(const Safetensors& file,
                                                            std::string_view tensor);

}  // namespace surety::model
