// Starts coroutines that no other coroutine awaits. If an exception ends such a coroutine, the reason is a bug or a
// failed allocation. The exception is never lost: this file reports it or passes it to the coroutine's owner.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace photofinish::proxy {

enum class bug_end { only_the_child, the_process };

// A function that receives a report: the coroutine's name, the exception's text, and what ends because of the
// exception. Any thread may call it.
using bug_report = void (*)(std::string_view child, std::string_view why, bug_end what) noexcept;

// Sets the function that receives reports. Until then, reports go to standard error.
void report_bugs_to(bug_report report) noexcept;

void report_bug(std::string_view child, const std::exception_ptr& bug) noexcept;

// Reports the bug and ends the process. Without the coroutine that failed, the process would continue to run but do
// nothing useful.
[[noreturn]] void end_process(std::string_view child, const std::exception_ptr& bug) noexcept;

// Starts `work`. When the work has ended, calls `ended` in a later turn of the event loop. If `ended` accepts an
// exception (and a result, if there is one), it receives them. Otherwise an exception is reported before the call.
// `child` is the name of the work in the report and must outlive the work. If spawn() itself throws, nothing runs and
// `ended` is never called. A caller that counts its children must therefore count a new child after spawn() has
// returned.
template <class Loop, class Result, class Ended>
void spawn(Loop&& loop, std::string_view child, boost::asio::awaitable<Result> work, Ended ended) {
  if constexpr (std::is_invocable_v<Ended&>) {
    boost::asio::co_spawn(std::forward<Loop>(loop), std::move(work),
                          [child, ended = std::move(ended)](const std::exception_ptr& bug) mutable {
                            if (bug) report_bug(child, bug);
                            ended();
                          });
  } else {
    boost::asio::co_spawn(std::forward<Loop>(loop), std::move(work), std::move(ended));
  }
}

// Starts work without which the process cannot continue. If an exception ends the work, the process ends.
template <class Loop, class Ended>
void spawn_vital(Loop&& loop, std::string_view child, boost::asio::awaitable<void> work, Ended ended) {
  boost::asio::co_spawn(std::forward<Loop>(loop), std::move(work),
                        [child, ended = std::move(ended)](const std::exception_ptr& bug) mutable {
                          if (bug) end_process(child, bug);
                          ended();
                        });
}

}  // namespace photofinish::proxy
