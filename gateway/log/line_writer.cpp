#include "gateway/log/line_writer.hpp"

#include "gateway/log/append_file.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::chrono::seconds ending_patience{2};

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
      held = std::move(next.held);  // not in this thread's hands while it may hang
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

  std::mutex mutex;  // of all below
  std::condition_variable changed;
  std::deque<piece> waiting;
  std::size_t bytes = 0;  // of those, and of what is being written
  proxy::memory_share held;  // of what is being written
  counts sums;
  bool is_ending = false;
  std::size_t most = 0;
};

line_writer::line_writer(std::size_t max_waiting_bytes)
    : queue_(std::make_shared<queue>()), writer_([lines = queue_] { lines->run(); }) {
  const std::lock_guard lock(queue_->mutex);
  queue_->most = max_waiting_bytes;
}

// The budget of memory may go before a writer that hangs does.
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
