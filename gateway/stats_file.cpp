#include "gateway/stats_file.hpp"

#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

namespace photofinish::gateway {
namespace {

std::string reason() { return std::error_code(errno, std::system_category()).message(); }

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// On the disk before its name is: a crash must not leave a name with nothing behind it.
bool write_file(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool is_written = write_all(fd, bytes) && ::fdatasync(fd) == 0;
  const int failed_with = errno;
  const bool is_closed = ::close(fd) == 0;
  if (!is_written) errno = failed_with;
  return is_written && is_closed;
}

}  // namespace

stats_file::stats_file(std::string folder) : folder_(std::move(folder)), path_(folder_ + "/stats") {
  std::error_code ec;
  std::filesystem::create_directories(folder_, ec);
  const std::string lock_path = path_ + ".lock";
  lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0) {
    spdlog::warn("statistics are not kept: {}: {}", folder_, ec ? ec.message() : reason());
  } else if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    spdlog::warn("statistics are not kept: another gateway keeps its own in {}", folder_);
    ::close(std::exchange(lock_, -1));
  }
}

stats_file::~stats_file() {
  finish();
  if (lock_ >= 0) ::close(lock_);
}

std::optional<std::string> stats_file::read() const {
  std::ifstream file(path_, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

void stats_file::set_aside(const std::string& why) {
  const std::string aside = path_ + ".broken";
  spdlog::warn("{} {}: set aside as {}, statistics begin anew", path_, why, aside);
  if (std::rename(path_.c_str(), aside.c_str()) != 0) spdlog::warn("cannot rename {}: {}", path_, reason());
}

void stats_file::write(std::string bytes) {
  finish();
  is_busy_.store(true, std::memory_order_release);
  writer_ = std::thread([this, bytes = std::move(bytes)] {
    replace(bytes);
    is_busy_.store(false, std::memory_order_release);
  });
}

void stats_file::finish() {
  if (writer_.joinable()) writer_.join();
}

void stats_file::replace(const std::string& bytes) {
  const std::string fresh = path_ + ".new";
  if (write_file(fresh, bytes) && std::rename(fresh.c_str(), path_.c_str()) == 0) {
    if (std::exchange(has_warned_, false)) spdlog::info("statistics are kept again in {}", path_);
    return;
  }
  const std::string why = reason();
  ::unlink(fresh.c_str());
  if (!std::exchange(has_warned_, true)) spdlog::warn("statistics cannot be kept in {}: {}", path_, why);
}

}  // namespace photofinish::gateway
