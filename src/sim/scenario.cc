#include "sim/scenario.h"

#include <charconv>
#include <sstream>

#include "base/text.h"
#include "base/words.h"
#include "orchestrator/stages/plan_by_hand.h"
#include "sim/seeds.h"
#include "sim/synthetic_job.h"

namespace surety::sim {
namespace {

constexpr std::string_view kLine = "---\n";

struct Settings {
  std::uint32_t nodes = 4;
  std::uint32_t racks = 1;
  std::uint32_t passes = 10;
  std::uint64_t seed = 1;
  double samples_per_s = 400;
  double target = 0.05;
  double deadline_s = 600;
  double probability = 0.7;
  orchestrator::RunMode mode = orchestrator::RunMode::kTrain;
  std::vector<Trigger> triggers;
  std::vector<Fault> faults;
};

struct Befalls {
  struct Nodes {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
  };
  std::optional<Nodes> nodes;  // Nodes or racks. Absent: the seed chooses one node.
  std::uint32_t times = 1;
  Fault fault;
};

// Splits "crash node 3 for 2" into words; the kind's name may have several.
Result<Befalls> befalls(std::istringstream& words) {
  Befalls result;
  std::string kind;
  std::string word;
  while (words >> word) {
    std::uint32_t number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc()) {
      std::string times;
      words >> times;
      if (times != "times")
        return fail(ErrorCode::kInvalidInput, "found '{}', expected times", excerpt(times));
      result.times = number;
    } else if (word == "node" || word == "nodes" || (word == "rack" && !kind.empty())) {
      std::string range;
      words >> range;
      const auto first = static_cast<std::uint32_t>(std::strtoul(range.c_str(), nullptr, 10));
      const std::size_t dash = range.find('-');
      result.nodes = {first, dash == std::string::npos
                                 ? first
                                 : static_cast<std::uint32_t>(
                                       std::strtoul(range.c_str() + dash + 1, nullptr, 10))};
    } else if (word == "and") {
      words >> result.fault.other;
    } else if (word == "for") {
      words >> result.fault.for_s;
    } else if (word == "size") {
      words >> result.fault.size;
    } else {
      kind += (kind.empty() ? "" : " ") + word;
    }
    if (words.fail())
      return fail(ErrorCode::kInvalidInput, "a number is missing after '{}'", excerpt(word));
  }
  const auto named = fault_named(kind);
  if (!named) return fail(ErrorCode::kInvalidInput, "found '{}', expected a fault", excerpt(kind));
  result.fault.kind = *named;
  return result;
}

std::vector<Fault> one_by_one(const Befalls& what) {
  if (!what.nodes) return std::vector<Fault>(what.times, what.fault);
  std::vector<Fault> faults;
  for (std::uint32_t node = what.nodes->first; node <= what.nodes->last; ++node) {
    for (std::uint32_t i = 0; i < what.times; ++i) {
      faults.push_back(what.fault);
      faults.back().target = node;
    }
  }
  return faults;
}

Result<void> read_event(const std::string& line, Settings& settings) {
  const std::size_t colon = line.rfind(": ");
  if (colon == std::string::npos) {
    return fail(ErrorCode::kInvalidInput,
                "found no colon, expected a colon and a fault after the time");
  }
  std::istringstream words(line.substr(colon + 2));
  SURETY_TRY(const Befalls what, befalls(words));
  const std::string when = line.substr(0, colon);
  if (when.starts_with("at ")) {
    for (Fault fault : one_by_one(what)) {
      fault.at_s = std::strtod(when.c_str() + 3, nullptr);
      settings.faults.push_back(fault);
    }
    return {};
  }
  const std::size_t first = when.find('"');
  const std::size_t last = when.rfind('"');
  if (first == std::string::npos || last == first) {
    return fail(ErrorCode::kInvalidInput,
                "found no line in quotes, expected: on \"line\" + seconds: fault");
  }
  const std::size_t plus = when.find('+', last);
  const double after_s =
      plus == std::string::npos ? 0 : std::strtod(when.c_str() + plus + 1, nullptr);
  settings.triggers.push_back(
      {when.substr(first + 1, last - first - 1), after_s, one_by_one(what)});
  return {};
}

Result<void> set_mode(std::istringstream& words, orchestrator::RunMode& mode) {
  std::string name;
  words >> name;
  const std::optional<orchestrator::RunMode> named = orchestrator::run_mode_named(name);
  if (!named) {
    return fail(ErrorCode::kInvalidInput, "mode: found '{}', expected run, profile or train",
                excerpt(name));
  }
  mode = *named;
  return {};
}

Result<void> read_line(const std::string& line, Settings& settings) {
  if (line.empty() || line.starts_with("#")) return {};
  if (line.starts_with("at ") || line.starts_with("on ")) return read_event(line, settings);
  std::istringstream words(line);
  std::string key;
  words >> key;
  if (key == "nodes")
    words >> settings.nodes;
  else if (key == "racks")
    words >> settings.racks;
  else if (key == "seed")
    words >> settings.seed;
  else if (key == "passes")
    words >> settings.passes;
  else if (key == "samples_per_s")
    words >> settings.samples_per_s;
  else if (key == "mode")
    return set_mode(words, settings.mode);
  else if (key == "target")
    words >> settings.target;
  else if (key == "deadline_s")
    words >> settings.deadline_s;
  else if (key == "probability")
    words >> settings.probability;
  else
    return fail(ErrorCode::kInvalidInput, "found '{}', expected a setting", excerpt(key));
  if (words.fail()) return fail(ErrorCode::kInvalidInput, "a value is missing after '{}'", key);
  return {};
}

Result<SimOptions> options_of(const Settings& settings) {
  job::Job job;
  job.name = "scenario";
  job.promise.target = settings.target;
  job.promise.probability = settings.probability;
  job.promise.deadline_s = settings.deadline_s;
  job.cluster.nodes.front().local = settings.nodes;
  job.model.zoo = "mlp";
  job.train.batch = 16;
  job.train.local_steps = 8;
  job.train.passes_max = settings.passes;
  job.data.push_back({.name = "set", .source = "digits://?samples=4000", .site = {}});
  job.validation = "digits://?samples=1000&first=1000000";
  SimOptions options;
  SURETY_TRY(options.config, synthetic_job(job));
  options.config.mode = settings.mode;
  if (settings.mode == orchestrator::RunMode::kTrain)
    options.config.plan = orchestrator::plan_by_hand(job);
  options.learner = learner_for(options.config, settings.samples_per_s);
  options.seed = settings.seed;
  options.nodes = settings.nodes;
  options.network.racks = settings.racks;
  options.faults.list = settings.faults;
  options.triggers = settings.triggers;
  options.time_max_s = 2 * settings.deadline_s;
  return options;
}

}  // namespace

Result<Scenario> read_scenario(const std::string& name, std::string_view text) {
  const std::size_t line_at = text.find(kLine);
  Scenario scenario;
  scenario.script = std::string(text.substr(0, line_at));
  if (line_at != text.npos) scenario.expected = std::string(text.substr(line_at + kLine.size()));
  Settings settings;
  std::istringstream lines(scenario.script);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (const auto read = read_line(line, settings); !read) {
      return fail_in(read.error(), "{}:{}", name, number);
    }
  }
  SURETY_TRY(scenario.options, options_of(settings));
  return scenario;
}

std::string run_scenario(const Scenario& scenario) {
  Cluster cluster(scenario.options);
  const SimResult result = cluster.run();
  std::string text = text_of(cluster.trace());
  if (result.violation) text += "violation: " + *result.violation + "\n";
  if (!result.finish) text += "the run has not ended\n";
  text += fmt::format("{} iterations, ", result.iterations);
  if (result.restarts > 0) {
    text += fmt::format("{} of the coordinator, ", counted(result.restarts, "restart"));
  }
  return text +
         fmt::format("{} worker processes, {} chunks read\n", result.processes, result.chunks_read);
}

std::string with_ending(const Scenario& scenario, const std::string& ending) {
  return scenario.script + std::string(kLine) + ending;
}

}  // namespace surety::sim
