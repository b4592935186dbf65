// Posts alerts to the configured webhook, on the housekeeper's thread. It posts once per change, and again with growing
// pauses while the receiver fails. No other work waits for the post. The next try also reports changes that happen
// during a delivery.
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

  // If no webhook is configured, nothing is sent. `own_url` is used if no external_url is configured.
  void configure(const alert_settings& settings, const std::string& own_url);

  // Reports the alerts that began or ended, and the alerts that fire now. Sends nothing if no alert has changed.
  void send(const std::vector<racing::regression_alert>& changes, const std::vector<racing::regression_alert>& firing);
  void send(const std::vector<soft_budget_alert>& changes, const std::vector<soft_budget_alert>& firing);

  // Ends the running delivery. The object sends nothing after this.
  boost::asio::awaitable<void> stop();

 private:
  struct receiver {
    // The webhook's host, in the form of a provider, so that the code for provider connections can be used.
    proxy::provider host;
    std::string path;      // path of the webhook's URL, which may be secret
    std::string shown;  // scheme and host of the webhook's URL, for the log
    alert_context context;
  };
  enum class verdict { delivered, refused, failed };

  boost::asio::awaitable<void> deliver();
  boost::asio::awaitable<void> pause(std::size_t failures);
  boost::asio::awaitable<verdict> post(std::shared_ptr<const receiver> to, std::string body);
  void note_resolved(posted_alert alert);
  void begin_delivery();

  boost::asio::io_context& loop_;
  std::unique_ptr<proxy::outbound> outbound_;  // connections to webhooks; null before the first webhook is configured
  // The current webhook; a running delivery keeps the webhook with which it began.
  std::shared_ptr<const receiver> receiver_;
  std::vector<posted_alert> regressions_, budgets_;  // the firing alerts
  std::vector<posted_alert> resolved_;
  bool has_news_ = false;
  bool is_delivering_ = false;
  bool is_stopping_ = false;
  std::function<void()> interrupt_;  // function that ends the pause of the delivery early
  proxy::signal delivery_ended_;
};

}  // namespace photofinish::gateway
