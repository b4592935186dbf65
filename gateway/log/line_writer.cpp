#include "gateway/log/line_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::seconds ending_patience{2};

std::string system_words(int error) { return std::generic_category().message(error); }

// A file to which one thread appends lines. If the file was moved away, a new file is created at the same path.
class append_file {
 public:
  append_file() = default;
  append_file(const append_file&) = delete;
  append_file& operator=(const append_file&) = delete;
  ~append_file() { close(); }

  // Writes the lines. Returns an error text, or an empty text. If the last line in the file is incomplete, a line end
  // is written first. If `path` is not the path of the last call, the previous file is closed first.
  std::string write(const std::string& path, const std::string& lines) {
    if (std::string problem = open_again(path); !problem.empty()) return problem;
    if (is_cut_) {
      if (::write(descriptor_, "\n", 1) != 1) return system_words(errno);
      is_cut_ = false;
    }
    for (std::size_t at = 0; at < lines.size();) {
      const ssize_t written = ::write(descriptor_, lines.data() + at, lines.size() - at);
      if (written > 0) at += static_cast<std::size_t>(written), is_cut_ = lines[at - 1] != '\n';
      else if (errno != EINTR) return system_words(errno);
    }
    return {};
  }

 private:
  // Creates a new file if the old file was moved away or removed. Does not open pipes or devices, because opening them
  // could block forever. Does not follow symbolic links. Otherwise another user with write access to the folder could
  // redirect the lines.
  std::string open_again(const std::string& path) {
    if (path != path_) close(), path_ = path;
    struct stat there{}, ours{};
    const bool is_there = ::lstat(path.c_str(), &there) == 0;
    if (is_there && S_ISLNK(there.st_mode)) return close(), "it is a symbolic link, which is not followed";
    if (is_there && !S_ISREG(there.st_mode)) return close(), "it is not a regular file";
    const bool is_same = is_there && descriptor_ >= 0 && ::fstat(descriptor_, &ours) == 0 &&
                         ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
    if (is_same) return {};
    close();
    constexpr int owner_writes_group_reads = 0640;
    constexpr int how = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
    descriptor_ = ::open(path.c_str(), how, owner_writes_group_reads);
    return descriptor_ < 0 ? system_words(errno) : std::string();
  }

  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
    is_cut_ = false;
  }

  std::string path_;
  int descriptor_ = -1;
  bool is_cut_ = false;
};

std::string written_problem(append_file& file, const line_writer::piece& what) {
  try {
    const std::string lines = what.make();
    return lines.empty() ? std::string() : file.write(what.file, lines);
  } catch (const std::exception& bug) {
    return bug.what();
  }
}

}  // namespace

struct line_writer::queue {
  void run() {
    append_file file;
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [this] { return !waiting.empty() || is_ending; });
      if (waiting.empty()) return;
      piece next = std::move(waiting.front());
      waiting.pop_front();
      // the memory now belongs to the queue instead of this thread, which may hang and outlive the memory budget
      held = std::move(next.held);
      lock.unlock();
      std::string problem = written_problem(file, next);
      next.make = nullptr;
      lock.lock();
      held = {};
      bytes -= next.bytes;
      (problem.empty() ? sums.written : sums.dropped) += next.lines;
      if (next.lines > 0) sums.trouble = std::move(problem);
    }
  }

  std::mutex mutex;  // guards all members of the queue below
  std::condition_variable changed;
  std::deque<piece> waiting;
  std::size_t bytes = 0;  // the number of bytes in the waiting lines and in the lines that are being written
  proxy::memory_share held;  // the memory for the lines that are being written
  counts sums;
  bool is_ending = false;
  std::size_t most = 0;
};

line_writer::line_writer(std::size_t max_waiting_bytes)
    : queue_(std::make_shared<queue>()), writer_([lines = queue_] { lines->run(); }) {
  const std::lock_guard lock(queue_->mutex);
  queue_->most = max_waiting_bytes;
}

// The destructor releases the memory of the waiting lines. A writing thread that hangs must not do this later, because
// it may outlive the memory budget.
line_writer::~line_writer() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->is_ending = true;
  }
  queue_->changed.notify_one();
  if (writer_.end_within(ending_patience)) return;
  const std::lock_guard lock(queue_->mutex);
  queue_->waiting.clear();
  queue_->held = {};
}

void line_writer::append(piece added) {
  {
    const std::lock_guard lock(queue_->mutex);
    if (queue_->bytes + added.bytes > queue_->most) {
      queue_->sums.dropped += added.lines;
      return;
    }
    queue_->bytes += added.bytes;
    queue_->waiting.push_back(std::move(added));
  }
  queue_->changed.notify_one();
}

line_writer::counts line_writer::so_far() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->sums;
}

}  // namespace photofinish::gateway
