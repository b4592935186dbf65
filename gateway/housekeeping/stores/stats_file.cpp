#include "gateway/housekeeping/stores/stats_file.hpp"

#include "gateway/process/file_replacement.hpp"
#include "gateway/process/regular_file.hpp"

#include <spdlog/spdlog.h>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

namespace photofinish::gateway {
namespace {

// The maximum size of the file. It is four times the size of the largest possible statistics.
constexpr std::size_t largest_file = 128u << 20;
// The maximum time to wait for the last write. Without this limit, a hanging disk could keep the process from stopping.
constexpr std::chrono::seconds patience{5};

}  // namespace

stats_file::stats_file(std::string folder, const std::string& name, std::string what)
    : folder_(std::move(folder)), path_(folder_ + "/" + name), what_(std::move(what)) {
  std::error_code ec;
  std::filesystem::create_directories(folder_, ec);
  const std::string lock_path = path_ + ".lock";
  lock_ = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (lock_ < 0) {
    spdlog::warn("{} are not saved: {}: {}", what_, folder_, ec ? ec.message() : reason_of_errno());
  } else if (::flock(lock_, LOCK_EX | LOCK_NB) != 0) {
    spdlog::warn("{} are not saved: another gateway uses {}", what_, folder_);
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
  spdlog::warn("{} {}: renamed to {}; {} start empty", path_, why, aside, what_);
  if (std::rename(path_.c_str(), aside.c_str()) != 0) spdlog::warn("cannot rename {}: {}", path_, reason_of_errno());
}

void stats_file::keep_old() const {
  const std::string old = path_ + ".old";
  ::unlink(old.c_str());
  if (::link(path_.c_str(), old.c_str()) != 0)
    return spdlog::warn("cannot keep {} as {}: {}", path_, old, reason_of_errno());
  spdlog::warn("{} is old according to this machine's clock, so figures older than the window are dropped; a copy "
               "stays as {} in case the clock is wrong", path_, old);
}

void stats_file::write(std::string bytes) {
  problem_ = std::make_shared<std::string>();
  writer_ = leavable_thread([path = path_, bytes = std::move(bytes), problem = problem_] {
    *problem = replace_file(path, bytes);
  });
}

void stats_file::report() {
  const auto problem = std::exchange(problem_, nullptr);
  if (!problem) return;
  if (!problem->empty()) {
    if (!std::exchange(has_warned_, true)) spdlog::warn("{} cannot be kept in {}: {}", what_, path_, *problem);
  } else if (std::exchange(has_warned_, false)) {
    spdlog::info("{} are saved again in {}", what_, path_);
  }
}

bool stats_file::is_written() {
  if (!is_busy()) report();
  return is_usable() && !has_warned_;
}

void stats_file::finish() {
  if (!writer_.is_running()) return report();
  if (writer_.end_within(patience)) return report();
  problem_.reset();  // now only the writing thread owns the text of the problem
  spdlog::warn("{} is still not written after {} s: the disk does not respond", path_, patience.count());
}

}  // namespace photofinish::gateway
