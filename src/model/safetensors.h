// The safetensors format in memory: named tensors and text. Such a file cannot contain code.
//
// A file has 8 bytes N (little-endian), N bytes of JSON, and then the bytes of the tensors. The
// JSON maps each name to {"dtype", "shape", "data_offsets": [begin, end)}, and "__metadata__" to a
// map from text to text. As in the reference implementation, the header has at most 100 MB, and
// tensors fill the rest of the file without gap or overlap. Of the types, F32, I64 and U8 are
// supported.
//
// Bytes are little-endian, as on all machines that this code compiles for.
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

[[nodiscard]] std::size_t size_of(Dtype dtype);  // Bytes for each value.

// A view of one tensor: other code owns the bytes, and they need no alignment.
struct TensorView {
  Dtype dtype = Dtype::kF32;
  std::vector<std::uint64_t> shape;  // Row-major; {} is a scalar.
  std::span<const std::byte> bytes;
};

// The contents of a file. The views are valid as long as the bytes from which they were read.
struct Safetensors {
  std::map<std::string, TensorView> tensors;
  std::map<std::string, std::string> metadata;
};

// A tensor that views values of the caller.
[[nodiscard]] TensorView view_of(std::span<const float> values, std::vector<std::uint64_t> shape);
[[nodiscard]] TensorView view_of(std::span<const std::int64_t> values,
                                 std::vector<std::uint64_t> shape);
[[nodiscard]] TensorView view_of(std::span<const std::uint8_t> values,
                                 std::vector<std::uint64_t> shape);

// Adds to the metadata a checksum of all tensors and all other metadata, as "surety_checksum".
// Without it a damaged weight could not be recognised, because it looks like any other weight.
void seal(Safetensors& file);

// Writes wide types first, then by name, so that all tensors are aligned. Equal contents give equal
// bytes.
// REQUIRES: no tensor is called "__metadata__"; every tensor has as many bytes as its shape needs.
[[nodiscard]] std::vector<std::byte> write_safetensors(const Safetensors& file);

// `name` is for error messages. Corrupt: the bytes are not safetensors, are cut off or
// inconsistent, or were changed after they were sealed. InvalidInput: a type that is not supported.
// Copies no tensor; allocates only in proportion to the header.
[[nodiscard]] Result<Safetensors> read_safetensors(std::string_view name,
                                                   std::span<const std::byte> bytes);

// The values of a tensor of floats. InvalidInput if it is missing, or has another type.
[[nodiscard]] Result<std::vector<float>> floats_of(const Safetensors& file,
                                                   std::string_view tensor);

}  // namespace surety::model
