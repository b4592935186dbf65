// The output files of the bench. All files are opened before the load begins, so that a path that cannot be written is
// reported before a run that costs money.
#pragma once

#include "gateway/bench/load/bench_run.hpp"
#include "gateway/bench/scorecard/comparison_run.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace photofinish::gateway {

struct output_places {
  std::string folder;
  std::string json_file, csv_file, html_file;  // "-" means standard output

  bool take_stdout() const { return json_file == "-" || csv_file == "-" || html_file == "-"; }
};

// The reports of a run, as text.
struct written_report {
  struct part {
    std::string folder;  // folder name in the output folder: "concurrency_10", "A_1000_tokens_in"
    std::vector<std::pair<std::string, std::string>> files;  // pairs of name and text
  };

  std::string json, csv, html;
  std::vector<part> parts;
};
written_report written(const bench::bench_run& run);
written_report written(const bench::comparison_run& run);

// One output file. Its old content stays until write(). If the file is new and nothing was written, it is removed
// again.
class output_file {
 public:
  output_file() = default;  // without open(), write() does nothing
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  // Opens the file. Returns why it cannot be opened, or an empty text. "-" is standard output.
  std::string open(const std::filesystem::path& path);
  bool write(const std::string& text);  // call it only once; reports errors on standard error

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, closer> file_;
  bool is_new_ = false;
};

// A folder that is removed again if it is new and nothing was written into it.
class made_folder {
 public:
  made_folder() = default;
  made_folder(const made_folder&) = delete;
  made_folder& operator=(const made_folder&) = delete;
  ~made_folder();

  std::error_code make(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;  // empty: the folder existed before
};

class bench_outputs {
 public:
  explicit bench_outputs(output_places places) : places_(std::move(places)) {}

  // Opens all outputs. Returns the first problem, with the option's name, or an empty text.
  std::string open();
  bool write(const written_report& report);  // false: an output could not be written, which was reported

 private:
  std::string open_folder();
  bool write_parts(const written_report& report) const;

  output_places places_;
  made_folder folder_;  // declared before its files, so that they are destroyed first
  output_file json_, csv_, html_, folder_json_, folder_csv_, folder_html_;
};

}  // namespace photofinish::gateway
