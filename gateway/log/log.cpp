#include "gateway/log/log.hpp"

#include "gateway/log/line_sink.hpp"
#include "gateway/log/log_line.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/spdlog.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <new>
#include <string_view>
#include <utility>

namespace photofinish::gateway {
namespace {

std::atomic<log_form> form_in_use = log_form::text;

// Marks the lines that log_line has made. The formatter recognizes the mark by its address, not by its text.
constexpr const char* event_mark = "event";

std::string prefix_pattern(log_form form) {
  switch (form) {
    case log_form::text: return "%Y-%m-%dT%T.%f%z %l ";
    case log_form::logfmt: return "time=%Y-%m-%dT%T.%f%z level=%l ";
    case log_form::json: return R"({"time":"%Y-%m-%dT%T.%f%z","level":"%l",)";
  }
  return {};
}

class form_formatter final : public spdlog::formatter {
 public:
  explicit form_formatter(log_form form)
      : form_(form), prefix_(prefix_pattern(form), spdlog::pattern_time_type::local, "") {}

  void format(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) override {
    out.reserve(out.size() + message.payload.size() + prefix_room);
    append_prefix(message, out);
    const std::string_view payload(message.payload.data(), message.payload.size());
    if (message.source.funcname == event_mark) append(out, payload);
    else if (form_ == log_form::text) append(out, proxy::shown_text(payload));
    else append(out, (form_ == log_form::json ? "\"message\":" : "message=") + quoted_for_log(payload));
    append(out, form_ == log_form::json ? "}\n" : "\n");
  }

  std::unique_ptr<spdlog::formatter> clone() const override { return std::make_unique<form_formatter>(form_); }

 private:
  static void append(spdlog::memory_buf_t& out, std::string_view text) {
    out.append(text.data(), text.data() + text.size());
  }

  // Appends the time and the level of a line. The text is cached: for lines of the same level in the same second, only
  // the microseconds differ. Formatting it each time by spdlog's pattern would take a thousand instructions.
  void append_prefix(const spdlog::details::log_msg& message, spdlog::memory_buf_t& out) {
    const auto second = std::chrono::floor<std::chrono::seconds>(message.time);
    if (second != last_second_ || message.level != last_level_) {
      last_prefix_.clear();
      prefix_.format(message, last_prefix_);
      last_second_ = second;
      last_level_ = message.level;
    }
    const std::string_view last(last_prefix_.data(), last_prefix_.size());
    auto rest = std::chrono::duration_cast<std::chrono::microseconds>(message.time - second).count();
    const std::size_t first_digit = last.find('.') + 1;
    for (std::size_t at = first_digit + 6; at-- > first_digit; rest /= 10)
      last_prefix_[at] = static_cast<char>('0' + rest % 10);
    append(out, last);
  }

  // The capacity that is reserved for the time and the level in front of a message. If they are longer, the text must
  // be copied once more.
  static constexpr std::size_t prefix_room = 96;

  const log_form form_;
  spdlog::pattern_formatter prefix_;
  spdlog::memory_buf_t last_prefix_;
  std::chrono::sys_seconds last_second_ = std::chrono::sys_seconds::min();
  spdlog::level::level_enum last_level_ = spdlog::level::off;
};

}  // namespace

log_session::log_session(const std::string& level, log_form form) {
  auto logger = std::make_shared<spdlog::logger>("photofinish", std::make_shared<line_sink>(STDERR_FILENO));
  logger->set_formatter(make_log_formatter(form));
  logger->set_level(spdlog::level::from_str(level));
  form_in_use = form;
  spdlog::set_default_logger(std::move(logger));
}

log_session::~log_session() {
  spdlog::shutdown();
  form_in_use = log_form::text;
}

log_form log_form_in_use() { return form_in_use.load(std::memory_order_relaxed); }

bool logs_requests() { return spdlog::should_log(spdlog::level::info); }

void log_event(const std::string& line) {
  spdlog::default_logger_raw()->log(spdlog::source_loc{__FILE__, __LINE__, event_mark}, spdlog::level::info,
                                    spdlog::string_view_t(line));
}

// Logs how many lines were omitted. An alarm calls this function, so an exception would end the process. If there is no
// memory, this line is not logged either. The metrics still count the omitted lines.
void log_left_out(std::size_t lines) {
  try {
    log_line line(log_form_in_use(), "left_out");
    line.number(log_field::lines, std::to_string(lines));
    log_event(std::move(line).take());
  } catch (const std::bad_alloc&) {
  }
}

std::unique_ptr<spdlog::formatter> make_log_formatter(log_form form) { return std::make_unique<form_formatter>(form); }

}  // namespace photofinish::gateway
