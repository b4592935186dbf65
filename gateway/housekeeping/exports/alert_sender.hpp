// Posts alerts to the configured webhook, on the housekeeper's thread: once per change, again with growing pauses
// while the receiver fails. Nothing waits for it, and a change on the way is reported with the next try.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/config/webhook_url.hpp"
#include "gateway/housekeeping/exports/alert_message.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/provider.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace photofinish::gateway {

class alert_sender {
 public:
  explicit alert_sender(boost::asio::io_context& loop) : loop_(loop) {}

  // Without a webhook nothing is sent. `own_url` stands in for an external_url that is not configured.
  void configure(const alert_settings& settings, const std::string& own_url);

  // What began or ended, and what fires now. Without a change nothing is sent.
  void send(const std::vector<racing::regression_alert>& changes, const std::vector<racing::regression_alert>& firing);
  void send(const std::vector<soft_budget_alert>& changes, const std::vector<soft_budget_alert>& firing);

  // Ends what is on its way. Afterwards nothing is sent any more.
  boost::asio::awaitable<void> stop();

 private:
  struct receiver {
    proxy::provider host;  // whose connections are used
    std::string path;      // may be secret
    std::string shown;  // for the log: scheme and host alone
    alert_context context;
  };
  enum class verdict { delivered, refused, failed };

  boost::asio::awaitable<void> deliver();
  boost::asio::awaitable<void> pause(std::size_t failures);
  boost::asio::awaitable<verdict> post(std::shared_ptr<const receiver> to, std::string body);
  void note_resolved(posted_alert alert);
  void begin_delivery();

  boost::asio::io_context& loop_;
  std::unique_ptr<proxy::outbound> outbound_;  // made for the first webhook
  std::shared_ptr<const receiver> receiver_;   // a delivery keeps the one it began with
  std::vector<posted_alert> regressions_, budgets_;  // that fire
  std::vector<posted_alert> resolved_;
  bool has_news_ = false;
  bool is_delivering_ = false;
  bool is_stopping_ = false;
  std::function<void()> interrupt_;  // of what the delivery waits for
  proxy::signal delivery_ended_;
};

}  // namespace photofinish::gateway
