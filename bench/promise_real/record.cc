#include "record.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace surety::bench {
namespace {

using Json = nlohmann::json;

constexpr const char* kHead =
    "job,way,probability,deadline_s,index,exit_code,verdict,run_s,wall_s,cost,stated_s,"
    "stated_lower,attempts,passes,versions,deciding,deciding_se,certified,certified_se,gather_s,"
    "train_s,certify_s,other_s,"
    "load_threads,machine_load,odd,stop_reason\n";

// Replaces commas and line breaks, because they separate fields and lines.
std::string plain(std::string text) {
  for (char& c : text) {
    if (c == ',') c = ';';
    if (c == '\n' || c == '\r') c = ' ';
  }
  return text;
}

std::string text_of(const std::optional<double>& value) {
  return value ? fmt::format("{}", *value) : std::string();
}

// Reads the fields of a line one by one.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string text() {
    if (over_) {
      good_ = false;
      return {};
    }
    const std::size_t comma = rest_.find(',');
    const std::string field(rest_.substr(0, comma));
    over_ = comma == std::string_view::npos;
    if (!over_) rest_.remove_prefix(comma + 1);
    return field;
  }
  double number() {
    const auto value = maybe();
    good_ = good_ && value.has_value();
    return value.value_or(0);
  }
  std::optional<double> maybe() {
    const std::string field = text();
    if (field.empty()) return std::nullopt;
    double value = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    good_ = good_ && error == std::errc() && end == field.data() + field.size();
    return value;
  }
  [[nodiscard]] bool all_good() const { return good_ && over_; }

 private:
  std::string_view rest_;
  bool over_ = false;
  bool good_ = true;
};

std::optional<double> number_at(const Json& json, const char* key) {
  const auto at = json.find(key);
  if (at == json.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

// Each phase ends where the next one begins; the last one lasts until the end of the run.
void read_phases(const Json& timeline, Record& record) {
  std::string phase;
  double since_s = 0;
  const auto until = [&](double now_s) {
    double& sum = phase == "gather"    ? record.gather_s
                  : phase == "train"   ? record.train_s
                  : phase == "certify" ? record.certify_s
                                       : record.other_s;
    sum += now_s - since_s;
    since_s = now_s;
  };
  for (const Json& event : timeline) {
    if (event.at("kind") != "phase") continue;
    until(event.at("time_s").get<double>());
    phase = event.at("text").get<std::string>();
  }
  until(std::max(record.run_s, since_s));
}

void read_measurements(const Json& measurements, Record& record) {
  std::string last;
  for (const Json& one : measurements) {
    ++record.passes;
    const Json& attempt = one.at("attempt");  // Null in training by a plan or by hand.
    if (!attempt.is_null()) {
      record.attempts = std::max(record.attempts, attempt.get<std::uint32_t>());
    }
    record.deciding = number_at(one, "metric");
    record.deciding_se = number_at(one, "metric_se");
    const std::string version = one.at("version").get<std::string>();
    if (version == last) continue;
    record.versions += (record.versions.empty() ? "" : ">") + version;
    last = version;
  }
}

void read(const Json& json, Record& record) {
  record.verdict = json.at("verdict").get<std::string>();
  record.run_s = json.at("run_s").get<double>();
  record.cost = json.at("profile_cost").get<double>() + json.at("training_cost").get<double>() +
                json.at("data_cost").get<double>();
  record.stop_reason = json.at("stop_reason").get<std::string>();
  const Json& stated = json.at("stated");
  if (!stated.is_null()) {
    record.stated_s = number_at(stated, "time_s");
    record.stated_lower = number_at(stated, "probability_lower");
  }
  const Json& certified = json.at("certified");
  if (!certified.is_null()) {
    record.certified = number_at(certified, "metric");
    record.certified_se = number_at(certified, "metric_se");
  }
  read_measurements(json.at("measurements"), record);
  read_phases(json.at("timeline"), record);
}

}  // namespace

std::uint64_t seed_of(const RunKey& key) {
  const double probability = key.way == kOurs ? key.probability : 0.9;
  return 1000 * static_cast<std::uint64_t>(std::lround(100 * probability)) + key.index + 1;
}

bool is_loaded(const RunKey& key) { return key.index % 2 == 1; }

Result<void> read_certificate(std::string_view json, Record& record) {
  try {
    read(Json::parse(json), record);
  } catch (const Json::exception& error) {
    return fail(ErrorCode::kInvalidInput, "certificate.json: {}", error.what());
  }
  return {};
}

std::string anomaly_of(const Record& record, double target) {
  static constexpr std::array<std::pair<const char*, int>, 4> kCodes{
      {{"kept", 0}, {"infeasible", 2}, {"missed", 3}, {"stopped", 130}}};
  if (record.verdict == "none") return fmt::format("no certificate; code {}", record.exit_code);
  bool known = false;
  for (const auto& [verdict, code] : kCodes) {
    if (record.verdict != verdict) continue;
    known = true;
    if (record.exit_code != code) {
      return fmt::format("{} with exit code {}", record.verdict, record.exit_code);
    }
  }
  if (!known) return fmt::format("unknown verdict {}", record.verdict);
  const bool reached = record.certified && *record.certified <= target;
  const bool in_time = record.run_s <= record.key.deadline_s;
  if (record.verdict == "kept" && !(reached && in_time))
    return "kept, but its numbers miss the promise";
  if (record.verdict == "missed" && reached && in_time)
    return "missed, but its numbers keep the promise";
  if (record.verdict == "kept" && record.wall_s > record.key.deadline_s) {
    return fmt::format("kept, but the command took {:.1f} s", record.wall_s);
  }
  return {};
}

std::string csv_head() { return kHead; }

std::string to_csv(const Record& record) {
  const RunKey& key = record.key;
  return fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", key.job,
      key.way, key.probability, key.deadline_s, key.index, record.exit_code, record.verdict,
      record.run_s, record.wall_s, record.cost, text_of(record.stated_s),
      text_of(record.stated_lower), record.attempts, record.passes, record.versions,
      text_of(record.deciding), text_of(record.deciding_se), text_of(record.certified),
      text_of(record.certified_se), record.gather_s, record.train_s, record.certify_s,
      record.other_s, record.load_threads, record.machine_load, plain(record.anomaly),
      plain(record.stop_reason));
}

Result<std::vector<Record>> records_from_csv(std::string_view text) {
  std::vector<Record> records;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;  // A program that was killed left an incomplete line.
    Fields fields(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (line == 1) continue;
    Record record;
    record.key.job = fields.text();
    record.key.way = fields.text();
    record.key.probability = fields.number();
    record.key.deadline_s = fields.number();
    record.key.index = static_cast<std::uint32_t>(fields.number());
    record.exit_code = static_cast<int>(fields.number());
    record.verdict = fields.text();
    record.run_s = fields.number();
    record.wall_s = fields.number();
    record.cost = fields.number();
    record.stated_s = fields.maybe();
    record.stated_lower = fields.maybe();
    record.attempts = static_cast<std::uint32_t>(fields.number());
    record.passes = static_cast<std::uint32_t>(fields.number());
    record.versions = fields.text();
    record.deciding = fields.maybe();
    record.deciding_se = fields.maybe();
    record.certified = fields.maybe();
    record.certified_se = fields.maybe();
    record.gather_s = fields.number();
    record.train_s = fields.number();
    record.certify_s = fields.number();
    record.other_s = fields.number();
    record.load_threads = fields.number();
    record.machine_load = fields.number();
    record.anomaly = fields.text();
    record.stop_reason = fields.text();
    if (!fields.all_good()) {
      return fail(ErrorCode::kInvalidInput, "line {}: found no run, expected {}", line, kHead);
    }
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace surety::bench
