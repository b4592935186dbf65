#include "gateway/threads/leavable_thread.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <utility>

namespace photofinish::gateway {
namespace {

std::atomic<int> left_behind = 0;  // the number of abandoned threads that are still running

}  // namespace

struct leavable_thread::state {
  std::mutex mutex;
  std::condition_variable ended;
  bool has_ended = false;
  bool is_left = false;
};

leavable_thread::leavable_thread(std::function<void()> work)
    : state_(std::make_shared<state>()), thread_([shared = state_, work = std::move(work)]() mutable {
        work();
        work = nullptr;  // frees the data of the work before the thread counts as ended
        const std::lock_guard lock(shared->mutex);
        shared->has_ended = true;
        if (shared->is_left) --left_behind;
        shared->ended.notify_all();
      }) {}

leavable_thread& leavable_thread::operator=(leavable_thread&& other) {
  end_within(std::chrono::milliseconds(0));
  state_ = std::move(other.state_);
  thread_ = std::move(other.thread_);
  return *this;
}

leavable_thread::~leavable_thread() { end_within(std::chrono::milliseconds(0)); }

bool leavable_thread::is_running() const {
  if (!state_) return false;
  const std::lock_guard lock(state_->mutex);
  return !state_->has_ended;
}

bool leavable_thread::end_within(std::chrono::milliseconds limit) {
  if (!thread_.joinable()) return true;
  std::unique_lock lock(state_->mutex);
  if (state_->ended.wait_for(lock, limit, [this] { return state_->has_ended; })) {
    lock.unlock();
    thread_.join();
    return true;
  }
  state_->is_left = true;
  ++left_behind;
  thread_.detach();
  return false;
}

bool leavable_thread::is_any_left_behind() { return left_behind > 0; }

}  // namespace photofinish::gateway
