#include "runtime/files/coordinator_file.h"

#include <nlohmann/json.hpp>

#include "base/posix/file.h"
#include "orchestrator/history/run_folder.h"

namespace surety::runtime {
namespace {

constexpr std::uint64_t kBytesMax = 64 << 10;
constexpr const char* kAdvice =
    "remove this file to resume the run without the workers of its last coordinator";

std::filesystem::path path_in(const std::filesystem::path& run) {
  return run / orchestrator::run_folder::kCoordinator;
}

}  // namespace

Result<void> write_coordinator_file(const std::filesystem::path& run, const CoordinatorFile& file) {
  const nlohmann::json json{{"address", file.address}, {"token", file.token}, {"term", file.term}};
  return posix::write_secret_file(path_in(run), json.dump() + "\n");
}

Result<std::optional<CoordinatorFile>> read_coordinator_file(const std::filesystem::path& run) {
  std::error_code error;
  if (!std::filesystem::exists(path_in(run), error)) return std::nullopt;
  const Result<std::string> text = posix::read_file(path_in(run), kBytesMax);
  if (!text) return fail(ErrorCode::kInvalidInput, "{}; {}", text.error().message, kAdvice);
  const auto json = nlohmann::json::parse(*text, nullptr, false);
  const auto is_text = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_string() && json[key] != "";
  };
  const auto is_count = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_number_unsigned() &&
           json[key].get<std::uint64_t>() <= UINT32_MAX;
  };
  if (!is_text("address") || !is_text("token") || !is_count("term")) {
    return fail(ErrorCode::kInvalidInput,
                "{}: found a damaged file, expected an address, a token and a term; {}",
                path_in(run).string(), kAdvice);
  }
  return CoordinatorFile{.address = json["address"],
                         .token = json["token"],
                         .term = json["term"].get<std::uint32_t>()};
}

void remove_coordinator_file(const std::filesystem::path& run) {
  std::error_code ignored;
  std::filesystem::remove(path_in(run), ignored);
}

}  // namespace surety::runtime
