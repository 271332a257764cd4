#include "peers.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <vector>

#include "base/check.h"

namespace surety::bench {

Sums read_libsvm_by_streams(const std::string& path) {
  std::ifstream file(path);
  Sums sums;
  for (std::string line; std::getline(file, line); ++sums.samples) {
    std::istringstream words(line);
    float label = 0;
    words >> label;
    sums.labels += static_cast<double>(label);
    std::uint32_t index = 0;
    char colon = 0;
    float value = 0;
    while (words >> index >> colon >> value) sums.values += static_cast<double>(value);
  }
  return sums;
}

Sums read_csv_by_strtof(const std::string& path) {
  std::ifstream file(path);
  Sums sums;
  std::string line;
  std::getline(file, line);
  for (; std::getline(file, line); ++sums.samples) {
    std::istringstream cells(line);
    float value = 0;
    for (std::string cell; std::getline(cells, cell, ',');) {
      value = std::strtof(cell.c_str(), nullptr);
      sums.values += static_cast<double>(value);
    }
    sums.values -= static_cast<double>(value);  // The last cell was the label.
    sums.labels += static_cast<double>(value);
  }
  return sums;
}

std::uint64_t read_by_fread(const std::string& path) {
  constexpr std::size_t kBlockBytes = 256 << 10;  // The buffer stays in the second-level cache.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  SURETY_CHECK(file != nullptr);
  std::vector<char> block(kBlockBytes);
  std::uint64_t bytes = 0;
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    bytes += count;
  }
  return bytes;
}

}  // namespace surety::bench
