#include "sim/faults/faults.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/random.h"

namespace surety::sim {
namespace {

struct Kind {
  const char* name;
  // Factor of per_minute_max: faults that end a run are rarer than faults that it survives.
  double weight;
  double for_s;  // Mean of an exponential distribution, in seconds.
  double size_min;
  double size_max;
};

// Indexed by FaultKind.
constexpr std::array<Kind, kFaultKinds> kKinds{{{"join", 0.5, 0, 0, 0},
                                                {"leave", 0.3, 0, 0, 0},
                                                {"crash", 0.5, 0, 0, 0},
                                                {"vanish", 0.3, 0, 0, 0},
                                                {"stall", 0.6, 3, 0, 0},
                                                {"slow", 0.6, 8, 2, 10},
                                                {"cut", 0.5, 4, 0, 0},
                                                {"cut one way", 0.5, 4, 0, 0},
                                                {"rack cut", 0.2, 4, 0, 0},
                                                {"link break", 1, 0, 0, 0},
                                                {"coordinator crash", 0.3, 2, 0, 1},
                                                {"clock jump", 0.15, 0, 0.1, 2},
                                                {"disk full", 0.2, 3, 0, 0},
                                                {"corrupt chunk", 0.15, 0, 0, 0},
                                                {"corrupt checkpoint", 0.3, 0, 0, 1},
                                                {"wrong bytes", 0.15, 0, 0, 0},
                                                {"lost values", 0.5, 0, 0, 0}}};

// Kinds that were added later are drawn last, so that a seed keeps the faults that it had before.
constexpr std::size_t kFirstKinds = 16;

void draw(FaultKind kind, Random random, const SwarmOptions& options, std::vector<Fault>& list) {
  const Kind& what = kKinds[static_cast<std::size_t>(kind)];
  const double per_s = what.weight * options.per_minute_max * random.uniform() / 60;
  double at_s = options.begin_s;
  while (true) {
    at_s -= std::log(1 - random.uniform()) / per_s;
    if (at_s >= options.end_s) return;
    Fault fault{.kind = kind, .at_s = at_s};
    fault.for_s = -what.for_s * std::log(1 - random.uniform());
    fault.target = 1 + static_cast<std::uint32_t>(random.below(options.nodes));
    fault.other = static_cast<std::uint32_t>(random.below(options.nodes + 1));
    fault.size = what.size_min + (what.size_max - what.size_min) * random.uniform();
    list.push_back(fault);
  }
}

double size_of(const Fault& fault, FaultKind kind) {
  SURETY_CHECK(fault.kind == kind);
  return fault.size;
}

}  // namespace

double Fault::slowness() const { return size_of(*this, FaultKind::kSlow); }

double Fault::torn_share() const { return size_of(*this, FaultKind::kCoordinatorCrash); }

double Fault::jump_s() const { return size_of(*this, FaultKind::kClockJump); }

bool Fault::is_quiet() const { return size_of(*this, FaultKind::kCorruptCheckpoint) < 0.5; }

const char* name_of(FaultKind kind) { return kKinds[static_cast<std::size_t>(kind)].name; }

std::optional<FaultKind> fault_named(const std::string& name) {
  for (std::size_t i = 0; i < kFaultKinds; ++i) {
    if (name == kKinds[i].name) return static_cast<FaultKind>(i);
  }
  return std::nullopt;
}

Faults draw_faults(std::uint64_t seed, const SwarmOptions& options) {
  Faults faults{.list = {}, .conditions = {}, .begin_s = options.begin_s, .end_s = options.end_s};
  Random swarm = Random(seed).fork("swarm");
  const auto maybe_draw = [&](FaultKind kind) {
    const bool is_on = swarm.uniform() < 0.35;
    const bool is_possible = kind != FaultKind::kRackCut || options.racks > 1;
    if (!is_on || !is_possible) return;
    draw(kind, Random(seed).fork("fault", static_cast<std::size_t>(kind)), options, faults.list);
  };
  for (std::size_t i = 0; i < kFirstKinds; ++i) maybe_draw(static_cast<FaultKind>(i));
  if (swarm.uniform() < 0.3) faults.conditions.loss = 0.1 * swarm.uniform();
  if (swarm.uniform() < 0.3) faults.conditions.delay_s = 0.05 * swarm.uniform();
  if (swarm.uniform() < 0.3) faults.conditions.doubled = 0.2 * swarm.uniform();
  for (std::size_t i = kFirstKinds; i < kFaultKinds; ++i) maybe_draw(static_cast<FaultKind>(i));
  std::stable_sort(faults.list.begin(), faults.list.end(),
                   [](const Fault& a, const Fault& b) { return a.at_s < b.at_s; });
  return faults;
}

}  // namespace surety::sim
