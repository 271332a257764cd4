// surety predict: applies a trained model to data.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/output.h"
#include "cli/run/linear_summary.h"
#include "data/posix/open.h"
#include "learn/linear/model/linear_model_file.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/predict.h"
#include "runtime/worker_environment.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
using orchestrator::run_folder::kModel;

struct PredictOptions {
  std::string model;
  std::string data;
  std::string output;
  bool json = false;
};

// A model of a billion weights takes 20 GB as text; a larger file is probably not a model.
constexpr std::uint64_t kModelBytesMax = 32ull << 30;

Result<fs::path> model_file(const std::string& model) {
  fs::path path = model;
  std::error_code error;
  if (!fs::is_directory(path, error)) return path;
  path /= kModel;
  if (fs::exists(path, error)) return path;
  return fail(ErrorCode::kInvalidInput,
              "{}: found no {}, expected a run that has ended with a certified model; see  surety "
              "status {}",
              model, kModel, model);
}

// Where predictions go: a file that appears only when it is complete, the terminal, or nowhere.
class Output {
 public:
  static Result<Output> open(const PredictOptions& options) {
    Output output;
    output.target_ = options.output;
    output.to_stdout_ = options.output.empty() && !options.json;
    if (options.output.empty()) return output;
    output.partial_ = output.target_;
    output.partial_ += ".partial";
    SURETY_TRY(output.file_, posix::AppendFile::open(output.partial_, 0));
    return output;
  }

  Result<void> write(const std::vector<double>& predictions, bool labels) {
    std::string text;
    for (const double value : predictions) {
      if (labels) {
        fmt::format_to(std::back_inserter(text), "{:.0f}\n", value);
      } else {
        fmt::format_to(std::back_inserter(text), "{:.9g}\n", value);
      }
    }
    if (file_) return file_->append(std::as_bytes(std::span(text)));
    if (!to_stdout_ || std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
    return fail(ErrorCode::kUnavailable, "cannot write predictions to standard output");
  }

  Result<void> finish() {
    if (!file_) return {};
    SURETY_TRY(file_->sync());
    std::error_code error;
    fs::rename(partial_, target_, error);
    if (!error) return {};
    return fail(ErrorCode::kUnavailable, "{}: {}", target_.string(), error.message());
  }

  void give_up() {
    std::error_code ignored;  // The error that brought us here is the one to report.
    if (file_) fs::remove(partial_, ignored);
  }

 private:
  fs::path target_;
  fs::path partial_;
  std::optional<posix::AppendFile> file_;
  bool to_stdout_ = false;
};

// A model that predicts, and its name in JSON.
struct Loaded {
  std::unique_ptr<learn::Predictor> predictor;
  const char* key = "solver";  // A network has "network" here.
  std::string name;
  std::uint64_t features = 0;
};

std::string as_json(const Loaded& model, const learn::PredictionScore& sums, const fs::path& file) {
  const auto samples = static_cast<double>(sums.samples);
  nlohmann::json out{{"model", file.string()},
                     {model.key, model.name},
                     {"samples", sums.samples},
                     {"samples_with_unknown_features", sums.unknown_features}};
  if (model.predictor->classifies()) {
    out["correct"] = sums.correct;
    out["accuracy"] = static_cast<double>(sums.correct) / samples;
  } else {
    out["mean_squared_error"] = sums.square_error_sum / samples;
  }
  return json_text(out);
}

// Pipes read the predictions and a person reads the score: if predictions go to standard output,
// the score goes to stderr.
void print_score(const PredictOptions& options, const Loaded& model,
                 const learn::PredictionScore& sums, const fs::path& file) {
  if (options.json) {
    std::fputs(as_json(model, sums, file).c_str(), stdout);
    return;
  }
  std::FILE* stream = options.output.empty() ? stderr : stdout;
  if (options.output.empty()) std::fflush(stdout);
  if (sums.unknown_features > 0) {
    fmt::print(
        stderr,
        "note: {} samples have features beyond the {} of the model; these features are ignored\n",
        sums.unknown_features, model.features);
  }
  fmt::print(stream, "{}\n", score_text(model.predictor->classifies(), sums));
}

// Continues in the program with libtorch, as `surety worker` does and for the same reason.
Result<int> become_network_program(const PredictOptions& options) {
  const std::string program = sibling_program("surety-worker").string();
  const auto threads = static_cast<std::uint32_t>(posix::usable_cores());
  for (const auto& [key, value] : runtime::worker_environment(threads)) {
    ::setenv(key.c_str(), value.c_str(), 1);
  }
  std::vector<std::string> arguments{program,       "predict", "--model",
                                     options.model, "--data",  options.data};
  if (!options.output.empty()) arguments.insert(arguments.end(), {"--output", options.output});
  if (options.json) arguments.push_back("--json");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  ::execv(program.c_str(), argv.data());
  return fail(ErrorCode::kInvalidInput, "this model is a network, but {} cannot be started: {}",
              program, std::strerror(errno));
}

Result<Loaded> load(const fs::path& file, const std::string& bytes,
                    const NetworkPredictors& networks) {
  if (learn::is_network_file(bytes)) {
    SURETY_TRY(learn::TrainedNetwork network, learn::read_network(file.string(), bytes));
    Loaded loaded{.predictor = {},
                  .key = "network",
                  .name = network.spec.name,
                  .features = network.spec.input.features()};
    if (networks) loaded.predictor = networks(std::move(network));
    return loaded;
  }
  SURETY_TRY(learn::LinearModel model, learn::read_linear_model(file.string(), bytes));
  Loaded loaded{.predictor = {}, .key = "solver", .name = model.solver, .features = model.features};
  loaded.predictor = learn::make_linear_predictor(std::move(model));
  return loaded;
}

Result<int> predict(const PredictOptions& options, const NetworkPredictors& networks) {
  SURETY_TRY(const fs::path file, model_file(options.model));
  SURETY_TRY(const data::SourceUrl url, data::parse_url(options.data));
  SURETY_TRY(std::string bytes, posix::read_file(file, kModelBytesMax));
  SURETY_TRY(const Loaded model, load(file, bytes, networks));
  if (!model.predictor) return become_network_program(options);
  bytes = {};  // The predictor has its own copy.
  SURETY_TRY(Output output, Output::open(options));
  const auto sums = runtime::predict_source(
      *model.predictor, url, data::local_files(), [&](const auto& predictions) {
        return output.write(predictions, model.predictor->classifies());
      });
  const Result<void> finished = sums ? output.finish() : tl::unexpected(sums.error());
  if (!finished) {
    output.give_up();
    return fail_in(finished.error(), "model {}", file.string());
  }
  print_score(options, model, *sums, file);
  return kKept;
}

}  // namespace

void add_predict(CLI::App& app, Action& chosen, NetworkPredictors networks) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App& command = *app.add_subcommand(
      "predict", "Predict with a trained model, and measure how good the predictions are");
  command
      .add_option("--model", options->model,
                  "A run's folder, a model.safetensors, or a LIBLINEAR model file")
      ->required()
      ->type_name("RUN|FILE");
  command
      .add_option("--data", options->data,
                  "URL of the labelled samples, as in a job file: libsvm:///data/a9a.t.gz")
      ->required()
      ->type_name("URL");
  command
      .add_option("--output", options->output,
                  "File for the predictions, one per line (default: standard output)")
      ->type_name("FILE");
  command.add_flag("--json", options->json,
                   "Print the score as JSON; predictions are then written only to --output");
  command.footer(
      "The data must have a label for each sample, and the features in the order of the training\n"
      "data: a model does not know the names of columns, so another order is not noticed.\n"
      "The data are read once, block by block. The last line is the accuracy, or the mean squared\n"
      "error of a regression. If the predictions go to standard output, this line goes to stderr.\n"
      "Examples:\n"
      "  surety predict --model runs/a9a-1 --data libsvm://a9a.t.gz --output predictions.txt\n"
      "  surety predict --model runs/mnist-1 --data idx://t10k-images-idx3-ubyte.gz\n"
      "  surety predict --model model.liblinear --data libsvm://test.svm --json");
  command.callback([options, &chosen, networks = std::move(networks)] {
    chosen = [options, networks] {
      const Result<int> code = predict(*options, networks);
      return code ? *code : report_error(code.error(), options->json);
    };
  });
}

}  // namespace surety::cli
