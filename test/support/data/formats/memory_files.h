// Files in memory for readers: for tests and fuzzers.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/reader.h"
#include "test/support/base/memory_source.h"

namespace surety::data {

// An OpenFile for these files, by path. A missing file is InvalidInput.
[[nodiscard]] inline OpenFile memory_files(std::map<std::string, std::string> files) {
  return [files =
              std::move(files)](const std::string& path) -> Result<std::unique_ptr<ByteSource>> {
    const auto file = files.find(path);
    if (file == files.end()) return fail(ErrorCode::kInvalidInput, "{}: no such file", path);
    const auto bytes = std::as_bytes(std::span(file->second));
    return std::make_unique<MemorySource>(path, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
}

}  // namespace surety::data
