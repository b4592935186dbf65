#include "proxy/outbound.hpp"

namespace photofinish::proxy {

outbound::outbound(boost::asio::io_context& loop)
    : alarms_(loop),
      names_(loop, alarms_),
      network_{loop, alarms_, names_, tls_},
      pool_(network_),
      finisher_(alarms_, loop.get_executor()),
      scratch_(scratch_bytes + json_padding) {}

boost::asio::awaitable<void> outbound::stop() {
  finisher_.stop();
  co_await finisher_.drained();
  pool_.stop();
  co_await pool_.drained();
  names_.stop();
  alarms_.stop();
}

}  // namespace photofinish::proxy
