#include "tests/support/gateway/gateway_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace photofinish::testing {
namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::string make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "photofinish-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  return name;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint16_t port_behind(const std::string& text, const std::string& words) {
  const std::size_t at = text.find(words);
  return at == std::string::npos ? std::uint16_t{0}
                                 : static_cast<std::uint16_t>(std::atoi(text.c_str() + at + words.size()));
}

// Replaces "LISTEN_PID=0000000000" by the id of this process. This code runs between fork and exec, and therefore calls no library
// function.
void write_own_pid(char* variable) {
  pid_t rest = ::getpid();
  for (char* digit = variable + 20; digit > variable + 10; --digit, rest /= 10)
    *digit = static_cast<char>('0' + rest % 10);
}

// Copies the descriptors to high numbers that the child process does not use.
std::vector<int> moved_up(const std::vector<int>& descriptors) {
  std::vector<int> moved;
  for (const int each : descriptors) moved.push_back(::fcntl(each, F_DUPFD_CLOEXEC, 500));
  return moved;
}

}  // namespace

gateway_process::gateway_process(const process_options& options)
    : folder_(make_folder()), config_file_(folder_ + "/photofinish.yaml"), output_file_(folder_ + "/output") {
  write_config(options.config);
  std::vector<std::string> variables;
  for (const auto& [name, value] : options.environment) variables.push_back(name + "=" + value);
  std::string pid = "LISTEN_PID=0000000000";
  const std::vector<int> handed = moved_up(options.handed);
  if (!handed.empty()) variables.push_back("LISTEN_FDS=" + std::to_string(handed.size()));
  std::vector<char*> environment;
  for (std::string& each : variables) environment.push_back(each.data());
  if (!handed.empty()) environment.push_back(pid.data());
  environment.push_back(nullptr);

  const int output = ::open(output_file_.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (options.is_log_stuck) fill_pipe();
  const int log = options.is_log_stuck ? stuck_log_[1] : output;
  pid_ = ::fork();
  if (pid_ == 0) {  // the child calls only functions that are safe between fork and exec
    ::dup2(output, 1), ::dup2(log, 2);
    for (std::size_t at = 0; at < handed.size(); ++at) ::dup2(handed[at], 3 + static_cast<int>(at));
    write_own_pid(pid.data());
    const rlimit limit{options.max_descriptors, options.max_descriptors};
    if (options.max_descriptors > 0) ::setrlimit(RLIMIT_NOFILE, &limit);
    ::execle(PHOTOFINISH_BINARY, "photofinish", "serve", "--config", config_file_.c_str(), nullptr, environment.data());
    ::_exit(127);
  }
  ::close(output);
  for (const int each : handed) ::close(each);
  wait_for_banner();
}

gateway_process::~gateway_process() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  for (const int end : stuck_log_)
    if (end >= 0) ::close(end);
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void gateway_process::fill_pipe() {
  if (::pipe2(stuck_log_.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const int flags = ::fcntl(stuck_log_[1], F_GETFL);
  ::fcntl(stuck_log_[1], F_SETFL, flags | O_NONBLOCK);
  while (::write(stuck_log_[1], "x", 1) == 1) {
  }
  ::fcntl(stuck_log_[1], F_SETFL, flags);
}

void gateway_process::wait_for_banner() {
  const auto until = clock::now() + patience;
  const auto is_announced = [this] {  // true if the output contains the gateway's banner, or the JSON log line with the address
    const std::string said = output();
    return said.find("try it:") != std::string::npos || said.find("\"started: ") != std::string::npos;
  };
  while (!is_announced()) {
    if (clock::now() > until) throw std::runtime_error("the gateway does not listen:\n" + output());
    std::this_thread::sleep_for(milliseconds(5));
  }
  port_ = port_behind(output(), "listening on http://127.0.0.1:");
  if (port_ == 0) port_ = port_behind(output(), "listening on https://127.0.0.1:");
  admin_port_ = port_behind(output(), "metrics and probes on http://127.0.0.1:");
}

void gateway_process::write_config(const std::string& config) const {
  std::ofstream(config_file_ + ".new") << "listen: 127.0.0.1:0\nworkers: 2\n" << config;
  std::filesystem::rename(config_file_ + ".new", config_file_);
}

void gateway_process::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);  // does nothing after the process has ended, because kill(-1) would signal every process
}

std::optional<int> gateway_process::exit_code(milliseconds time) {
  const auto until = clock::now() + time;
  int status = 0;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (clock::now() > until) return std::nullopt;
    std::this_thread::sleep_for(milliseconds(2));
  }
  pid_ = -1;
  return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
}

void gateway_process::limit_memory(std::size_t further_bytes) const {
  std::istringstream pages(read_file("/proc/" + std::to_string(pid_) + "/statm"));
  std::size_t used = 0;
  pages >> used;
  const rlim_t most = used * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) + further_bytes;
  const rlimit limit{most, most};
  if (::prlimit(pid_, RLIMIT_AS, &limit, nullptr) != 0) throw std::runtime_error("no limit on memory");
}

std::string gateway_process::output() const { return read_file(output_file_); }

double gateway_process::cpu_seconds() const {
  const std::string stat = read_file("/proc/" + std::to_string(pid_) + "/stat");
  std::istringstream behind_name(stat.substr(stat.rfind(')') + 2));
  const std::vector<std::string> fields{std::istream_iterator<std::string>(behind_name), {}};
  return (std::stod(fields.at(11)) + std::stod(fields.at(12))) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace photofinish::testing
