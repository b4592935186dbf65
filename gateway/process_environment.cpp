#include "gateway/process_environment.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace photofinish::gateway {
namespace {

constexpr std::size_t largest_file_bytes = 16u << 20;

std::optional<std::string> variable_of_process(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

// Reads in pieces: a secret may be a pipe, which has no size to ask for.
std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> piece;
  while (file.read(piece.data(), piece.size()) || file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file_bytes) return std::nullopt;
  }
  if (file.bad()) return std::nullopt;  // a folder opens, but does not read
  return text;
}

bool exists(const std::string& path) {
  std::error_code ec;
  return std::filesystem::exists(path, ec);
}

}  // namespace

environment process_environment() { return {variable_of_process, text_of_file, exists}; }

}  // namespace photofinish::gateway
