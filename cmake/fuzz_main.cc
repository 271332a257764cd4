// Drives a fuzz target without libFuzzer: every file of the corpus as it is, then seeded mutations
// of it (bit flips, splices, cuts, inserted bytes, numbers at their limits).
//
// The same inputs on every run, so that a failure in the tests is a failure for everybody:
//   FUZZ_TARGET CORPUS_DIR [MUTATIONS_PER_INPUT]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> read_corpus(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry);
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

std::size_t below(std::mt19937_64& random, std::size_t limit) { return random() % limit; }

void mutate(Bytes& bytes, const std::vector<Bytes>& corpus, std::mt19937_64& random) {
  static constexpr std::uint8_t kLimits[] = {0x00, 0x7f, 0x80, 0xff, '0', '-', '\n', ','};
  const std::size_t at = bytes.empty() ? 0 : below(random, bytes.size());
  switch (below(random, 5)) {
    case 0:
      if (!bytes.empty()) bytes[at] ^= static_cast<std::uint8_t>(1u << below(random, 8));
      return;
    case 1:
      if (!bytes.empty()) bytes[at] = kLimits[below(random, std::size(kLimits))];
      return;
    case 2:
      bytes.resize(at);
      return;
    case 3:
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), 1 + below(random, 16),
                   kLimits[below(random, std::size(kLimits))]);
      return;
    default: {
      const Bytes& other = corpus[below(random, corpus.size())];
      const std::size_t from = other.empty() ? 0 : below(random, other.size());
      bytes.resize(at);
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s CORPUS_DIR [MUTATIONS]\n", argv[0]), 1;
  const std::vector<Bytes> corpus = read_corpus(argv[1]);
  const int mutations = argc > 2 ? std::atoi(argv[2]) : 300;
  if (corpus.empty()) return std::fprintf(stderr, "no corpus in %s\n", argv[1]), 1;
  std::mt19937_64 random(1);
  std::size_t runs = 0;
  for (const Bytes& input : corpus) {
    LLVMFuzzerTestOneInput(input.data(), input.size());
    for (int i = 0; i < mutations; ++i, ++runs) {
      Bytes bytes = input;
      for (std::size_t n = 1 + below(random, 4); n > 0; --n) mutate(bytes, corpus, random);
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    }
  }
  std::printf("%zu inputs, %zu mutations, no failure\n", corpus.size(), runs);
  return 0;
}
