// Any bytes read as a job file: they are refused, or give a job whose text is read as the same job.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "job/job_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace surety::job;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto job = parse_job("jobs/fuzz.yaml", text, {}, 0);
  if (!job) return 0;
  const auto again = parse_job("jobs/fuzz.yaml", job->text, {}, 0);
  SURETY_CHECK(again.has_value());
  SURETY_CHECK(again->text == job->text);
  return 0;
}
