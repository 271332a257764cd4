// Simple ways to read these files: the peers of our readers.
#pragma once

#include <cstdint>
#include <string>

namespace surety::bench {

// The sums by which a reader and its peer are compared: the same file must give equal sums.
struct Sums {
  std::uint64_t samples = 0;
  double values = 0;  // Sum of all stored features.
  double labels = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
};

// Parses line by line with std::istringstream.
[[nodiscard]] Sums read_libsvm_by_streams(const std::string& path);

// Parses line by line, and gives each cell to std::strtof. The last column is the label.
[[nodiscard]] Sums read_csv_by_strtof(const std::string& path);

// Reads the file with std::fread repeatedly into the same buffer, and returns the number of bytes.
// It does not parse, keep or check the data, so it is the fastest possible reader.
[[nodiscard]] std::uint64_t read_by_fread(const std::string& path);

}  // namespace surety::bench
