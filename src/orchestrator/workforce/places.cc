#include "orchestrator/workforce/places.h"

#include <algorithm>
#include <utility>

namespace surety::orchestrator {

double Places::due_s(const Place& place) {
  double pause_s = place.restarts == 0 ? 0 : 1;
  for (std::uint32_t i = 1; i < place.restarts && pause_s < kPauseMaxS; ++i) pause_s *= 2;
  return place.vacant_since_s + (place.process_ended ? pause_s : std::max(pause_s, kReturnS));
}

bool Places::is_due(const Place& place, double now_s) {
  return place.state == State::kVacant && due_s(place) <= now_s;
}

Places::Place* Places::find(const std::string& type, State state) {
  const auto at = std::ranges::find_if(
      places_, [&](const Place& place) { return place.type == type && place.state == state; });
  return at == places_.end() ? nullptr : &*at;
}

Places::Place* Places::of(WorkerId worker) {
  const auto at =
      std::ranges::find_if(places_, [&](const Place& place) { return place.worker == worker; });
  return at == places_.end() ? nullptr : &*at;
}

// ---- events -------------------------------------------------------------------------------------

void Places::on_requested(const plan::NodeCount& nodes, double now_s) {
  for (std::uint32_t left = nodes.count; left > 0; --left) {
    const auto due = std::ranges::find_if(places_, [&](const Place& place) {
      return place.type == nodes.type && is_due(place, now_s);
    });
    if (due == places_.end()) {
      places_.push_back({.type = nodes.type});
      continue;
    }
    due->state = State::kRequested;
    due->worker.reset();
    due->process_ended = false;
    ++due->restarts;
    ++due->restarts_without_pass;
    due->restarted_s = now_s;
    std::rotate(due, due + 1, places_.end());
  }
}

void Places::on_not_started(const plan::NodeCount& nodes) {
  std::uint32_t left = nodes.count;
  std::erase_if(places_, [&](const Place& place) {
    const bool closes = left > 0 && place.type == nodes.type && place.state == State::kRequested;
    if (closes) --left;
    return closes;
  });
  close_vacant(nodes.type, 0);
}

bool Places::take(WorkerId worker, const std::string& type, std::optional<WorkerId> before) {
  Place* place = before ? of(*before) : nullptr;
  if (place == nullptr) place = find(type, State::kRequested);
  if (place == nullptr) place = find(type, State::kVacant);
  if (place == nullptr) return false;
  place->state = State::kTaken;
  place->worker = worker;
  place->process_ended = false;
  return true;
}

void Places::vacate(Place& place, double now_s) {
  if (now_s - place.restarted_s >= kMemoryS) place.restarts = place.restarts_without_pass = 0;
  place.state = State::kVacant;
  place.vacant_since_s = now_s;
  if (place.restarts_without_pass < kRestartsMax) return;
  given_up_.push_back(place.type);
  places_.erase(places_.begin() + (&place - places_.data()));
}

void Places::on_lost(WorkerId worker, double now_s) {
  if (Place* place = of(worker)) vacate(*place, now_s);
}

void Places::on_left(WorkerId worker) {
  std::erase_if(places_, [&](const Place& place) { return place.worker == worker; });
}

void Places::on_process_ended(WorkerId worker) {
  if (Place* place = of(worker)) place->process_ended = true;
}

void Places::on_never_joined(const std::string& type, double now_s) {
  Place* place = find(type, State::kRequested);
  if (place == nullptr) return;
  place->process_ended = true;
  vacate(*place, now_s);
}

void Places::on_pass() {
  for (Place& place : places_) {
    if (place.state == State::kTaken) place.restarts_without_pass = 0;
  }
}

void Places::close_vacant(const std::optional<std::string>& type, std::uint32_t kept) {
  std::erase_if(places_, [&](const Place& place) {
    if (place.state != State::kVacant || (type && place.type != *type)) return false;
    if (kept == 0) return true;
    --kept;
    return false;
  });
}

// ---- actions ------------------------------------------------------------------------------------

std::uint32_t Places::vacant() const {
  return static_cast<std::uint32_t>(std::ranges::count(places_, State::kVacant, &Place::state));
}

std::uint32_t Places::due(const std::string& type, double now_s) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      places_, [&](const Place& place) { return place.type == type && is_due(place, now_s); }));
}

std::uint32_t Places::paused(const std::string& type, double now_s) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(places_, [&](const Place& place) {
    return place.type == type && place.state == State::kVacant && !is_due(place, now_s);
  }));
}

bool Places::has_due(double now_s) const {
  return std::ranges::any_of(places_, [&](const Place& place) { return is_due(place, now_s); });
}

std::vector<std::string> Places::take_given_up() { return std::exchange(given_up_, {}); }

}  // namespace surety::orchestrator
