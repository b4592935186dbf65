// Posts alerts to the configured webhook, on the housekeeper's thread: once per change, and again with growing pauses
// while the receiver fails. No other work waits for it. A change during a delivery is reported with the next try.
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

  // Without a webhook nothing is sent. `own_url` replaces an external_url that is not configured.
  void configure(const alert_settings& settings, const std::string& own_url);

  // Reports the alerts that began or ended, and those that fire now. Without a change nothing is sent.
  void send(const std::vector<racing::regression_alert>& changes, const std::vector<racing::regression_alert>& firing);
  void send(const std::vector<soft_budget_alert>& changes, const std::vector<soft_budget_alert>& firing);

  // Ends the running delivery. Nothing is sent after this.
  boost::asio::awaitable<void> stop();

 private:
  struct receiver {
    proxy::provider host;  // the webhook's host as a provider, whose connections are used
    std::string path;      // the path may be secret
    std::string shown;  // only scheme and host, for the log
    alert_context context;
  };
  enum class verdict { delivered, refused, failed };

  boost::asio::awaitable<void> deliver();
  boost::asio::awaitable<void> pause(std::size_t failures);
  boost::asio::awaitable<verdict> post(std::shared_ptr<const receiver> to, std::string body);
  void note_resolved(posted_alert alert);
  void begin_delivery();

  boost::asio::io_context& loop_;
  std::unique_ptr<proxy::outbound> outbound_;  // created for the first webhook
  std::shared_ptr<const receiver> receiver_;   // a delivery keeps the receiver with which it began
  std::vector<posted_alert> regressions_, budgets_;  // the firing alerts
  std::vector<posted_alert> resolved_;
  bool has_news_ = false;
  bool is_delivering_ = false;
  bool is_stopping_ = false;
  std::function<void()> interrupt_;  // interrupts the wait of the delivery
  proxy::signal delivery_ended_;
};

}  // namespace photofinish::gateway
