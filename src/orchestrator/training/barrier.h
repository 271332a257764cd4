// Commands to all members of a session, each of which must answer (trainer.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.h"
#include "elastic/ownership/directory.h"
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
  std::map<WorkerId, std::vector<elastic::Work>> work{};  // Used by kStep only.
  // Set after a link broke: the time when everything is sent again.
  std::optional<double> retry_s{};
  double began_s = 0;  // When the commands were sent.
};

}  // namespace surety::orchestrator
