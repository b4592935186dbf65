#include "gateway/process/process_environment.hpp"

#include "gateway/process/regular_file.hpp"

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace photofinish::gateway {
namespace {

constexpr std::size_t largest_file_bytes = 16u << 20;

std::optional<std::string> variable_of_process(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

file_content text_of_file(const std::string& path) { return read_regular_file(path, largest_file_bytes); }

bool exists(const std::string& path) {
  std::error_code ec;
  return std::filesystem::exists(path, ec);
}

std::chrono::sys_days day_of_clock() {
  return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
}

}  // namespace

environment process_environment() { return {variable_of_process, text_of_file, exists, day_of_clock}; }

}  // namespace photofinish::gateway
