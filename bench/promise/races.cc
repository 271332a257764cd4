#include "races.h"

#include <cmath>
#include <cstdio>

namespace surety::bench {

void races(Bench& bench) {
  struct Kind {
    Race race;
    const char* name;
  };
  std::vector<Kind> kinds{{{}, "one after the other"}};
  for (const double exponent : {1.0, 0.5, 0.0}) {
    for (const std::uint32_t rounds : {2u, 14u}) {
      for (const bool same : {false, true}) {
        kinds.push_back({{rounds, same, std::pow(2, exponent)},
                         same ? "race, the same version" : "race, two versions"});
      }
    }
  }
  std::printf("\n%-24s %6s %6s %6s  %s\n", "races", "passes", "slower", "median",
              "certified in time (interval of 95 %), money / oracle's, its standard error");
  for (const double medians : {1.2, 1.5}) {
    double rule = 0;
    double best = 0;
    for (const Kind& kind : kinds) {
      Tally kept;
      std::vector<double> money;
      for (const Setting& setting : bench.settings) {
        const RecordedStudy& study = bench.studies[setting.study];
        Cell cell = cell_of(bench, setting, 0.9);
        const Oracle oracle = oracle_of(bench, setting, cell);
        if (oracle.out_of_reach > 0.01) continue;
        cell.deadline_s = medians * oracle.median_s;
        for (std::uint32_t r = 0; r < bench.replays; ++r) {
          const Outcome out = replay(study, cell, random_of(setting, 8000 + r),
                                     {.best_effort = true, .race = kind.race});
          kept.add(out.certified);
          money.push_back(out.money / oracle.money);
        }
      }
      const Interval interval = interval_of(kept);
      std::printf("%-24s %6u %6.2f %6.1f  %.3f (%.3f to %.3f) %.3f %.3f\n", kind.name,
                  kind.race.rounds, kind.race.slower, medians, kept.share(), interval.low,
                  interval.high, mean_of(money), error_of(money));
      std::fflush(stdout);
      if (kind.race.rounds == 0) rule = kept.share();
      if (kind.race.rounds > 0 && kind.race.slower >= 2) best = std::max(best, kept.share());
    }
    bench.report.add({medians < 1.3 ? "races_1.2" : "races_1.5",
                      "certified in time, best race where nodes are used well",
                      {best},
                      {{"one after the other", {rule}}},
                      true});
  }
}

}  // namespace surety::bench
