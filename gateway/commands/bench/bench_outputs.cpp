#include "gateway/commands/bench/bench_outputs.hpp"

#include "gateway/bench/report/data_report.hpp"
#include "gateway/bench/report/html_report.hpp"
#include "gateway/bench/scorecard/card_data.hpp"
#include "gateway/bench/scorecard/card_page.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>

namespace photofinish::gateway {

namespace fs = std::filesystem;
using namespace bench;

namespace {

std::string error_text(int error) { return std::generic_category().message(error); }

bool cannot_write(const fs::path& path, const std::string& why) {
  std::cerr << "error: cannot write " << path.string() << ": " << why << "\n";
  return false;
}

bool write_file(const fs::path& path, const std::string& text) {
  output_file file;
  const std::string problem = file.open(path);
  return problem.empty() ? file.write(text) : cannot_write(path, problem);
}

// Returns the name of a level's folder, such as concurrency_10 or rate_2.5.
std::string folder_of(const load_level& level) {
  std::string name = level.name();
  if (name.ends_with("/s")) name.resize(name.size() - 2);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

output_file::~output_file() {
  if (!is_new_) return;
  std::error_code ignored;
  fs::remove(path_, ignored);
}

std::string output_file::open(const fs::path& path) {
  path_ = path;
  if (path == "-") return {};
  constexpr mode_t for_all = 0666;  // the permissions of a new file; the umask removes some of them
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all);
  is_new_ = descriptor >= 0;
  if (!is_new_) descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, for_all);
  if (descriptor < 0) return error_text(errno);
  file_.reset(::fdopen(descriptor, "wb"));
  return {};
}

bool output_file::write(const std::string& text) {
  if (path_ == "-") return static_cast<bool>(std::cout << text << std::flush);
  if (!file_) return true;
  is_new_ = false;
  std::FILE* file = file_.release();
  struct stat about {};
  const bool is_regular = ::fstat(::fileno(file), &about) == 0 && S_ISREG(about.st_mode);
  bool is_written = !is_regular || ::ftruncate(::fileno(file), 0) == 0;
  is_written = is_written && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int error = is_written ? 0 : errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  return error == 0 || cannot_write(path_, error_text(error));
}

made_folder::~made_folder() {
  std::error_code not_empty;
  if (!path_.empty()) fs::remove(path_, not_empty);
}

std::error_code made_folder::make(const fs::path& path) {
  std::error_code ec;
  if (fs::create_directories(path, ec)) path_ = path;
  return ec;
}

std::string bench_outputs::open() {
  const auto try_one = [](const char* option, output_file& file, const std::string& path) -> std::string {
    const std::string problem = path.empty() ? "" : file.open(path);
    return problem.empty() ? "" : std::string(option) + ": cannot write " + path + ": " + problem;
  };
  std::string problem = try_one("--json", json_, places_.json_file);
  if (problem.empty()) problem = try_one("--csv", csv_, places_.csv_file);
  if (problem.empty()) problem = try_one("--html", html_, places_.html_file);
  return problem.empty() && !places_.folder.empty() ? open_folder() : problem;
}

std::string bench_outputs::open_folder() {
  const fs::path folder = places_.folder;
  const std::error_code ec = folder_.make(folder);
  if (ec) return "--output-dir: cannot create " + folder.string() + ": " + ec.message();
  const std::pair<output_file*, const char*> files[] = {
      {&folder_json_, "bench.json"}, {&folder_csv_, "bench.csv"}, {&folder_html_, "bench.html"}};
  for (const auto& [file, name] : files)
    if (const std::string problem = file->open(folder / name); !problem.empty())
      return "--output-dir: cannot write " + (folder / name).string() + ": " + problem;
  return {};
}

bool bench_outputs::write(const written_report& report) {
  bool is_written = json_.write(report.json);
  is_written &= csv_.write(report.csv);
  is_written &= html_.write(report.html);
  is_written &= folder_json_.write(report.json);
  is_written &= folder_csv_.write(report.csv);
  is_written &= folder_html_.write(report.html);
  return (places_.folder.empty() || write_parts(report)) && is_written;
}

bool bench_outputs::write_parts(const written_report& report) const {
  bool is_written = true;
  for (const written_report::part& part : report.parts) {
    const fs::path room = places_.folder / fs::path(part.folder);
    std::error_code ec;
    fs::create_directories(room, ec);
    if (ec) return cannot_write(room, ec.message());
    for (const auto& [name, text] : part.files) is_written &= write_file(room / name, text);
  }
  return is_written;
}

written_report written(const bench_run& run) {
  const run_report& all = run.report();
  written_report report{write_json(all), write_csv(all), write_html(all), {}};
  for (std::size_t i = 0; i < run.levels().size(); ++i) {
    const level_report& level = all.levels[i];
    report.parts.push_back({folder_of(level.level),
                            {{"profile_export_aiperf.json", write_level_json(all, level)},
                             {"profile_export_aiperf.csv", write_level_csv(level)},
                             {"profile_export.jsonl", write_records(all, run.levels()[i].records)}}});
  }
  return report;
}

written_report written(const comparison_run& run) {
  const scorecard& card = run.card();
  written_report report{write_card_json(card), write_card_csv(card), write_card_page(card), {}};
  for (std::size_t i = 0; i < card.cells.size(); ++i) {
    const card_cell& cell = card.cells[i];
    const std::string folder =
        letter_of(cell.endpoint) + "_" + std::to_string(card.plan.input_tokens[cell.size]) + "_tokens_in";
    report.parts.push_back(
        {folder, {{"profile_export.jsonl", write_card_records(card, cell, run.cells()[i].records)}}});
  }
  return report;
}

}  // namespace photofinish::gateway
