// surety sim: runs the same job on a simulated cluster of any size, with faults.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/line_difference.h"
#include "base/posix/clock.h"
#include "base/posix/file.h"
#include "base/text.h"
#include "certificate/certificate_json.h"
#include "certificate/record_text.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/ending_codes.h"
#include "cli/run/mode_checks.h"
#include "cli/usage.h"
#include "data/posix/open.h"
#include "data/text.h"
#include "data/url.h"
#include "model/zoo.h"
#include "orchestrator/stages/plan_by_hand.h"
#include "runtime/job/job_setup.h"
#include "runtime/version.h"
#include "sim/scenario.h"
#include "sim/seeds.h"
#include "sim/synthetic_job.h"

namespace surety::cli {
namespace {

using namespace certificate;
using namespace job;
using namespace orchestrator;

// Seconds. Faults are injected until this time, or until half of the time to the deadline has
// passed.
constexpr double kFaultsEndS = 600;
// The speed of a node for networks, if none is given.
constexpr double kSamplesPerS = 8000;

struct SimCommand {
  std::optional<std::string> job_file;
  std::vector<std::string> sets;
  std::optional<std::uint32_t> nodes;
  std::uint32_t racks = 1;
  std::uint64_t seed = 1;
  RunMode mode = RunMode::kRun;
  std::optional<double> samples_per_s;  // Speed of a node for networks.
  std::optional<std::string> seeds;     // A range of seeds such as "1:100".
  std::optional<std::string> scenario;
  bool rewrite = false;
  bool faults = false;
  bool asynchronous = false;
  bool json = false;
  bool quiet = false;
  std::vector<std::string> given;  // The options of the command line, and "job" for the job file.
};

// "data.digits (idx://images.gz)": the first data set whose file is missing. Generators need none.
std::optional<std::string> missing_data(const Job& job) {
  data::SourceInfo place;
  const auto is_missing = [&](const std::string& name, const std::string& url) {
    place.name = name;
    place.url = url;
    const auto parsed = data::parse_url(url);
    return parsed && data::is_missing(*parsed);
  };
  for (const DataSpec& set : job.data) {
    if (is_missing(set.name, set.source)) return data::place_of(place);
  }
  if (job.validation && is_missing("validation", *job.validation)) return data::place_of(place);
  return std::nullopt;
}

// Uses the job's own data if they exist, and otherwise generated rows of the same size.
Result<JobConfig> config_of(const SimCommand& command, Job job, bool& has_data) {
  const std::string& file = command.job_file.value();
  if (command.nodes) job = sim::with_nodes(std::move(job), *command.nodes);
  SURETY_TRY(check_mode(file, job, command.mode));
  const bool is_linear = model::is_linear(job.model.zoo);
  const auto missing = missing_data(job);
  has_data = is_linear && !missing;
  Result<JobConfig> config = has_data ? runtime::set_up(job) : sim::synthetic_job(job);
  // The error would be about the first data set of unknown size, even if its files are there.
  if (!config && is_linear && missing) {
    return fail(ErrorCode::kInvalidInput,
                "{}: {}: found no such file, expected the files of all data sets (--set "
                "data.root=FOLDER), or only data sets whose size is known without files, such as "
                "synthetic://",
                file, *missing);
  }
  if (!config) return fail_in(config.error(), "{}", file);
  config->mode = command.mode;
  if (!has_data) SURETY_TRY(runtime::weigh_versions(config->job, config->schema));
  SURETY_TRY(check_memory(file, *config));
  return config;
}

// How a simulated run learns.
enum class Learning : std::uint8_t { kFromData, kFromMadeUpRows, kByLaw };

Learning learning_of(const JobConfig& config, bool has_data) {
  if (has_data) return Learning::kFromData;
  return model::is_linear(config.job.model.zoo) ? Learning::kFromMadeUpRows : Learning::kByLaw;
}

const char* words_of(Learning learning) {
  switch (learning) {
    case Learning::kFromData:
      return "this was a simulation: the model learned from the job's data, in simulated time";
    case Learning::kFromMadeUpRows:
      return "this was a simulation: the job's data were not found, so the model learned from "
             "made-up rows";
    case Learning::kByLaw:
      return "this was a simulation: the loss of a network falls by a made-up law, whatever its "
             "data are; it shows what the cluster does to the job, not what the model learns";
  }
  return "";
}

struct Prepared {
  sim::SimOptions options;
  Learning learning = Learning::kFromData;
};

Result<Prepared> prepare(const SimCommand& command) {
  SURETY_TRY(Job job, runtime::read_job(command.job_file.value(), command.sets));
  bool has_data = false;
  SURETY_TRY(JobConfig config, config_of(command, std::move(job), has_data));
  sim::SimOptions options;
  options.seed = command.seed;
  options.nodes = config.job.cluster.local();
  options.network.racks = command.racks;
  if (config.mode == RunMode::kTrain) config.plan = plan_by_hand(config.job);
  if (command.samples_per_s && model::is_linear(config.job.model.zoo)) {
    return fail(ErrorCode::kInvalidInput,
                "--samples-per-s cannot be used with the linear model {}: the simulation computes "
                "it, and takes its speed from the size of the samples; leave the option out",
                config.job.model.zoo);
  }
  options.learner = has_data
                        ? sim::linear_learner(config, data::local_files())
                        : sim::learner_for(config, command.samples_per_s.value_or(kSamplesPerS));
  if (command.faults) {
    const double end_s = std::min(kFaultsEndS, config.job.promise.deadline_s / 2);
    options.faults = sim::draw_faults(command.seed, {.begin_s = 2,
                                                     .end_s = end_s,
                                                     .nodes = options.nodes,
                                                     .racks = command.racks,
                                                     .per_minute_max = 6});
  }
  options.time_max_s = 2 * config.job.promise.deadline_s + 600;
  const Learning learning = learning_of(config, has_data);
  options.config = std::move(config);
  return Prepared{std::move(options), learning};
}

void print_json(const SimCommand& command, Learning learning, const sim::SimResult& result,
                const sim::Trace& trace, double wall_s) {
  nlohmann::ordered_json json;
  json["version"] = runtime::kVersion;
  json["note"] = words_of(learning);
  json["seed"] = command.seed;
  json["trace"] = fmt::format("{:016x}", result.trace);
  json["simulated_s"] = result.seconds;
  json["wall_s"] = wall_s;
  json["events"] = result.events;
  json["iterations"] = result.iterations;
  json["faults"] = result.faults;
  json["coordinator_restarts"] = result.restarts;
  json["violation"] = nullptr;
  if (result.violation) json["violation"] = *result.violation;
  json["timeline"] = nlohmann::ordered_json::array();
  for (const sim::Trace::Line& line : trace.lines()) {
    json["timeline"].push_back({{"time_s", line.time_s}, {"text", line.text}});
  }
  json["certificate"] = nlohmann::ordered_json::parse(to_json(result.state.record));
  std::fputs(json_text(json).c_str(), stdout);
}

// The summary of a run, with a headline that nobody takes for a result.
std::string simulated_summary(const RunRecord& record) {
  const std::string head = headline(record);
  const std::pair<std::string_view, std::string_view> words[] = {
      {"Promise kept", "the promise would be kept"},
      {"Promise missed", "the promise would be missed"},
      {"Promise infeasible", "the promise would be refused"}};
  std::string_view simulated = head;
  for (const auto& [real, would_be] : words) {
    if (head == real) simulated = would_be;
  }
  return fmt::format("Simulated: {}{}", simulated, summary(record).substr(head.size()));
}

int exit_code(const sim::SimResult& result) {
  if (result.violation || !result.finish) return kFailed;
  return cli::exit_code(result.finish->ending, result.state);
}

Result<int> simulate(const SimCommand& command) {
  SURETY_TRY(Prepared prepared, prepare(command));
  sim::SimOptions& options = prepared.options;
  if (!command.json) {
    fmt::print("surety {}: {} on {} simulated nodes, seed {}{}\n", runtime::kVersion,
               options.config.job.name, options.nodes, command.seed,
               command.faults ? ", with faults" : "");
  }
  const Time began = posix::now();
  sim::Cluster cluster(std::move(options));
  const sim::SimResult result = cluster.run();
  const double wall_s = to_seconds(posix::now() - began);
  if (command.json) {
    print_json(command, prepared.learning, result, cluster.trace(), wall_s);
    return exit_code(result);
  }
  if (!command.quiet) fmt::print("{}", sim::text_of(cluster.trace()));
  if (result.finish && result.finish->ending == Ending::kComplete) {
    const orchestrator::ProfileHistory& profile = result.state.profile_runs;
    const bool is_profile = result.state.beginning.mode == orchestrator::RunMode::kProfile;
    fmt::print("{}\n{}\n",
               is_profile ? fmt::format("profile: {} points of {} runs, cost {}",
                                        profile.finished.curves.size(), profile.done.size(),
                                        money(certificate::total_cost(result.state.record)))
                          : simulated_summary(result.state.record),
               words_of(prepared.learning));
  }
  if (result.violation) fmt::print("VIOLATION  {}\n", *result.violation);
  // Text that depends on this machine's speed goes to stderr, so that the same seed prints the same
  // bytes.
  fmt::print(stderr, "{:.4g} s simulated in {:.3g} s: {:.3g} times as fast as real time\n",
             result.seconds, wall_s, result.seconds / wall_s);
  fmt::print("{} events, {} iterations, {} faults, {} restarts of the coordinator\ntrace {:016x}\n",
             result.events, result.iterations, result.faults, result.restarts, result.trace);
  if (command.faults && result.faults == 0) {
    fmt::print("no fault came before the run ended; another --seed draws other times\n");
  }
  return exit_code(result);
}

// Simulates many small runs with faults, and reports each seed that fails.
Result<int> run_seeds(const SimCommand& command) {
  const std::string_view text = command.seeds.value();
  const std::size_t colon = std::min(text.find(':'), text.size());
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  const bool is_range = data::parse_uint(text.substr(0, colon), first) && colon < text.size() &&
                        data::parse_uint(text.substr(colon + 1), last);
  if (!is_range || first == 0 || last < first) {
    return fail(ErrorCode::kInvalidInput,
                "--seeds: found {}, expected FIRST:LAST, such as 1:100, or 5:5 for one seed", text);
  }
  const sim::SeedKind kind =
      command.asynchronous ? sim::SeedKind::kAsynchronous : sim::SeedKind::kSynchronous;
  std::uint64_t failed = 0;
  std::uint64_t faults = 0;
  std::uint64_t restarts = 0;
  std::uint64_t iterations = 0;
  double seconds = 0;
  for (std::uint64_t i = 0; i <= last - first; ++i) {
    const std::uint64_t seed = first + i;
    std::string lines;
    const sim::SimResult result = sim::run_seed(seed, kind, &lines);
    faults += result.faults;
    restarts += result.restarts;
    iterations += result.iterations;
    seconds += result.seconds;
    if (first == last && !command.quiet) fmt::print("{}", lines);
    if (!result.violation) continue;
    ++failed;
    fmt::print("seed {}: {}\n", seed, *result.violation);
  }
  fmt::print(
      "{} of {} runs failed: {} faults, {} restarts of the coordinator, {} iterations, "
      "{:.0f} s simulated\n",
      failed, last - first + 1, faults, restarts, iterations, seconds);
  return failed == 0 ? kKept : kFailed;
}

// Runs a scenario of scenarios/ (sim/scenario.h), and compares its ending with the expected one or
// rewrites it.
Result<int> run_scenario(const SimCommand& command) {
  const std::string& path = command.scenario.value();
  SURETY_TRY(const std::string text, posix::read_file(path));
  SURETY_TRY(const sim::Scenario scenario, sim::read_scenario(path, text));
  const std::string ending = sim::run_scenario(scenario);
  if (command.rewrite) {
    const std::string whole = sim::with_ending(scenario, ending);
    SURETY_TRY(posix::write_file_atomically(path, std::as_bytes(std::span(whole))));
    return kKept;
  }
  fmt::print("{}", ending);
  if (ending == scenario.expected) {
    fmt::print(stderr, "{}: the result is the expected one\n", path);
    return kKept;
  }
  const LineDifference at = first_difference(ending, scenario.expected).value_or(LineDifference{});
  fmt::print(stderr,
             "{}: the result differs from the expected one; the first line that differs:\n"
             "  found    {}\n  expected {}\n--rewrite replaces the expected result\n",
             path, at.found, at.expected);
  return kFailed;
}

// Refuses a word of the command line that would have no effect beside `option`.
Result<void> check_alone(const SimCommand& command, std::string_view option,
                         const std::vector<std::string_view>& used, std::string_view why) {
  for (const std::string& given : command.given) {
    if (given == option || std::ranges::find(used, given) != used.end()) continue;
    return fail(ErrorCode::kInvalidInput, "{} cannot be used with {}: {}; leave it out",
                given == "job" ? "a job file" : given, option, why);
  }
  return {};
}

Result<void> check_options(const SimCommand& command) {
  if (command.scenario) {
    return check_alone(command, "--scenario", {"--rewrite"},
                       "the file of the scenario states all that is simulated");
  }
  if (command.rewrite) {
    return fail(ErrorCode::kInvalidInput, "--rewrite needs a scenario: --scenario FILE");
  }
  if (command.seeds) {
    return check_alone(command, "--seeds", {"--asynchronous", "--quiet"},
                       "each seed draws a small run of its own, and the result is a text");
  }
  if (!command.asynchronous) return {};
  return fail(ErrorCode::kInvalidInput,
              "--asynchronous needs --seeds FIRST:LAST; for a job, write --set train.mode=async");
}

Result<int> carry_out(const SimCommand& command) {
  SURETY_TRY(check_options(command));
  if (command.scenario) return run_scenario(command);
  if (command.seeds) return run_seeds(command);
  if (command.job_file) return simulate(command);
  return fail(ErrorCode::kInvalidInput,
              "found no job file, expected one. For example:  surety sim examples/quickstart.yaml "
              "--nodes 16");
}

std::vector<std::string> mode_names() {
  std::vector<std::string> names;
  for (const RunMode mode : orchestrator::kRunModes) names.emplace_back(name_of(mode));
  return names;
}

}  // namespace

void add_sim(CLI::App& app, Action& chosen) {
  const auto options = std::make_shared<SimCommand>();
  CLI::App& command = *app.add_subcommand(
      "sim", "Run a job on a simulated cluster of any size, with faults if wanted");
  command
      .add_option_function<std::string>("job", store_in(options->job_file), "The job file (YAML)")
      ->type_name("JOB.yaml");
  command.add_option("--set", options->sets, "Override a key of the job file")
      ->type_name("KEY=VALUE");
  command
      .add_option_function<std::uint32_t>(
          "--nodes", [options](const std::uint32_t& nodes) { options->nodes = nodes; },
          "Number of workers of the first node type (default: as in the job)")
      ->check(whole_number(1, 100'000));
  command.add_option("--racks", options->racks, "Number of racks that the workers are spread over")
      ->check(whole_number(1, 1000));
  command.add_option("--seed", options->seed, "The same seed gives the same run, byte for byte")
      ->check(whole_number());
  command
      .add_option_function<std::string>(
          "--mode",
          [options](const std::string& name) { options->mode = run_mode_named(name).value(); },
          "run: the whole job; train: train with fixed settings; profile: measure only")
      ->check(CLI::IsMember(mode_names()));
  command
      .add_option_function<double>(
          "--samples-per-s", [options](const double& speed) { options->samples_per_s = speed; },
          "Speed of a node for networks, which the simulation does not compute")
      ->check([](const std::string& text) {
        double speed = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), speed);
        const bool is_speed = error == std::errc() && end == text.data() + text.size() &&
                              std::isfinite(speed) && speed > 0;
        return is_speed ? std::string()
                        : fmt::format("found {}, expected a number above 0", excerpt(text));
      });
  command.add_flag("--faults", options->faults, "Inject faults, which are drawn by the seed");
  command
      .add_option_function<std::string>(
          "--seeds", store_in(options->seeds),
          "Instead of a job: simulate small runs with faults, and check all invariants")
      ->type_name("FIRST:LAST");
  command.add_flag("--asynchronous", options->asynchronous,
                   "With --seeds: runs whose workers exchange updates at their own pace");
  command
      .add_option_function<std::string>("--scenario", store_in(options->scenario),
                                        "Instead of a job: run a scenario, a file of scenarios/")
      ->type_name("FILE");
  command.add_flag("--rewrite", options->rewrite,
                   "With --scenario: write the result to the file, as the expected one");
  command.add_flag("--json", options->json, "Print the timeline and the certificate as JSON");
  command.add_flag("--quiet", options->quiet, "Print no timeline");
  command.footer(
      "Examples:\n"
      "  surety sim examples/mnist.yaml --faults --seed 8\n"
      "  surety sim examples/glm.yaml --nodes 8 --mode train\n"
      "  surety sim --seeds 1:100\n"
      "  surety sim --seeds 1:100 --asynchronous\n"
      "  surety sim --scenario scenarios/scale-out.txt");
  command.callback([options, &command, &chosen] {
    for (const CLI::Option* option : command.get_options()) {
      if (option->count() > 0) options->given.push_back(option->get_name());
    }
    chosen = [options] {
      const Result<int> code = carry_out(*options);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace surety::cli
