#include "fabric/scheduler/exactly_once.h"

namespace surety::fabric {

Admission ExactlyOnce::admit(const UpdateId& id) {
  const Window fresh{.incarnation = id.incarnation, .newest = id.sequence, .admitted = 1};
  const auto [at, is_new] = windows_.try_emplace(id.worker, fresh);
  Window& window = at->second;
  if (is_new) return Admission::kFirst;
  if (id.incarnation < window.incarnation) return Admission::kOldIncarnation;
  if (id.incarnation > window.incarnation) {
    window = fresh;
    return Admission::kFirst;
  }
  if (id.sequence > window.newest) {
    const std::uint64_t ahead = id.sequence - window.newest;
    window.admitted = ahead < kWindow ? (window.admitted << ahead) | 1 : 1;
    window.newest = id.sequence;
    return Admission::kFirst;
  }
  const std::uint64_t behind = window.newest - id.sequence;
  if (behind >= kWindow) return Admission::kTooOld;
  const std::uint64_t bit = std::uint64_t{1} << behind;
  if ((window.admitted & bit) != 0) return Admission::kDuplicate;
  window.admitted |= bit;
  return Admission::kFirst;
}

}  // namespace surety::fabric
