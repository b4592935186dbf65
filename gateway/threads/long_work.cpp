#include "gateway/threads/long_work.hpp"

#include "proxy/loop/signal.hpp"
#include "proxy/loop/spawn.hpp"

#include <unistd.h>

#include <exception>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The number that is added to the nice value of this thread. If an event loop is busy on the same processor, this
// thread gets a tenth of the processor's time (sched(7)).
constexpr int nice_above = 10;

// Lowers the priority of the thread. On Linux each thread has its own priority. A process may always lower a priority.
// If the priority is already the lowest, nothing changes.
void lower_priority() { [[maybe_unused]] const int reached = ::nice(nice_above); }

}  // namespace

long_work::long_work(std::function<void()> before_each) : before_each_(std::move(before_each)) {
  asio::post(threads_, lower_priority);
}

void long_work::run(std::function<void()> work, asio::any_io_executor reply_to, std::function<void()> done) {
  auto keeps_running = asio::make_work_guard(reply_to);
  asio::post(threads_, [this, work = std::move(work), keeps_running = std::move(keeps_running),
                        done = std::move(done)]() mutable {
    if (before_each_) before_each_();
    try {
      work();
    } catch (...) {
      proxy::report_bug("work outside the event loops", std::current_exception());
    }
    work = nullptr;
    asio::post(keeps_running.get_executor(), std::move(done));
  });
}

asio::awaitable<void> long_work::run(std::function<void()> work, asio::any_io_executor reply_to) {
  bool is_done = false;
  proxy::signal over;
  std::exception_ptr bug;  // an exception from the work; it is thrown again in the caller
  std::function<void()> guarded = [&work, &bug] {
    try {
      work();
    } catch (...) {
      bug = std::current_exception();
    }
  };
  std::function<void()> done = [&is_done, &over] { is_done = true, over.wake(); };
  run(std::move(guarded), std::move(reply_to), std::move(done));
  while (!is_done) co_await over.wait();
  if (bug) std::rethrow_exception(bug);
}

}  // namespace photofinish::gateway
