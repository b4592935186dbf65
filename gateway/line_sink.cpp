#include "gateway/line_sink.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace photofinish::gateway {

line_sink::line_sink(int descriptor, std::chrono::milliseconds gathering)
    : descriptor_(descriptor), gathering_(gathering), writer_([this] { run(); }) {}

line_sink::~line_sink() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_one();
  writer_.join();
}

void line_sink::sink_it_(const spdlog::details::log_msg& message) {
  if (gathered_.size() >= max_waiting_bytes) {
    ++dropped_;
    return;
  }
  const bool was_empty = gathered_.empty();
  spdlog::memory_buf_t line;
  formatter_->format(message, line);
  gathered_.append(line.data(), line.size());
  if (message.level >= spdlog::level::warn) is_urgent_ = true;
  if (was_empty || is_urgent_) changed_.notify_one();
}

void line_sink::flush_() {
  is_urgent_ = true;
  changed_.notify_one();
}

void line_sink::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !gathered_.empty() || is_ending_; });
    changed_.wait_for(lock, gathering_, [this] { return is_urgent_ || is_ending_; });
    if (dropped_ > 0) gathered_ += "log lines dropped: " + std::to_string(std::exchange(dropped_, 0)) + "\n";
    const std::string lines = std::exchange(gathered_, {});
    is_urgent_ = false;
    if (lines.empty() && is_ending_) return;
    lock.unlock();
    write_all(lines);
    lock.lock();
  }
}

// A descriptor that nobody reads any more is no reason to stop serving.
void line_sink::write_all(const std::string& lines) const {
  for (std::size_t at = 0; at < lines.size();) {
    const ssize_t written = ::write(descriptor_, lines.data() + at, lines.size() - at);
    if (written > 0) at += static_cast<std::size_t>(written);
    else if (errno == EAGAIN) {
      pollfd room{descriptor_, POLLOUT, 0};
      ::poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return;
    }
  }
}

}  // namespace photofinish::gateway
