#include "worker/attendance.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/units.h"
#include "protocol/messages.h"

namespace surety::worker {
namespace {

constexpr const char* kLeftAtOnce =
    "left before the coordinator confirmed it: a second signal to stop came, or the time for "
    "leaving (--notice) is over";

// The error of a worker that was told to leave while no coordinator was connected.
Error without_coordinator() {
  return {ErrorCode::kUnavailable,
          "asked to leave while no coordinator was connected; the chunks were not handed over"};
}

SendToCoordinator leaving() {
  SendToCoordinator message;
  message.message.mutable_leaving()->set_reason("asked to stop");
  return message;
}

std::string refusal_line(const proto::Welcome& refused, std::uint32_t term) {
  return fmt::format(
      "this worker refused coordinator {} of this run: coordinator {} has taken it over",
      refused.term(), term);
}

// A worker that is given up ends with an error.
Result<std::string> ending_of(const proto::Bye& bye) {
  if (!bye.has_fault()) return bye.reason();
  return fail(protocol::code_of(bye.fault()), "{}", bye.reason());
}

}  // namespace

Attendance::Attendance(AttendanceOptions options, std::function<std::vector<ChunkId>()> chunks)
    : options_(std::move(options)), chunks_(std::move(chunks)), binding_(options_.binding) {}

// ---- calls --------------------------------------------------------------------------------------

Effects Attendance::begin() {
  if (stage_ == Stage::kEnded) return {};
  SURETY_CHECK(stage_ == Stage::kIdle);
  return call(options_.join);
}

Effects Attendance::call(const std::string& address) {
  stage_ = Stage::kCalling;
  CallCoordinator call{.address = address, .hello = options_.hello, .patience = patience_};
  binding_.introduce(call.hello);
  for (const ChunkId chunk : chunks_()) call.hello.add_chunks(chunk.value);
  Effects effects;
  effects.emplace_back(std::move(call));
  return effects;
}

Effects Attendance::on_answered() {
  if (stage_ != Stage::kCalling) return {};
  stage_ = Stage::kConnected;
  Effects effects;
  effects.emplace_back(wake_after(kWelcomePatience, unwelcomed_));
  if (is_leaving_) effects.emplace_back(leaving());
  return effects;
}

Effects Attendance::on_folders_read(const FoldersRead& found) {
  if (stage_ != Stage::kReading) return {};
  if (options_.run_folder && found.run_is_gone) {
    return {end(
        fail(ErrorCode::kUnavailable,
             "the run's folder {} does not exist any more, so this worker ends. If the folder was "
             "moved, resume the run at its new place (--resume --out FOLDER), with new workers",
             *options_.run_folder))};
  }
  const std::optional<proto::Welcome>& last = binding_.last_welcome();
  const bool is_named = last && found.coordinator && found.coordinator->term >= last->term();
  return call(is_named ? found.coordinator->address : options_.join);
}

// ---- a coordinator ------------------------------------------------------------------------------

Effects Attendance::on_message(Time now, proto::ToWorker message) {
  if (stage_ != Stage::kConnected) return {};
  if (message.has_bye()) return {end(ending_of(message.bye()))};
  if (message.has_welcome()) return on_welcome(now, message.welcome());
  // A coordinator commands only workers that it has welcomed over this connection.
  if (!was_welcomed() || binding_.is_lost()) return {};
  Effects effects;
  effects.emplace_back(PassCommand{std::move(message)});
  return effects;
}

Effects Attendance::on_welcome(Time now, const proto::Welcome& welcome) {
  Effects effects;
  const Welcomed welcomed = binding_.welcome(welcome);
  if (welcomed == Welcomed::kRefused) {
    const std::string line = refusal_line(welcome, binding_.last_welcome()->term());
    effects.emplace_back(LogLine{line});
    effects.emplace_back(CloseConnection{});
    lose(now, {ErrorCode::kUnavailable, line}, effects);
    return effects;
  }
  if (const auto folder = binding_.folder()) {
    effects.emplace_back(WatchForSuccessor{*folder, welcome.term()});
  }
  unwelcomed_.reset();
  const bool keeps_samples = welcomed == Welcomed::kAgain;
  effects.emplace_back(PassWelcome{welcome, keeps_samples});
  if (keeps_samples) {
    effects.emplace_back(LogLine{
        fmt::format("this process is worker {} of coordinator {} now; {} chunks are still here",
                    welcome.worker(), welcome.term(), chunks_().size())});
  }
  return effects;
}

// ---- no coordinator -----------------------------------------------------------------------------

Effects Attendance::on_lost(Time now, const Error& why) {
  if (stage_ != Stage::kCalling && stage_ != Stage::kConnected) return {};
  if (stage_ == Stage::kCalling && is_leaving_) {
    return {end(fail_in(why, "{}", without_coordinator().message))};
  }
  if (stage_ == Stage::kCalling && !was_welcomed()) {
    patience_ = std::min<Duration>(2 * patience_, kCallPatienceMax);
  }
  Effects effects;
  lose(now, why, effects);
  return effects;
}

void Attendance::lose(Time now, const Error& why, Effects& effects) {
  effects.emplace_back(ReportCoordinatorLost{});
  const bool is_news = was_welcomed() && !binding_.is_lost();
  const Result<Duration> pause = pause_after(now, why);
  if (!pause) {
    effects.emplace_back(end(tl::unexpected(pause.error())));
    return;
  }
  if (is_news) effects.emplace_back(LogLine{lost_line(why)});
  stage_ = Stage::kPausing;
  effects.emplace_back(wake_after(*pause, pause_));
}

Result<Duration> Attendance::pause_after(Time now, const Error& why) {
  SURETY_TRY(binding_.lose(now, why));
  if (is_leaving_) return fail_in(why, "asked to leave, and then the coordinator was lost");
  const Result<Duration> pause = binding_.next_pause(now);
  if (pause || was_welcomed()) return pause;
  return fail(
      pause.error().code,
      "no coordinator answers at {} within {}; is the run on, and is this the address that  "
      "surety run  printed?",
      options_.join, format_duration(binding_.limit().value()));
}

std::string Attendance::lost_line(const Error& why) const {
  return fmt::format("{}; keeping {} chunks and {} for {}", why.message, chunks_().size(),
                     binding_.folder() ? "looking for the next one"
                                       : fmt::format("calling {} again", options_.join),
                     format_duration(binding_.limit().value()));
}

// ---- time and signals ---------------------------------------------------------------------------

Effects Attendance::on_stop_signal() {
  if (stage_ == Stage::kEnded) return {};
  if (std::exchange(is_leaving_, true)) return {end(kLeftAtOnce)};
  Effects effects;
  if (stage_ == Stage::kConnected) {
    effects.emplace_back(leaving());
  } else if (stage_ != Stage::kCalling) {
    return {end(tl::unexpected(without_coordinator()))};
  }
  // The coordinator may have accepted a call whose answer is still on its way. A worker that ended
  // now would be a lost one, and would be replaced, so it leaves once the call is answered.
  effects.emplace_back(wake_after(options_.notice, notice_));
  return effects;
}

Effects Attendance::on_time(Time now, std::uint64_t timer) {
  if (stage_ == Stage::kEnded) return {};
  if (timer == notice_) return {end(kLeftAtOnce)};
  if (timer == unwelcomed_ && stage_ == Stage::kConnected) {
    Effects effects;
    effects.emplace_back(CloseConnection{});
    lose(now,
         {ErrorCode::kUnavailable,
          fmt::format("the program at the coordinator's address answers, but has not accepted this "
                      "worker within {}",
                      format_duration(kWelcomePatience))},
         effects);
    return effects;
  }
  if (timer != pause_ || stage_ != Stage::kPausing) return {};
  stage_ = Stage::kReading;
  return {ReadFolders{.run_folder = options_.run_folder, .folder = binding_.folder()}};
}

WakeAfter Attendance::wake_after(Duration delay, std::optional<std::uint64_t>& timer) {
  timer = ++last_timer_;
  return {.delay = delay, .timer = last_timer_};
}

EndWorker Attendance::end(Result<std::string> why) {
  stage_ = Stage::kEnded;
  return {std::move(why)};
}

}  // namespace surety::worker
