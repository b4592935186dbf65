#include "tests/support/gateway/captured_log.hpp"

#include <spdlog/sinks/dist_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "tests/support/patience.hpp"

namespace photofinish::testing {
namespace {

using one_of_two = spdlog::sinks::dist_sink<std::mutex>;

// The process's only log sink. It holds a lock while it writes lines to the terminal or to the object that captures the log.
one_of_two& place_of_lines() {
  static const auto made = std::make_shared<one_of_two>();
  [[maybe_unused]] static const bool is_in_place = [] {
    made->add_sink(std::make_shared<spdlog::sinks::stdout_color_sink_mt>());
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("tests", made));
    return true;
  }();
  return *made;
}

}  // namespace

class captured_log::kept_lines final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::vector<std::string> lines() {
    const std::lock_guard held(mutex_);
    return lines_;
  }

  std::vector<spdlog::sink_ptr> before;

 private:
  void sink_it_(const spdlog::details::log_msg& message) override {
    lines_.emplace_back(message.payload.data(), message.payload.size());
  }
  void flush_() override {}
  std::vector<std::string> lines_;
};

bool captured_log::prepare() {
  const auto* before = spdlog::default_logger_raw();
  place_of_lines();
  return spdlog::default_logger_raw() != before;
}

captured_log::captured_log() : kept_(std::make_shared<kept_lines>()) {
  kept_->before = place_of_lines().sinks();
  place_of_lines().set_sinks({kept_});
}

captured_log::~captured_log() { place_of_lines().set_sinks(std::exchange(kept_->before, {})); }

std::vector<std::string> captured_log::lines() const { return kept_->lines(); }

std::vector<std::string> captured_log::lines_with(std::initializer_list<std::string_view> texts) const {
  std::vector<std::string> found;
  for (const std::string& line : lines()) {
    const auto holds = [&line](std::string_view text) { return line.find(text) != std::string::npos; };
    if (std::all_of(texts.begin(), texts.end(), holds)) found.push_back(line);
  }
  return found;
}

bool captured_log::logs_once(std::initializer_list<std::string_view> texts) const {
  comes_true([&] { return !lines_with(texts).empty(); });
  return lines_with(texts).size() == 1;
}

}  // namespace photofinish::testing
