// Where the bench's reports go. Every file is opened before the load begins: that a path cannot be written must not be
// found out after a run that was paid for.
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
  std::string json_file, csv_file, html_file;  // "-": standard output

  bool take_stdout() const { return json_file == "-" || csv_file == "-" || html_file == "-"; }
};

// What a run leaves behind, as text.
struct written_report {
  struct part {
    std::string folder;  // in the output folder: "concurrency_10", "A_1000_tokens_in"
    std::vector<std::pair<std::string, std::string>> files;  // name, text
  };

  std::string json, csv, html;
  std::vector<part> parts;
};
written_report written(const bench::bench_run& run);
written_report written(const bench::comparison_run& run);

// One file. What was in it stays until write(); a file that was made here and never written is removed again.
class output_file {
 public:
  output_file() = default;  // none: write() does nothing
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  // Why it cannot be opened; empty: it is open. "-" is standard output.
  std::string open(const std::filesystem::path& path);
  bool write(const std::string& text);  // once; says on standard error what went wrong

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, closer> file_;
  bool is_new_ = false;
};

// A folder that was made here, and is removed again when nothing was written into it.
class made_folder {
 public:
  made_folder() = default;
  made_folder(const made_folder&) = delete;
  made_folder& operator=(const made_folder&) = delete;
  ~made_folder();

  std::error_code make(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;  // empty: it was there
};

class bench_outputs {
 public:
  explicit bench_outputs(output_places places) : places_(std::move(places)) {}

  // What stands in the way, naming the option; empty: everything can be written.
  std::string open();
  bool write(const written_report& report);  // false: something could not be written, which is said

 private:
  std::string open_folder();
  bool write_parts(const written_report& report) const;

  output_places places_;
  made_folder folder_;  // before the files in it, which must go first
  output_file json_, csv_, html_, folder_json_, folder_csv_, folder_html_;
};

}  // namespace photofinish::gateway
