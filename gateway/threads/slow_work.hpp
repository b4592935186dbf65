// Runs work that may take long on a separate thread, for example reading files from a mount that may hang. The event
// loop continues to run, and waits for the work only for a limited time. Only one piece of work runs at a time. The
// class is single-threaded, except for the work itself.
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

  // Runs `work` and returns its result. Returns nothing if the work took longer than `limit` and was abandoned, or if
  // cancel() was called. Also returns nothing if earlier abandoned work is still running; then `work` is not started.
  // `work` must not throw, and must own all data that it uses.
  template <class T>
  boost::asio::awaitable<std::optional<T>> run(std::function<T()> work, std::chrono::milliseconds limit) {
    const auto made = std::make_shared<std::optional<T>>();  // the result is shared, because the work may outlive this
                                                             // wait
    std::function<void()> task = [made, work = std::move(work)] { made->emplace(work()); };
    const bool is_done = co_await run_task(std::move(task), limit);
    if (!is_done) co_return std::nullopt;
    co_return std::move(*made);
  }

  // Ends the current wait for the work immediately. run() then returns nothing.
  void cancel();

 private:
  struct waiting;
  boost::asio::awaitable<bool> run_task(std::function<void()> task, std::chrono::milliseconds limit);

  boost::asio::any_io_executor loop_;
  std::shared_ptr<waiting> waiting_;  // the state of the current wait, which the working thread shares
  leavable_thread thread_;
};

}  // namespace photofinish::gateway
