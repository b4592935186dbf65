// How attempts end, and a race that a bug or a failed allocation breaks off. race_run.hpp, continued.
#include "proxy/loop/spawn.hpp"
#include "racing/race_run.hpp"

#include <new>
#include <utility>

namespace photofinish::racing {

void race_run::attempt_ended(const std::exception_ptr& error, std::size_t index) {
  try {
    report_.attempts[index].summary = attempts_[index].upstream->summary();
    if (error) fail_by_bug(index, error);
  } catch (...) {
    break_off(std::current_exception());
  }
  if (--children_ == 0 && !is_pumping_) ended_.wake();  // may destroy this
}

// The request must still end.
void race_run::fail_by_bug(std::size_t index, const std::exception_ptr& error) {
  proxy::report_bug("an attempt", error);
  proxy::failure why;
  why.origin = proxy::failure_origin::gateway;
  why.detail = "an internal error ended the attempt";
  try {
    std::rethrow_exception(error);
  } catch (const std::bad_alloc&) {
    why = proxy::no_memory_for("the attempt");
  } catch (...) {
  }
  fail(index, std::move(why));
}

// A bug, or no memory: the rules may have seen half of an event. Everything is closed but a winner, which needs no
// rules any more, and decide() throws.
void race_run::break_off(std::exception_ptr bug) {
  if (bug_) return;
  bug_ = std::move(bug);
  if (report_.winner) proxy::report_bug("what follows a race's decision", bug_);
  inbox_.clear();
  wake_up_.disarm();
  kept_.reset();
  for (std::size_t index = 0; index < attempts_.size(); ++index)
    if (report_.winner != index) attempts_[index].upstream->close();
  decided_.wake();
}

}  // namespace photofinish::racing
