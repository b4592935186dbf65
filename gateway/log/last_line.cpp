#include "gateway/log/last_line.hpp"

#include "gateway/log/log.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_why = 400;
constexpr int patience_ms = 500;

const char* form_of_line(log_form form) {
  switch (form) {
    case log_form::text: return "%s.%06ld+00:00 critical the process ends: %.*s\n";
    case log_form::logfmt: return "time=%s.%06ld+00:00 level=critical message=\"the process ends: %.*s\"\n";
    case log_form::json: return R"({"time":"%s.%06ld+00:00","level":"critical","message":"the process ends: %.*s"})"
                                 "\n";
  }
  return "%s.%06ld %.*s\n";
}

[[noreturn]] void terminated() {
  const std::exception_ptr bug = std::current_exception();
  if (!bug) {
    write_last_line("std::terminate was called");
    std::abort();
  }
  proxy::end_process("an uncaught exception", bug);
}

// Ends the process if not even small allocations succeed. operator new calls this function again and again on the
// thread that needs memory, until the function throws. The function does not know the requested size, so it tries small
// allocations itself.
void memory_is_short() {
  void* volatile little = std::malloc(least_allocation);
  if (little == nullptr) {
    write_last_line("no memory is left");
    std::abort();
  }
  std::free(little);
  throw std::bad_alloc();
}

void log_bug(std::string_view child, std::string_view why, proxy::bug_end what) noexcept {
  if (what == proxy::bug_end::only_the_child) {
    try {
      spdlog::error("{} ended because of an internal error: {}", child, why);
    } catch (...) {  // if there is no memory, the line is not written
    }
    return;
  }
  std::array<char, longest_why> text;
  const int length = std::snprintf(text.data(), text.size(), "%.*s ended because of an internal error: %.*s",
                                   static_cast<int>(child.size()), child.data(), static_cast<int>(why.size()),
                                   why.data());
  write_last_line({text.data(), std::min(text.size() - 1, static_cast<std::size_t>(std::max(length, 0)))});
}

}  // namespace

void report_failures() noexcept {
  proxy::report_bugs_to(log_bug);
  std::set_terminate(terminated);
  std::set_new_handler(memory_is_short);
}

void write_last_line(std::string_view why) noexcept {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::gmtime_r(&now.tv_sec, &parts);
  std::array<char, 32> second{};
  std::strftime(second.data(), second.size(), "%Y-%m-%dT%T", &parts);
  std::array<char, longest_why> clean;
  const std::size_t count = std::min(why.size(), clean.size());
  std::transform(why.begin(), why.begin() + static_cast<std::ptrdiff_t>(count), clean.begin(), [](char letter) {
    return letter == '"' || letter == '\\' || static_cast<unsigned char>(letter) < 0x20 ? '?' : letter;
  });
  std::array<char, longest_why + 200> line;
  const int length = std::snprintf(line.data(), line.size(), form_of_line(log_form_in_use()), second.data(),
                                   now.tv_nsec / 1000, static_cast<int>(count), clean.data());
  pollfd log{STDERR_FILENO, POLLOUT, 0};
  // Waits only for a limited time. Otherwise a full pipe that no program reads would keep this process alive.
  const bool takes_it = ::poll(&log, 1, patience_ms) > 0;
  if (length > 0 && takes_it && ::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(length)) < 0) return;
}

}  // namespace photofinish::gateway
