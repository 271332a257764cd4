// bench_data [--only MEASURE] [--quick] [--out FILE]: how fast readers turn files into samples.
//
//   libsvm, csv          MB of the file per CPU second, over a parser of streams
//   idx, cifar10, npy    the same, over a bare fread loop, which checks nothing and knows no
//                        records
//   digits               images drawn per CPU second; no peer
//
// Files are generated with the same bytes on every machine, and are in the page cache. Exits with 1
// if a reader and its peer do not see the same numbers.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "base/check.h"
#include "base/posix/file.h"
#include "base/random.h"
#include "bench/report.h"
#include "data/formats/open_reader.h"
#include "data/generators/digits.h"
#include "data/posix/open.h"
#include "data/url.h"
#include "peers.h"
#include "test/support/base/posix/cpu_time.h"
#include "test/support/data/formats/file_builders.h"

namespace {

using namespace surety;

constexpr std::size_t kBlockSamples = 1024;  // The block size of inspect().

// A temporary folder; the destructor deletes it.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = std::filesystem::temp_directory_path() / "surety_bench_XXXXXX";
    SURETY_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Writes a file; returns its path.
  [[nodiscard]] std::string write(const std::string& name, const std::string& bytes) const {
    const auto written = posix::write_file_atomically(path_ / name, bytes);
    SURETY_CHECK(written.has_value());
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

// Adds the values of a block to the sums.
void add_up(const data::Samples& block, bench::Sums& sums) {
  for (const std::uint8_t value : block.u8) sums.values += value;
  for (const float value : block.f32) sums.values += static_cast<double>(value);
  for (const float label : block.label) sums.labels += static_cast<double>(label);
}

// Reads the whole source block by block, and calls `use` with each block.
Result<std::uint64_t> read_source(const std::string& text,
                                  const std::function<void(const data::Samples&)>& use) {
  SURETY_TRY(const data::SourceUrl url, data::parse_url(text));
  SURETY_TRY(const auto reader, data::open_reader(url, data::local_files()));
  std::uint64_t samples = 0;
  data::Samples block;
  while (true) {
    block = data::Samples();
    SURETY_TRY(const std::size_t count, reader->read(kBlockSamples, block));
    if (count == 0) return samples;
    samples += count;
    use(block);
  }
}

struct Case {
  std::string measure;
  std::string unit;
  std::string url;
  double amount = 0;  // The amount that is read, in `unit`.
  bench::Sums expected;
  std::string peer_name;       // Empty means that there is no peer.
  std::function<bool()> peer;  // Reads the same file; returns false if it saw other numbers.
};

// CPU seconds of one call, at least a microsecond, so that toy sizes cause no division by zero.
double seconds_of(const std::function<void()>& work) {
  const double begin_s = posix::process_cpu_seconds();
  work();
  return std::max(posix::process_cpu_seconds() - begin_s, 1e-6);
}

bool about_equal(const bench::Sums& a, const bench::Sums& b) {
  const auto close = [](double x, double y) {
    return std::abs(x - y) <= 1e-9 * (std::abs(x) + std::abs(y));
  };
  return a.samples == b.samples && close(a.values, b.values) && close(a.labels, b.labels);
}

// Checks that the reader and its peer see the same numbers. This also warms up both.
Result<void> verify(const Case& work) {
  bench::Sums sums;
  SURETY_TRY(sums.samples,
             read_source(work.url, [&sums](const auto& block) { add_up(block, sums); }));
  if (about_equal(sums, work.expected) && (!work.peer || work.peer())) return {};
  return fail(ErrorCode::kCorrupt,
              "reader and peer saw different numbers: {} samples with values of {} and labels of "
              "{}, expected {}, {} and {}",
              sums.samples, sums.values, sums.labels, work.expected.samples, work.expected.values,
              work.expected.labels);
}

// Measures the reader and the peer in turn, so that other work of the machine affects both.
Result<bench::Row> measure(const Case& work, int runs) {
  SURETY_TRY(verify(work));
  bench::Row row;
  row.measure = work.measure;
  row.unit = work.unit + " per CPU s";
  for (int run = 0; run < runs; ++run) {
    Result<std::uint64_t> samples;
    const double ours_s = seconds_of([&] { samples = read_source(work.url, [](const auto&) {}); });
    if (!samples) return tl::unexpected(samples.error());
    row.ours.push_back(work.amount / ours_s);
    if (!work.peer) continue;
    const double peer_s = seconds_of([&] { SURETY_CHECK(work.peer()); });
    row.peers[work.peer_name].push_back(work.amount / peer_s);
  }
  return row;
}

// A case whose peer returns the sums of its data: those of the reader must be equal.
Case text_case(std::string measure, std::string url, const std::string& path,
               bench::Sums (*peer)(const std::string&), std::string peer_name) {
  const bench::Sums expected = peer(path);
  return {.measure = std::move(measure),
          .unit = "MB",
          .url = std::move(url),
          .amount = static_cast<double>(std::filesystem::file_size(path)) / 1e6,
          .expected = expected,
          .peer_name = std::move(peer_name),
          .peer = [path, peer, expected] { return peer(path) == expected; }};
}

Case libsvm_case(const TemporaryFolder& folder, bool quick) {
  Random random(1);
  std::string text;
  for (int row = 0; row < (quick ? 200 : 100'000); ++row) {
    text += random.below(2) == 0 ? "-1" : "+1";
    std::uint64_t index = 0;
    for (int i = 0; i < 14; ++i) {
      index += 1 + random.below(20);
      text += fmt::format(" {}:{:.6g}", index, random.uniform());
    }
    text += '\n';
  }
  const std::string path = folder.write("rows.libsvm", text);
  return text_case("libsvm", "libsvm://" + path, path, &bench::read_libsvm_by_streams,
                   "istringstream");
}

Case csv_case(const TemporaryFolder& folder, bool quick) {
  Random random(2);
  std::string text;
  for (int i = 0; i < 30; ++i) text += fmt::format("x{},", i);
  text += "y\n";
  for (int row = 0; row < (quick ? 100 : 50'000); ++row) {
    for (int i = 0; i < 30; ++i) text += fmt::format("{:.5g},", random.normal());
    text += fmt::format("{}\n", random.below(2));
  }
  const std::string path = folder.write("table.csv", text);
  return text_case("csv", "csv://" + path + "?label=y", path, &bench::read_csv_by_strtof,
                   "getline and strtof");
}

// A case with a binary file, whose peer only copies bytes.
Case binary_case(std::string measure, std::string url, const std::string& path,
                 const bench::Sums& expected) {
  const std::uint64_t bytes = std::filesystem::file_size(path);
  return {.measure = std::move(measure),
          .unit = "MB",
          .url = std::move(url),
          .amount = static_cast<double>(bytes) / 1e6,
          .expected = expected,
          .peer_name = "fread loop",
          .peer = [path, bytes] { return bench::read_by_fread(path) == bytes; }};
}

bench::Sums sums_of_labels(const std::string& labels) {
  bench::Sums sums{.samples = labels.size()};
  for (const char label : labels) sums.labels += label;
  return sums;
}

double sum_of_bytes(std::string_view bytes) {
  double sum = 0;
  for (const char byte : bytes) sum += static_cast<unsigned char>(byte);
  return sum;
}

Case idx_case(const TemporaryFolder& folder, bool quick) {
  const std::uint32_t records = quick ? 100 : 60'000;
  const std::string labels = data::random_bytes(records, 10, 1);
  const std::string images = data::random_bytes(std::size_t{records} * 784, 256, 2);
  bench::Sums expected = sums_of_labels(labels);
  expected.values = sum_of_bytes(images);
  const std::string path = folder.write("images", data::idx_file({records, 28, 28}, images));
  const std::string labels_path = folder.write("labels", data::idx_file({records}, labels));
  return binary_case("idx", "idx://" + path + "?labels=" + labels_path, path, expected);
}

Case cifar10_case(const TemporaryFolder& folder, bool quick) {
  const std::size_t records = quick ? 20 : 15'000;
  const std::string file = data::cifar10_file(records, 1);
  std::string labels;
  for (std::size_t i = 0; i < records; ++i) labels += file[i * 3073];
  bench::Sums expected = sums_of_labels(labels);
  expected.values = sum_of_bytes(file) - expected.labels;
  const std::string path = folder.write("batch.bin", file);
  return binary_case("cifar10", "cifar10://" + path, path, expected);
}

Case npy_case(const TemporaryFolder& folder, bool quick) {
  const std::size_t records = quick ? 100 : 100'000;
  constexpr std::size_t kFeatures = 100;
  const std::string labels = data::random_bytes(records, 10, 1);
  bench::Sums expected = sums_of_labels(labels);
  Random random(3);
  std::vector<float> values(records * kFeatures);
  for (float& value : values) {
    value = static_cast<float>(random.uniform());
    expected.values += static_cast<double>(value);
  }
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * 4);
  const std::string path = folder.write(
      "x.npy", data::npy_file(
                   data::npy_header_text("<f4", fmt::format("{}, {}", records, kFeatures)), bytes));
  const std::string labels_path = folder.write(
      "y.npy", data::npy_file(data::npy_header_text("|u1", fmt::format("{},", records)), labels));
  return binary_case("npy", "npy://" + path + "?labels=" + labels_path, path, expected);
}

Case digits_case(const TemporaryFolder&, bool quick) {
  const std::uint64_t images = quick ? 100 : 20'000;
  bench::Sums expected{.samples = images};
  for (std::uint64_t i = 0; i < images; ++i) {
    const data::Digit digit = data::draw_digit({}, i);
    for (const std::uint8_t pixel : digit.pixels) expected.values += pixel;
    expected.labels += digit.label;
  }
  Case work;
  work.measure = "digits";
  work.unit = "images";
  work.url = fmt::format("digits://?samples={}", images);
  work.amount = static_cast<double>(images);
  work.expected = expected;
  return work;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Options options =
      bench::parse_options("How fast readers turn files into samples", argc, argv);
  const std::pair<const char*, Case (*)(const TemporaryFolder&, bool)> cases[] = {
      {"libsvm", &libsvm_case},   {"csv", &csv_case}, {"idx", &idx_case},
      {"cifar10", &cifar10_case}, {"npy", &npy_case}, {"digits", &digits_case}};
  const TemporaryFolder folder;
  bench::Report report;
  for (const auto& [name, make] : cases) {
    if (!options.wants(name)) continue;
    auto row = measure(make(folder, options.quick), options.quick ? 1 : 9);
    if (!row) return fmt::print(stderr, "{}: {}\n", name, row.error().message), 1;
    report.add(std::move(*row));
  }
  return report.write(options) ? 0 : 1;
}
