// Runs one command of the photofinish binary until it ends.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>

namespace photofinish::testing {

struct command_end {
  int exit_code = -1;
  std::string output;
  std::string first_line() const { return output.substr(0, output.find('\n')); }
};

// Runs the binary with `piped` as its standard input. Returns the exit code, and standard output and standard error as one string.
inline command_end run_photofinish(const std::string& arguments, const std::string& piped = "") {
  const std::string line = "printf '%s' '" + piped + "' | " PHOTOFINISH_BINARY " " + arguments + " 2>&1";
  command_end got;
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return got;
  std::array<char, 4096> bytes{};
  while (const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), pipe)) got.output.append(bytes.data(), count);
  const int status = ::pclose(pipe);
  got.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return got;
}

}  // namespace photofinish::testing
