// Runs work that may take long on a thread next to an event loop, such as reading files on a mount that may hang. The
// event loop continues, and waits for the work only for a limited time. The class runs one piece of work at a time. It
// is single-threaded, except for the work itself.
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

  // Runs `work` and returns its result. Returns nothing if the work took longer than `limit` and was abandoned, if
  // abandoned work still hangs (then no new work starts), or if cancel() was called. `work` must not throw, and must
  // own all data that it uses.
  template <class T>
  boost::asio::awaitable<std::optional<T>> run(std::function<T()> work, std::chrono::milliseconds limit) {
    const auto made = std::make_shared<std::optional<T>>();  // shared, because the work may outlive this wait
    std::function<void()> task = [made, work = std::move(work)] { made->emplace(work()); };
    const bool is_done = co_await run_task(std::move(task), limit);
    if (!is_done) co_return std::nullopt;
    co_return std::move(*made);
  }

  // Ends the current wait immediately, without a result.
  void cancel();

 private:
  struct waiting;
  boost::asio::awaitable<bool> run_task(std::function<void()> task, std::chrono::milliseconds limit);

  boost::asio::any_io_executor loop_;
  std::shared_ptr<waiting> waiting_;  // the present wait; shared with the work's thread
  leavable_thread thread_;
};

}  // namespace photofinish::gateway
