// Commands to all members of a session that each must answer (trainer.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "elastic/directory.h"
#include "proto/surety.pb.h"

namespace surety::orchestrator {

enum class BarrierKind : std::uint8_t {
  kPrepare,
  kStep,
  kResum,
  kEvaluate,
  kSwitch,
  kSave,
  kProbe
};

struct Barrier {
  BarrierKind kind = BarrierKind::kPrepare;
  std::uint64_t sequence = 0;
  std::set<WorkerId> waiting{};
  std::map<WorkerId, proto::FromWorker> answers{};
  std::map<WorkerId, std::vector<elastic::Work>> work{};  // kStep
  std::optional<double> retry_s{};                        // A link broke: all is sent again then.
  double began_s = 0;                                     // When the commands were sent.
};

}  // namespace surety::orchestrator
