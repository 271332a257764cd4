#include "learn/order.h"

#include <numeric>
#include <span>

#include "base/random.h"

namespace surety::learn {

std::vector<std::uint32_t> sample_order(const OrderKey& key, std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  Random random = Random(key.seed).fork("pass", key.pass).fork("chunk", key.chunk.value);
  random.shuffle(std::span(order));
  return order;
}

}  // namespace surety::learn
