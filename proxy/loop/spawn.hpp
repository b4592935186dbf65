// Starts coroutines that no other coroutine awaits. An exception that ends one is a bug or a failed allocation: it is
// never dropped. It is reported here, or the child's owner gets it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace photofinish::proxy {

enum class bug_end { only_the_child, the_process };

// Receives the name of the child, what its exception says, and what ends by it. Called on any thread.
using bug_report = void (*)(std::string_view child, std::string_view why, bug_end what) noexcept;

// Without it, reports go to standard error.
void report_bugs_to(bug_report report) noexcept;

void report_bug(std::string_view child, const std::exception_ptr& bug) noexcept;

// Reports the bug, then ends the process: without that child, the process would only look alive.
[[noreturn]] void end_process(std::string_view child, const std::exception_ptr& bug) noexcept;

// Starts `work`. When it has ended, calls `ended` in a later turn of the loop: with the exception (and the result, if
// there is one) if it takes them, otherwise with nothing, after the exception has been reported. `child` names the work
// in the report; it outlives the work. If spawn() itself throws, nothing runs, and `ended` is never called: count a
// child after it.
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

// The same, for work without which the process is of no use: an exception ends the process.
template <class Loop, class Ended>
void spawn_vital(Loop&& loop, std::string_view child, boost::asio::awaitable<void> work, Ended ended) {
  boost::asio::co_spawn(std::forward<Loop>(loop), std::move(work),
                        [child, ended = std::move(ended)](const std::exception_ptr& bug) mutable {
                          if (bug) end_process(child, bug);
                          ended();
                        });
}

}  // namespace photofinish::proxy
