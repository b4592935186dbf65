#include "proxy/outbound.hpp"

#include "proxy/dialects/openai/chunks/chunk_memory.hpp"
#include "proxy/http2/http2_pool.hpp"
#include "proxy/json/tolerant_json.hpp"

namespace photofinish::proxy {

outbound::outbound(boost::asio::io_context& loop)
    : scratch_(scratch_bytes + json_padding),
      parser_(std::make_unique<tolerant_parser>()),
      chunks_(std::make_unique<chunk_memory>()),
      alarms_(loop),
      names_(loop, alarms_),
      network_{loop, alarms_, names_, tls_},
      pool_(network_),
      http2_(std::make_unique<http2_pool>(network_, pool_, scratch())),
      finisher_(alarms_, loop.get_executor()) {}

outbound::~outbound() = default;

boost::asio::awaitable<void> outbound::stop() {
  finisher_.stop();
  co_await finisher_.drained();
  http2_->stop();
  pool_.stop();
  co_await http2_->drained();
  co_await pool_.drained();
  names_.stop();
  alarms_.stop();
}

}  // namespace photofinish::proxy
