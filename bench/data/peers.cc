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
  std::vector<float> labels, values;
  std::vector<std::uint32_t> indices;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    float label = 0;
    words >> label;
    labels.push_back(label);
    std::uint32_t index = 0;
    char colon = 0;
    float value = 0;
    while (words >> index >> colon >> value) {
      indices.push_back(index - 1);
      values.push_back(value);
    }
  }
  Sums sums{.samples = labels.size()};
  for (const float value : values) sums.values += static_cast<double>(value);
  for (const float label : labels) sums.labels += static_cast<double>(label);
  return sums;
}

Sums read_csv_by_strtof(const std::string& path) {
  std::ifstream file(path);
  std::vector<float> labels, values;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) {
      values.push_back(std::strtof(cell.c_str(), nullptr));
    }
    labels.push_back(values.back());
    values.pop_back();
  }
  Sums sums{.samples = labels.size()};
  for (const float value : values) sums.values += static_cast<double>(value);
  for (const float label : labels) sums.labels += static_cast<double>(label);
  return sums;
}

std::uint64_t read_by_fread(const std::string& path) {
  constexpr std::size_t kBlockBytes = 256 << 10;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  SURETY_CHECK(file != nullptr);
  std::vector<char> all;
  std::vector<char> block(kBlockBytes);
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    all.insert(all.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return all.size();
}

}  // namespace surety::bench
