#include "gateway/audit/audit_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string_view>
#include <system_error>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::seconds ending_patience{2};

std::uint64_t lines_in(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string system_words(int error) { return std::generic_category().message(error); }

// Only the writer's thread has one.
class open_file {
 public:
  explicit open_file(std::string path) : path_(std::move(path)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() { close(); }

  // Empty: all of it is written. A line that was cut has its end in front of the next.
  std::string write(const std::string& lines) {
    if (std::string problem = open_again(); !problem.empty()) return problem;
    const std::string text = (is_cut_ ? "\n" : "") + lines;
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t written = ::write(descriptor_, text.data() + at, text.size() - at);
      if (written > 0) at += static_cast<std::size_t>(written), is_cut_ = at < text.size() && text[at - 1] != '\n';
      else if (errno != EINTR) return system_words(errno);
    }
    is_cut_ = false;
    return {};
  }

 private:
  // Where it was moved away, or removed, a new one begins. A pipe or a device is not opened: that could wait for ever.
  std::string open_again() {
    struct stat there{}, ours{};
    const bool is_there = ::stat(path_.c_str(), &there) == 0;
    if (is_there && !S_ISREG(there.st_mode)) return close(), "it is not a regular file";
    const bool is_same = is_there && descriptor_ >= 0 && ::fstat(descriptor_, &ours) == 0 &&
                         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
    if (is_same) return {};
    close();
    constexpr int owner_writes_group_reads = 0640;
    constexpr int how = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK;
    descriptor_ = ::open(path_.c_str(), how, owner_writes_group_reads);
    return descriptor_ < 0 ? system_words(errno) : std::string();
  }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    is_cut_ = false;
  }

  const std::string path_;
  int descriptor_ = -1;
  bool is_cut_ = false;
};

}  // namespace

struct audit_file::queue {
  void run(std::string path) {
    open_file file(std::move(path));
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return !waiting.empty() || is_ending; });
      const std::string lines = std::exchange(waiting, {});
      if (lines.empty()) return;
      lock.unlock();
      std::string problem = file.write(lines);
      lock.lock();
      (problem.empty() ? sums.written : sums.dropped) += lines_in(lines);
      sums.trouble = std::move(problem);
    }
  }

  std::mutex mutex;  // of all below
  std::condition_variable changed;
  std::string waiting;
  counts sums;
  bool is_ending = false;
};

audit_file::audit_file(std::string path)
    : path_(std::move(path)),
      queue_(std::make_shared<queue>()),
      writer_([lines = queue_, to = path_] { lines->run(to); }) {}

audit_file::~audit_file() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->is_ending = true;
  }
  queue_->changed.notify_one();
  writer_.end_within(ending_patience);
}

void audit_file::append(std::string lines) {
  {
    const std::lock_guard lock(queue_->mutex);
    if (queue_->waiting.size() + lines.size() > max_waiting_bytes) {
      queue_->sums.dropped += lines_in(lines);
      return;
    }
    queue_->waiting += lines;
  }
  queue_->changed.notify_one();
}

audit_file::counts audit_file::so_far() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->sums;
}

}  // namespace photofinish::gateway
