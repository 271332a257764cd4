// The fields of a Setting, for json_fields.h: the laws from which the claims of a plan follow.
// A closed-loop plan is also executed by them.
//
// Laws::seed_effects is not included: it is evidence for fitting and not part of the laws.
#pragma once

#include <array>

#include "plan/files/json_fields.h"
#include "plan/types.h"

namespace surety::plan {

constexpr std::array<Word<Shape>, 2> words_of(Shape) {
  return {{{Shape::kPower, "power"}, {Shape::kExponential, "exponential"}}};
}

template <typename Io>
void fields(Io& io, Curve& curve) {
  io("shape", curve.shape);
  io("floor", curve.floor);
  io("scale", curve.scale);
  io("exponent", curve.exponent);
}

template <typename Io>
void fields(Io& io, PassTime& time) {
  io("pass_s", time.pass_s);
  io("nodes", time.nodes);
  io("eval_s", time.eval_s);
  io("log_sd", time.log_sd);
}

template <typename Io>
void fields(Io& io, VersionLaw& law) {
  io("version", law.version);
  io("rank", law.rank);
  io("workers", law.workers);
  io("curve", law.curve);
  io("rate", law.rate);
  io("noise", law.noise);
  io("jitter", law.jitter);
  io("fit_error", law.fit_error);
  io("metric_min", law.metric_min);
  io("metric_supported", law.metric_supported);
  io("passes", law.passes);
  io("seeds", law.seeds);
  io("stuck_seeds", law.stuck_seeds);
  io("stuck_share", law.stuck_share);
  io("time", law.time);
}

template <typename Io>
void fields(Io& io, SwitchLaw& law) {
  io("log_mean", law.log_mean);
  io("log_sd", law.log_sd);
  io("seconds", law.seconds);
  io("measured", law.measured);
}

template <typename Io>
void fields(Io& io, Laws& laws) {
  io("data_fraction", laws.data_fraction);
  io("versions", laws.versions);
  io("switches", laws.switches);
  io("run_effect", laws.run_effect);
  io("effect_variance", laws.effect_variance);
  io("effect_error", laws.effect_error);
}

template <typename Io>
void fields(Io& io, NodeCount& count) {
  io("type", count.type);
  io("count", count.count);
}

template <typename Io>
void fields(Io& io, Variant& variant) {
  io("version", variant.version);
  io("counts", variant.counts);
  io("nodes", variant.nodes);
  io("speed", variant.speed);
  io("price_per_s", variant.price_per_s);
  io("preemptions_per_s", variant.preemptions_per_s);
  io("restart_s", variant.restart_s);
  io("straggle_sd", variant.straggle_sd);
  io("start_s", variant.start_s);
  io("from_s", variant.from_s);
  io("until_s", variant.until_s);
}

template <typename Io>
void fields(Io& io, Setting& setting) {
  io("laws", setting.laws);
  io("variants", setting.variants);
  io("target", setting.target);
  io("stop_metric", setting.stop_metric);
  io("evaluation_se", setting.evaluation_se);
  io("probability", setting.probability);
  io("deadline_s", setting.deadline_s);
  io("certify_s", setting.certify_s);
  io("budget", setting.budget);
  io("data_price", setting.data_price);
  io("passes_max", setting.passes_max);
}

}  // namespace surety::plan
