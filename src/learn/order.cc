#include "learn/order.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/random.h"

namespace surety::learn {
namespace {

Random random_of(const OrderKey& key) {
  return Random(key.seed).fork("pass", key.pass).fork("chunk", key.chunk.value);
}

}  // namespace

std::vector<std::uint32_t> sample_order(const OrderKey& key, std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  Random random = random_of(key);
  random.shuffle(std::span(order));
  return order;
}

std::vector<std::uint32_t> bucket_order(const OrderKey& key, std::uint32_t count) {
  static constexpr std::uint32_t kBucket = 16;
  std::vector<std::uint32_t> begins;
  for (std::uint32_t begin = 0; begin < count; begin += kBucket) begins.push_back(begin);
  Random random = random_of(key);
  random.shuffle(std::span(begins));
  std::vector<std::uint32_t> order;
  order.reserve(count);
  for (const std::uint32_t begin : begins) {
    const std::uint32_t end = begin + std::min(kBucket, count - begin);
    for (std::uint32_t sample = begin; sample < end; ++sample) order.push_back(sample);
  }
  return order;
}

}  // namespace surety::learn
