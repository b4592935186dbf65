#include "gateway/log/line_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

namespace photofinish::gateway {

struct line_sink::queue {
  queue(int to, std::chrono::milliseconds wait) : descriptor(to), batching(wait) {}

  void run();
  void add_dropped();
  void write_all(const std::string& lines) const;

  const int descriptor;
  const std::chrono::milliseconds batching;

  std::mutex mutex;  // guards all members of the queue below
  std::condition_variable changed;
  std::string batch;
  std::size_t dropped = 0;
  // Formats the line about dropped lines in the same way as all other lines of the sink.
  std::unique_ptr<spdlog::formatter> formatter;
  bool is_urgent = false;
  bool is_ending = false;
};

line_sink::line_sink(int descriptor, std::chrono::milliseconds batching, std::chrono::milliseconds ending)
    : queue_(std::make_shared<queue>(descriptor, batching)),
      ending_(ending),
      writer_([lines = queue_] { lines->run(); }) {}

line_sink::~line_sink() {
  {
    const std::lock_guard lock(queue_->mutex);
    queue_->is_ending = true;
  }
  queue_->changed.notify_one();
  writer_.end_within(ending_);
}

void line_sink::sink_it_(const spdlog::details::log_msg& message) {
  const std::lock_guard lock(queue_->mutex);
  if (queue_->batch.size() >= max_waiting_bytes) {
    if (queue_->dropped++ == 0) queue_->formatter = formatter_->clone();
    return;
  }
  const bool was_empty = queue_->batch.empty();
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  queue_->batch.append(line.data(), line.size());
  if (message.level >= spdlog::level::warn) queue_->is_urgent = true;
  if (was_empty || queue_->is_urgent) queue_->changed.notify_one();
}

void line_sink::flush_() {
  const std::lock_guard lock(queue_->mutex);
  queue_->is_urgent = true;
  queue_->changed.notify_one();
}

void line_sink::queue::run() {
  std::unique_lock lock(mutex);
  while (true) {
    changed.wait(lock, [this] { return !batch.empty() || is_ending; });
    changed.wait_for(lock, batching, [this] { return is_urgent || is_ending; });
    if (dropped > 0) add_dropped();
    const std::string lines = std::exchange(batch, {});
    is_urgent = false;
    if (lines.empty() && is_ending) return;
    lock.unlock();
    write_all(lines);
    lock.lock();
  }
}

void line_sink::queue::add_dropped() {
  const std::string text = "log lines dropped: " + std::to_string(std::exchange(dropped, 0));
  spdlog::memory_buf_t line;
  formatter->format(spdlog::details::log_msg("photofinish", spdlog::level::warn, text), line);
  batch.append(line.data(), line.size());
}

// Writes the lines. If the other end of a pipe is closed, the lines are lost, and the gateway continues to run.
void line_sink::queue::write_all(const std::string& lines) const {
  for (std::size_t at = 0; at < lines.size();) {
    const ssize_t written = ::write(descriptor, lines.data() + at, lines.size() - at);
    if (written > 0) at += static_cast<std::size_t>(written);
    else if (errno == EAGAIN) {
      pollfd room{descriptor, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace photofinish::gateway
