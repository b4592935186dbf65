#include "proxy/loop/spawn.hpp"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

namespace photofinish::proxy {
namespace {

// Writes a report without allocating memory, because there may be no memory left.
void write_to_standard_error(std::string_view child, std::string_view why, bug_end) noexcept {
  using namespace std::string_view_literals;
  for (const std::string_view part : {child, " ended because of an internal error: "sv, why, "\n"sv})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) return;
}

std::atomic<bug_report> report_in_use = write_to_standard_error;

void report(std::string_view child, const std::exception_ptr& bug, bug_end what) noexcept {
  try {
    std::rethrow_exception(bug);
  } catch (const std::exception& known) {
    report_in_use.load()(child, known.what(), what);
  } catch (...) {
    report_in_use.load()(child, "an unknown exception", what);
  }
}

}  // namespace

void report_bugs_to(bug_report report) noexcept { report_in_use = report; }

void report_bug(std::string_view child, const std::exception_ptr& bug) noexcept {
  report(child, bug, bug_end::only_the_child);
}

void end_process(std::string_view child, const std::exception_ptr& bug) noexcept {
  report(child, bug, bug_end::the_process);
  std::abort();
}

}  // namespace photofinish::proxy
