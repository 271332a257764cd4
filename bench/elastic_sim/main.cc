// bench_elastic_sim [--only MEASURE] [--quick] [--out FILE]: measures the gains of the elastic
// policies in simulated time. The policies and the directory are those of the product, and CoCoA is
// computed exactly. Only the seconds are invented: a node takes 8 s for a pass over all data, an
// iteration costs 0.1 s more, and a node sends and receives 100 MB/s between iterations.
//
//   scale_out/K, scale_in/K   seconds to a gap of 1e-3 of an SVM on text-like data, while nodes
//     grow from 2 to 16 or shrink from 16 to 2, two every 4 s; beside micro-tasks as published
//     (safe adding, fixed partitions), with K (16, 32, 64) of them for any number of nodes
//   scale_out_alike/K, scale_in_alike/K   the same beside micro-tasks with our aggregation and
//     shuffling
//   hetero                slowest finish over the ideal after 10 passes; half of 16 nodes are twice
//     as slow, with noise of 2 %
//   stragglers            mean time of an iteration over the ideal: noise of 5 %, and 2 % of the
//     iterations of a node take 3 times as long
//   feedback_s            seconds to a gap of 1e-5 with feedback-driven scale-in from 16 nodes,
//   beside
//     every static number of nodes; also with updates that are added safely (_safe), and with a
//     tenth of the rows (_few_rows)
#include "measures.h"

int main(int argc, char** argv) {
  using namespace surety::bench;
  const Options options =
      parse_options("The effect of the elastic policies, in simulated time", argc, argv);
  Report report;
  measure_scaling(options, report);
  measure_hetero(options, report);
  measure_stragglers(options, report);
  measure_feedback(options, report);
  return report.write(options) ? 0 : 1;
}
