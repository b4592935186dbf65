#include "gateway/housekeeping/stats_file.hpp"

#include "gateway/process/regular_file.hpp"

#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace photofinish::gateway {
namespace {

// Four times what a full window takes (stats_window's bounds).
constexpr std::size_t largest_file = 128u << 20;
constexpr std::chrono::seconds patience{5};  // for a write at the end; a process that is stopped must not wait for ever

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

// On the disk before its name is: a crash must not leave a name with nothing behind it. Whatever has the name now goes
// first, and is neither followed nor written into: a link, a pipe, what a crash left.
bool write_file(const std::string& path, std::string_view bytes) {
  ::unlink(path.c_str());
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool is_written = write_all(fd, bytes) && ::fdatasync(fd) == 0;
  const int failed_with = errno;
  const bool is_closed = ::close(fd) == 0;
  if (!is_written) errno = failed_with;
  return is_written && is_closed;
}

// The problem; empty: there is none.
std::string replace(const std::string& path, std::string_view bytes) {
  const std::string fresh = path + ".new";
  if (write_file(fresh, bytes) && std::rename(fresh.c_str(), path.c_str()) == 0) return {};
  std::string why = reason();
  ::unlink(fresh.c_str());
  return why;
}

}  // namespace

stats_file::stats_file(std::string folder) : folder_(std::move(folder)), path_(folder_ + "/stats") {
  std::error_code ec;
  std::filesystem::create_directories(folder_, ec);
  const std::string lock_path = path_ + ".lock";
  lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (lock_ < 0) {
    spdlog::warn("statistics are not kept: {}: {}", folder_, ec ? ec.message() : reason());
  } else if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    spdlog::warn("statistics are not kept: another gateway uses {}", folder_);
    ::close(std::exchange(lock_, -1));
  }
}

stats_file::~stats_file() {
  finish();
  if (lock_ >= 0) ::close(lock_);
}

std::optional<file_content> stats_file::read() const {
  std::error_code ec;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path_, ec))) return std::nullopt;
  return read_regular_file(path_, largest_file);
}

void stats_file::set_aside(const std::string& why) {
  const std::string aside = path_ + ".broken";
  spdlog::warn("{} {}: renamed to {}; statistics begin anew", path_, why, aside);
  if (std::rename(path_.c_str(), aside.c_str()) != 0) spdlog::warn("cannot rename {}: {}", path_, reason());
}

void stats_file::keep_old() const {
  const std::string old = path_ + ".old";
  ::unlink(old.c_str());
  if (::link(path_.c_str(), old.c_str()) != 0) return spdlog::warn("cannot keep {} as {}: {}", path_, old, reason());
  spdlog::warn("{} is old by this machine's clock, and figures older than the window are dropped; a copy stays as {} "
               "in case the clock is wrong", path_, old);
}

void stats_file::write(std::string bytes) {
  problem_ = std::make_shared<std::string>();
  writer_ = leavable_thread([path = path_, bytes = std::move(bytes), problem = problem_] {
    *problem = replace(path, bytes);
  });
}

void stats_file::report() {
  const auto problem = std::exchange(problem_, nullptr);
  if (!problem) return;
  if (!problem->empty()) {
    if (!std::exchange(has_warned_, true)) spdlog::warn("statistics cannot be kept in {}: {}", path_, *problem);
  } else if (std::exchange(has_warned_, false)) {
    spdlog::info("statistics are kept again in {}", path_);
  }
}

void stats_file::finish() {
  if (!writer_.is_running()) return report();
  if (writer_.end_within(patience)) return report();
  problem_.reset();  // it is the thread's
  spdlog::warn("{} is still not written after {} s: the disk does not respond", path_, patience.count());
}

}  // namespace photofinish::gateway
