// Starts coroutines that no other coroutine awaits. An exception that ends such a coroutine is a bug or a failed
// allocation, and is never dropped. It is either reported here or passed to the coroutine's owner.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

namespace photofinish::proxy {

enum class bug_end { only_the_child, the_process };

// A function that receives a report: the coroutine's name, the exception's text, and the kind of thing that ends
// because of it. Any thread may call it.
using bug_report = void (*)(std::string_view child, std::string_view why, bug_end what) noexcept;

// Sets the function that receives reports. Until then, reports go to standard error.
void report_bugs_to(bug_report report) noexcept;

void report_bug(std::string_view child, const std::exception_ptr& bug) noexcept;

// Reports the bug and ends the process, because without that coroutine the process would only appear to run.
[[noreturn]] void end_process(std::string_view child, const std::exception_ptr& bug) noexcept;

// Starts `work`. After the work ends, calls `ended` in a later turn of the loop. If `ended` accepts the exception
// (and the result, if there is one), it receives them. Otherwise the exception is reported first. `child` names the
// work in the report and must outlive it. If spawn() itself throws, nothing runs and `ended` is never called, so
// count a child only after the call.
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

// Starts work that the process cannot do without: an exception ends the process.
template <class Loop, class Ended>
void spawn_vital(Loop&& loop, std::string_view child, boost::asio::awaitable<void> work, Ended ended) {
  boost::asio::co_spawn(std::forward<Loop>(loop), std::move(work),
                        [child, ended = std::move(ended)](const std::exception_ptr& bug) mutable {
                          if (bug) end_process(child, bug);
                          ended();
                        });
}

}  // namespace photofinish::proxy
