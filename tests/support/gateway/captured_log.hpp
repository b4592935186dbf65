// What the gateway in this process logs, line by line, while this lives.
#pragma once

#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace photofinish::testing {

class captured_log {
 public:
  captured_log() : before_(spdlog::default_logger()) {
    spdlog::set_default_logger(std::make_shared<spdlog::logger>("captured", sink_));
  }
  captured_log(const captured_log&) = delete;
  captured_log& operator=(const captured_log&) = delete;
  ~captured_log() { spdlog::set_default_logger(before_); }

  std::vector<std::string> lines() const { return sink_->lines(); }

  // Those that hold each of the texts.
  std::vector<std::string> lines_with(std::initializer_list<std::string_view> texts) const {
    std::vector<std::string> found;
    for (const std::string& line : lines()) {
      const auto holds = [&line](std::string_view text) { return line.find(text) != std::string::npos; };
      if (std::all_of(texts.begin(), texts.end(), holds)) found.push_back(line);
    }
    return found;
  }

 private:
  class lines_sink final : public spdlog::sinks::base_sink<std::mutex> {
   public:
    std::vector<std::string> lines() {
      const std::lock_guard held(mutex_);
      return lines_;
    }

   private:
    void sink_it_(const spdlog::details::log_msg& message) override {
      lines_.emplace_back(message.payload.data(), message.payload.size());
    }
    void flush_() override {}
    std::vector<std::string> lines_;
  };

  std::shared_ptr<spdlog::logger> before_;
  std::shared_ptr<lines_sink> sink_ = std::make_shared<lines_sink>();
};

}  // namespace photofinish::testing
