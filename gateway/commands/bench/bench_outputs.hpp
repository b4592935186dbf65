// The output files of the bench. All files are opened before the load begins. Therefore a path that cannot be written
// is reported before the run costs money.
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
  std::string json_file, csv_file, html_file;  // the paths of the files; "-" means standard output

  bool take_stdout() const { return json_file == "-" || csv_file == "-" || html_file == "-"; }
};

// The reports of a run, as the contents of the files to write.
struct written_report {
  struct part {
    // The name of a folder in the output folder, for example "concurrency_10" or "A_1000_tokens_in".
    std::string folder;
    std::vector<std::pair<std::string, std::string>> files;  // the name and the text of each file
  };

  std::string json, csv, html;
  std::vector<part> parts;
};
written_report written(const bench::bench_run& run);
written_report written(const bench::comparison_run& run);

// One output file. Existing content is kept until write() is called. If nothing was written, a newly created file is
// removed.
class output_file {
 public:
  output_file() = default;  // before open(), write() has no effect
  output_file(const output_file&) = delete;
  output_file& operator=(const output_file&) = delete;
  ~output_file();

  // Opens the file, or standard output for "-". Returns the reason if it cannot be opened, otherwise an empty text.
  std::string open(const std::filesystem::path& path);
  bool write(const std::string& text);  // call write() only once; it reports errors on standard error

 private:
  struct closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, closer> file_;
  bool is_new_ = false;
};

// A folder for output files. If the folder is new and nothing was written into it, the destructor removes the folder.
class made_folder {
 public:
  made_folder() = default;
  made_folder(const made_folder&) = delete;
  made_folder& operator=(const made_folder&) = delete;
  ~made_folder();

  std::error_code make(const std::filesystem::path& path);

 private:
  std::filesystem::path path_;  // the path of a newly created folder; empty if the folder existed before
};

class bench_outputs {
 public:
  explicit bench_outputs(output_places places) : places_(std::move(places)) {}

  // Opens all outputs. If one of them cannot be opened, returns the problem and the name of the option. Otherwise
  // returns an empty text.
  std::string open();
  bool write(const written_report& report);  // if an output cannot be written, reports an error and returns false

 private:
  std::string open_folder();
  bool write_parts(const written_report& report) const;

  output_places places_;
  made_folder folder_;  // the folder is declared before its files, so that the files are destroyed before the folder
  output_file json_, csv_, html_, folder_json_, folder_csv_, folder_html_;
};

}  // namespace photofinish::gateway
