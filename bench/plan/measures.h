// The groups of measures of bench_plan. Each prints its tables and adds its rows.
//
// Everything is simulated on continuous laws with fixed seeds, so all figures except the times are
// reproducible. Parameters are tuned with other random numbers than the reported results use.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "bench/report.h"

namespace surety::bench {

inline constexpr std::uint64_t kTuningSeed = 1001;
inline constexpr std::uint64_t kFinalSeed = 2002;

[[nodiscard]] inline bool wants_any(const Options& options,
                                    std::initializer_list<std::string_view> measures) {
  for (const std::string_view measure : measures) {
    if (options.wants(measure)) return true;
  }
  return false;
}

// Prints a line of a table for people, with the measure that it belongs to.
template <typename... T>
void print_line(std::string_view measure, fmt::format_string<T...> format, T&&... args) {
  fmt::print("  {:<20} {}\n", measure, fmt::format(format, std::forward<T>(args)...));
  std::fflush(stdout);
}

void compare_on_spot_mix(const Options& options, Report& report);
void compare_with_bound(const Options& options, Report& report);
void compare_depl(const Options& options, Report& report);
void measure_success(const Options& options, Report& report);
void measure_coverage(const Options& options, Report& report);
void measure_scale(const Options& options, Report& report);
void measure_refuse(const Options& options, Report& report);
void measure_replan(const Options& options, Report& report);
void measure_noise(const Options& options, Report& report);

}  // namespace surety::bench
