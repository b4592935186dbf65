// A file that lines are appended to, of one thread. It may be moved away at any time: it is made again.
#pragma once

#include <string>

namespace photofinish::gateway {

class append_file {
 public:
  append_file() = default;
  append_file(const append_file&) = delete;
  append_file& operator=(const append_file&) = delete;
  ~append_file() { close(); }

  // Empty: all of it is written. A line that was cut has its end in front of the next. Where that is another file than
  // before, that one is closed first.
  std::string write(const std::string& path, const std::string& lines);

 private:
  std::string open_again(const std::string& path);
  void close();

  std::string path_;
  int descriptor_ = -1;
  bool is_cut_ = false;
};

}  // namespace photofinish::gateway
