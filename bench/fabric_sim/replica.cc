#include "bench/fabric_sim/replica.h"

#include <cmath>

namespace surety::bench::sim {
namespace {

using namespace fabric;

constexpr std::size_t kEach = 2;  // Number of parameters of a block.

}  // namespace

Replica::Replica(std::uint32_t blocks, std::uint64_t seed)
    : blocks_(blocks),
      random_(Random(seed).fork("updates")),
      shadow_(std::vector<float>(blocks * kEach, 0.0f), blocks) {}

std::vector<float> Replica::step_of(const UpdateId& update, std::uint32_t block) const {
  Random random = random_.fork("step", update.number * blocks_ + block);
  std::vector<float> step(kEach);
  for (float& x : step) x = static_cast<float>(0.1 * (2 * random.uniform() - 1));
  return step;
}

double Replica::norm_of(const UpdateId&) const {
  return 0.1 * std::sqrt(static_cast<double>(kEach)) * (1 + 1e-5);
}

double Replica::apply(const GrantedRound& round, bool mirrored) {
  std::vector<float> sum(kEach, 0.0f);
  for (const UpdateId& update : round.updates) {
    const std::vector<float> step = step_of(update, round.grant.block);
    for (std::size_t i = 0; i < kEach; ++i) sum[i] += step[i];
  }
  return shadow_.apply(round.grant.block, sum, mirrored);
}

void Replica::ship(std::uint32_t block) { static_cast<void>(shadow_.ship(block)); }

double Replica::on_acknowledged(std::uint32_t block) { return shadow_.on_acknowledged(block); }

double Replica::divergence() const {
  double squares = 0;
  for (std::uint32_t b = 0; b < blocks_; ++b) {
    for (std::size_t i = 0; i < kEach; ++i) {
      squares += std::pow(shadow_.model(b)[i] - shadow_.replica(b)[i], 2);
    }
  }
  return std::sqrt(squares);
}

}  // namespace surety::bench::sim
