#include "gateway/log.hpp"

#include <spdlog/async.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace photofinish::gateway {
namespace {

// Lines that may wait; beyond them the oldest are dropped rather than a request delayed.
constexpr std::size_t queue_length = 8192;

}  // namespace

log_session::log_session(const std::string& level) {
  spdlog::init_thread_pool(queue_length, 1);
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  auto logger = std::make_shared<spdlog::async_logger>("photofinish", std::move(sink), spdlog::thread_pool(),
                                                       spdlog::async_overflow_policy::overrun_oldest);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%f%z %l %v");
  logger->set_level(spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::warn);
  spdlog::set_default_logger(std::move(logger));
  spdlog::flush_every(std::chrono::seconds(1));
}

log_session::~log_session() { spdlog::shutdown(); }

}  // namespace photofinish::gateway
