// Helpers for tests of whole decisions.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <variant>

#include "plan/plan_options.h"
#include "plan/planner/make_plan.h"
#include "plan/report/explain.h"
#include "test/support/plan/synthetic_profile.h"

namespace surety::plan::synthetic {

inline Decision decide(const Instance& instance, const Profile& profile,
                       const PlanOptions& options = small_options()) {
  Result<Decision> decision = make_plan(instance, profile, options);
  if (!decision) ADD_FAILURE() << decision.error().message;
  return decision ? *decision : Decision();
}

inline Plan plan_of(const Instance& instance, const Profile& profile,
                    const PlanOptions& options = small_options()) {
  const Decision decision = decide(instance, profile, options);
  const Plan* plan = std::get_if<Plan>(&decision);
  if (plan != nullptr) return *plan;
  ADD_FAILURE() << explain(decision, instance.promise);
  Plan none;
  none.claims.emplace();  // The test goes on, and fails.
  return none;
}

inline Infeasible refusal_of(const Instance& instance, const Profile& profile,
                             const PlanOptions& options = small_options()) {
  const Decision decision = decide(instance, profile, options);
  const Infeasible* infeasible = std::get_if<Infeasible>(&decision);
  if (infeasible == nullptr) ADD_FAILURE() << explain(decision, instance.promise);
  return infeasible == nullptr ? Infeasible() : *infeasible;
}

// Returns an empty assumption if there is none. REQUIRES: the plan has claims.
inline Assumption assumption_of(const Plan& plan, const std::string& name) {
  const auto it = std::ranges::find(plan.claims->assumptions, name, &Assumption::name);
  return it == plan.claims->assumptions.end() ? Assumption() : *it;
}

// A gap that halves with each pass of 10 s on 4 nodes at 0.01 a second.
inline Spec halving() {
  Spec spec;
  spec.versions = {{.name = "full", .floor = 0, .start = 1, .rate = std::log(2.0), .pass_s = 10}};
  spec.shape = Shape::kExponential;
  return spec;
}

inline Instance gap_instance(const Spec& spec, double target, double deadline_s) {
  Instance instance = make_instance(spec, target, deadline_s);
  instance.promise.metric = Metric::kDualityGap;
  return instance;
}

inline void append(Profile& to, const Profile& from) {
  to.curves.insert(to.curves.end(), from.curves.begin(), from.curves.end());
  to.switches.insert(to.switches.end(), from.switches.begin(), from.switches.end());
}

}  // namespace surety::plan::synthetic
