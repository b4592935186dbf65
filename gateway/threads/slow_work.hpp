// Work that may take long, beside a loop: reading files, which may lie on a mount that hangs. The loop goes on, and
// waits for the work only so long. One piece at a time. Single-threaded but for the work itself.
#pragma once

#include "gateway/threads/leavable_thread.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace photofinish::gateway {

class slow_work {
 public:
  explicit slow_work(boost::asio::any_io_executor loop);
  slow_work(const slow_work&) = delete;
  slow_work& operator=(const slow_work&) = delete;
  ~slow_work();

  // What `work` returned. None: it took longer than `limit` and is left alone, or work that was left alone before still
  // hangs (nothing new is begun then), or cancel() was called. `work` throws nothing and owns all that it touches.
  template <class T>
  boost::asio::awaitable<std::optional<T>> run(std::function<T()> work, std::chrono::milliseconds limit) {
    const auto made = std::make_shared<std::optional<T>>();  // the work may outlive this wait
    std::function<void()> task = [made, work = std::move(work)] { made->emplace(work()); };
    const bool is_done = co_await run_task(std::move(task), limit);
    if (!is_done) co_return std::nullopt;
    co_return std::move(*made);
  }

  // What is awaited ends at once.
  void cancel();

 private:
  struct waiting;
  boost::asio::awaitable<bool> run_task(std::function<void()> task, std::chrono::milliseconds limit);

  boost::asio::any_io_executor loop_;
  std::shared_ptr<waiting> waiting_;  // shared with the thread
  leavable_thread thread_;
};

}  // namespace photofinish::gateway
