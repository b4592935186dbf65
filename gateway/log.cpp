#include "gateway/log.hpp"

#include "gateway/line_sink.hpp"

#include <spdlog/spdlog.h>

#include <unistd.h>

#include <memory>

namespace photofinish::gateway {

log_session::log_session(const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("photofinish", std::make_shared<line_sink>(STDERR_FILENO));
  logger->set_pattern("%Y-%m-%dT%T.%f%z %l %v");
  logger->set_level(spdlog::level::from_str(level));
  spdlog::set_default_logger(std::move(logger));
}

log_session::~log_session() { spdlog::shutdown(); }

}  // namespace photofinish::gateway
