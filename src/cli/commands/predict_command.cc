// surety predict: applies a trained model to data.
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "base/posix/append_file.h"
#include "base/posix/cpu.h"
#include "base/posix/file.h"
#include "base/text.h"
#include "base/words.h"
#include "cli/commands/commands.h"
#include "cli/exit_codes.h"
#include "cli/network_program.h"
#include "cli/output.h"
#include "cli/run/linear_summary.h"
#include "cli/usage.h"
#include "data/posix/open.h"
#include "data/url.h"
#include "learn/linear/model/linear_model_file.h"
#include "orchestrator/history/run_folder.h"
#include "runtime/job/predict.h"

namespace surety::cli {
namespace {

namespace fs = std::filesystem;
using orchestrator::run_folder::kModel;
using runtime::Predicted;

struct PredictOptions {
  std::string model;
  std::string data;
  std::optional<std::string> output;
  bool no_labels = false;
  bool scores = false;
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
    output.to_stdout_ = !options.output && !options.json;
    if (!options.output) return output;
    output.target_ = *options.output;
    SURETY_TRY(check_replaceable("--output", output.target_, "predictions go"));
    output.partial_ = output.target_;
    output.partial_ += ".partial";
    SURETY_TRY(output.file_, posix::AppendFile::open(output.partial_, 0));
    return output;
  }

  Result<void> write(std::string_view text) {
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
    std::error_code ignored;  // The first error is the one to report.
    if (file_) fs::remove(partial_, ignored);
  }

 private:
  fs::path target_;
  fs::path partial_;
  std::optional<posix::AppendFile> file_;
  bool to_stdout_ = false;
};

// The names of the columns of an output with scores.
std::string score_header(const learn::Predictor& model) {
  std::string text = "prediction";
  for (const int label : model.classes()) {
    text += fmt::format(",{}_{}", model.gives_probabilities() ? "probability" : "decision", label);
  }
  return text + "\n";
}

// A line for each sample: the prediction and, if there are scores, that of each class.
std::string lines_of(const learn::Predictor& model, const runtime::PredictedBlock& block) {
  std::string text;
  const std::size_t classes = block.scores.empty() ? 0 : model.classes().size();
  for (std::size_t i = 0; i < block.predictions.size(); ++i) {
    if (model.classifies()) {
      fmt::format_to(std::back_inserter(text), "{:.0f}", block.predictions[i]);
    } else {
      fmt::format_to(std::back_inserter(text), "{:.9g}", block.predictions[i]);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      fmt::format_to(std::back_inserter(text), ",{:.6g}", block.scores[i * classes + c]);
    }
    text += '\n';
  }
  return text;
}

// A model that predicts, and its name in JSON.
struct Loaded {
  std::unique_ptr<learn::Predictor> predictor;
  const char* key = "solver";  // A network has "network" here.
  std::string name;
};

bool are_matched_by_name(const Loaded& model, const Predicted& predicted) {
  return predicted.has_columns && !model.predictor->feature_names().empty();
}

std::string as_json(const Loaded& model, const Predicted& predicted, const fs::path& file) {
  nlohmann::json out{{"model", file.string()},
                     {model.key, model.name},
                     {"samples", predicted.samples},
                     {"samples_with_unknown_features", predicted.unknown_features},
                     {"features_by", are_matched_by_name(model, predicted) ? "name" : "place"},
                     {"ignored_columns", predicted.ignored_columns}};
  if (!predicted.score) return json_text(out);
  const auto samples = static_cast<double>(predicted.score->samples);
  if (model.predictor->classifies()) {
    out["correct"] = predicted.score->correct;
    out["accuracy"] = static_cast<double>(predicted.score->correct) / samples;
  } else {
    const double error = predicted.score->square_error_sum / samples;
    out["mean_squared_error"] = error;
    out["loss"] = error / 2;
  }
  return json_text(out);
}

// Says which features of the data were not used, and where names could not be compared.
void print_notes(const Loaded& model, const Predicted& predicted) {
  if (predicted.unknown_features > 0) {
    fmt::print(stderr,
               "note: {} of the data with features beyond the {} of the model, which are ignored\n",
               counted(predicted.unknown_features, "sample"), model.predictor->features());
  }
  if (const std::vector<std::string>& ignored = predicted.ignored_columns; !ignored.empty()) {
    constexpr std::size_t kShownMax = 20;
    const auto shown = std::span(ignored).first(std::min(ignored.size(), kShownMax));
    fmt::print(stderr, "note: {} of the data without a feature of the model {} ignored: {}{}\n",
               counted(ignored.size(), "column"), ignored.size() == 1 ? "is" : "are",
               plain_text(fmt::format("{}", fmt::join(shown, ", ")), kMessageBytesMax),
               ignored.size() > kShownMax ? ", ..." : "");
  }
  const bool has_names = !model.predictor->feature_names().empty();
  if (has_names == predicted.has_columns) return;
  fmt::print(stderr, "note: {} no names of features, so these are taken by their place\n",
             has_names ? "the data have" : "the model has");
}

// Pipes read the predictions and a person reads the score: if predictions go to standard output,
// the score goes to stderr.
void print_score(const PredictOptions& options, const Loaded& model, const Predicted& predicted,
                 const fs::path& file) {
  if (options.json) {
    std::fputs(as_json(model, predicted, file).c_str(), stdout);
    return;
  }
  std::FILE* stream = options.output ? stdout : stderr;
  if (!options.output) std::fflush(stdout);
  print_notes(model, predicted);
  if (predicted.score) {
    fmt::print(stream, "{}\n", score_text(model.predictor->classifies(), *predicted.score));
  } else {
    fmt::print(stream, "{} without labels\n", counted(predicted.samples, "sample"));
  }
}

Result<int> become_network_predictor(const PredictOptions& options) {
  std::vector<std::string> arguments{"predict", "--model", options.model, "--data", options.data};
  if (options.output) arguments.insert(arguments.end(), {"--output", *options.output});
  if (options.no_labels) arguments.push_back("--no-labels");
  if (options.scores) arguments.push_back("--scores");
  if (options.json) arguments.push_back("--json");
  return become_network_program(static_cast<std::uint32_t>(posix::usable_cores()),
                                std::move(arguments), "this model is a network");
}

Result<Loaded> load(const fs::path& file, const std::string& bytes,
                    const NetworkPredictors& networks) {
  if (learn::is_network_file(bytes)) {
    SURETY_TRY(learn::TrainedNetwork network, learn::read_network(file.string(), bytes));
    Loaded loaded{.predictor = {}, .key = "network", .name = network.spec.name};
    if (networks) loaded.predictor = networks(std::move(network));
    return loaded;
  }
  SURETY_TRY(learn::LinearModel model, learn::read_linear_model(file.string(), bytes));
  Loaded loaded{.predictor = {}, .key = "solver", .name = model.solver};
  loaded.predictor = learn::make_linear_predictor(std::move(model));
  return loaded;
}

// A damaged model is a fault of the input: Surety itself works.
Error model_error(const Error& error) {
  if (error.code != ErrorCode::kCorrupt) return error;
  return {ErrorCode::kInvalidInput,
          error.message + ". Restore the file from a copy, or train the model again"};
}

// InvalidInput if the URL says where labels are, and --no-labels that there are none.
Result<data::Labels> labels_of(const PredictOptions& options, const data::SourceUrl& url) {
  if (!options.no_labels) return data::Labels::kIfNamed;
  for (const char* key : {"label", "labels"}) {
    if (!url.options.contains(key)) continue;
    return fail(ErrorCode::kInvalidInput,
                "data {}: found {}= and --no-labels, expected only one of them", url.text, key);
  }
  if (!url.path.empty()) return data::Labels::kNone;
  return fail(ErrorCode::kInvalidInput,
              "data {}: found a generator and --no-labels, expected a file: generated samples have "
              "labels",
              url.text);
}

Result<int> predict(const PredictOptions& options, const NetworkPredictors& networks) {
  SURETY_TRY(const fs::path file, model_file(options.model));
  SURETY_TRY(const data::SourceUrl url, data::parse_url(options.data));
  SURETY_TRY(const data::Labels labels, labels_of(options, url));
  SURETY_TRY(std::string bytes, posix::read_file(file, kModelBytesMax));
  const Result<Loaded> loaded = load(file, bytes, networks);
  if (!loaded) return tl::unexpected(model_error(loaded.error()));
  const Loaded& model = *loaded;
  if (!model.predictor) return become_network_predictor(options);
  bytes = {};  // The predictor has its own copy.
  if (options.scores && !model.predictor->classifies()) {
    return fail(ErrorCode::kInvalidInput,
                "--scores: found a model that predicts numbers ({}), expected one that predicts "
                "classes: leave the option out",
                model.name);
  }
  SURETY_TRY(Output output, Output::open(options));
  const auto scores = options.scores ? runtime::Scores::kWanted : runtime::Scores::kNone;
  std::string header = options.scores ? score_header(*model.predictor) : "";
  const auto predicted = runtime::predict_source(
      *model.predictor, url, labels, scores, data::local_files(),
      [&](const runtime::PredictedBlock& block) {
        // The header comes with the first block, so that a source without samples gives no line.
        const std::string lines = std::exchange(header, "") + lines_of(*model.predictor, block);
        return output.write(lines);
      });
  const Result<void> finished = predicted ? output.finish() : tl::unexpected(predicted.error());
  if (!finished) {
    output.give_up();
    return fail_in(finished.error(), "model {}", file.string());
  }
  print_score(options, model, *predicted, file);
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
                  "URL of the samples, as in a job file: csv://new.csv, libsvm:///data/a9a.t.gz")
      ->required()
      ->type_name("URL");
  command
      .add_option_function<std::string>(
          "--output", store_in(options->output),
          "File for the predictions, one per line (default: standard output)")
      ->type_name("FILE");
  command.add_flag("--no-labels", options->no_labels,
                   "The data have no labels: only predict, do not measure");
  command.add_flag("--scores", options->scores,
                   "Add a column for each class to the predictions: its probability, or the "
                   "decision value of an svm");
  command.add_flag("--json", options->json,
                   "Print the score as JSON; predictions are then written only to --output");
  command.footer(
      "Columns: a model that was trained on CSV finds its features in CSV by the names of the\n"
      "columns, in any order. A missing column is refused, and other columns are ignored. With\n"
      "other data, and with a model.liblinear, features are taken by their place.\n"
      "Labels: csv://FILE?label=COLUMN and npy://FILE?labels=FILE name them. Without this option,\n"
      "these data have none. Other formats have labels; if a file has none, add --no-labels.\n"
      "LIBSVM may then have a number before the features, which is not used.\n"
      "Scores: with --scores, the output is CSV with the header prediction,probability_0,... The\n"
      "probabilities of a network are the softmax of its outputs, and those of logistic come from\n"
      "the logistic function; their sum is 1. An svm or svm-l2 has no probabilities. The header "
      "is\n"
      "then prediction,decision_1,..., and a larger decision value means a more certain class.\n"
      "The data are read once, block by block. The last line is the accuracy, or the mean squared\n"
      "error of a regression, if there are labels. Half of this error is the loss that a job\n"
      "promises. If the predictions go to standard output, this line goes to stderr.\n"
      "Examples:\n"
      "  surety predict --model runs/houses-1 --data csv://new.csv --output predictions.txt\n"
      "  surety predict --model runs/houses-1 --data 'csv://test.csv?label=price'\n"
      "  surety predict --model runs/a9a-1 --data libsvm://a9a.t.gz --output predictions.txt\n"
      "  surety predict --model runs/a9a-1 --data libsvm://new.svm --no-labels\n"
      "  surety predict --model runs/a9a-1 --data libsvm://a9a.t.gz --scores --output scores.csv\n"
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
