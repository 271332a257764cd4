// bench_elastic [--only MEASURE] [--quick] [--out FILE]: measures the speed of training linear
// models.
//
//   sdca_text, sdca_sparse, sdca_dense (each /1e-3 and /1e-6)    CPU seconds to that duality gap
//       on one thread, beside LIBLINEAR's dual solver at the same true gap
//   sdca_threads_text, sdca_threads_sparse, sdca_threads_dense (each /1e-3 and /1e-6)    wall
//       seconds to that gap with two threads, beside one
//
// Data sets are drawn once and kept in build/bench-data. Exits with 1 if a result does not have the
// claimed gap: then the figures are meaningless.
#include "bench/report.h"
#include "sdca.h"
#include "sdca_threads.h"

int main(int argc, char** argv) {
  using namespace surety::bench;
  const Options options = parse_options("How fast linear models are trained", argc, argv);
  Report report;
  bool verified = measure_sdca(options, report);
  verified &= measure_sdca_threads(options, report);
  return report.write(options) && verified ? 0 : 1;
}
