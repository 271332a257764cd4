// How anyone would read these files: what our readers are measured against.
#pragma once

#include <cstdint>
#include <string>

namespace surety::bench {

// What is compared between a reader and its peer: equal sums of equal files.
struct Sums {
  std::uint64_t samples = 0;
  double values = 0;  // Of all features that are there.
  double labels = 0;

  friend bool operator==(const Sums&, const Sums&) = default;
};

// Line by line through std::istringstream.
[[nodiscard]] Sums read_libsvm_by_streams(const std::string& path);

// Line by line, each cell cut out and given to std::strtof. The last column is the label.
[[nodiscard]] Sums read_csv_by_strtof(const std::string& path);

// Reads the file with std::fread into one buffer, again and again; returns the bytes. Takes nothing
// apart, keeps nothing, checks nothing: as fast as it gets.
[[nodiscard]] std::uint64_t read_by_fread(const std::string& path);

}  // namespace surety::bench
