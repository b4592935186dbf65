// Reads the resources that a set of processes has used: the processor time of all their threads in nanoseconds, and their memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace photofinish::bench {

class watched_processes {
 public:
  // Reads a list of process ids, such as "12,34".
  explicit watched_processes(const std::string& list) {
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      folders_.push_back("/proc/" + list.substr(at, comma - at));
      at = comma + 1;
    }
  }

  std::int64_t processor_ns() const {
    std::int64_t sum = 0;
    for (const std::string& folder : folders_) {
      std::error_code ignored;
      for (const auto& task : std::filesystem::directory_iterator(folder + "/task", ignored)) {
        std::int64_t used = 0;
        std::ifstream(task.path() / "schedstat") >> used;
        sum += used;
      }
    }
    return sum;
  }

  std::int64_t resident_kib() const {
    std::int64_t sum = 0;
    for (const std::string& folder : folders_) {
      std::ifstream status(folder + "/status");
      for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmRSS:")) sum += std::atoll(line.c_str() + 6);
    }
    return sum;
  }

 private:
  std::vector<std::string> folders_;
};

}  // namespace photofinish::bench
