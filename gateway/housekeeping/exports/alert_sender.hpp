// Posts alerts to the configured webhook, on the housekeeper's thread. Posts once for each change, and tries again with
// growing pauses while the receiver fails. No other work waits for these posts. If alerts change during a delivery, the
// next try also contains the changes.
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

  // Sets the webhook. If none is configured, nothing is sent. If no external_url is configured, links begin with
  // `own_url`.
  void configure(const alert_settings& settings, const std::string& own_url);

  // Reports the alerts that have begun or ended, together with all firing alerts. Sends nothing if no alert has
  // changed.
  void send(const std::vector<racing::regression_alert>& changes, const std::vector<racing::regression_alert>& firing);
  void send(const std::vector<soft_budget_alert>& changes, const std::vector<soft_budget_alert>& firing);

  // Ends the running delivery. After stop(), the object sends nothing.
  boost::asio::awaitable<void> stop();

 private:
  struct receiver {
    // The webhook's host. It is stored as a provider, so that the code for provider connections can also connect to the
    // webhook.
    proxy::provider host;
    std::string path;      // the path of the webhook's URL, which may contain a secret
    std::string shown;  // the scheme and host of the webhook's URL, for log lines
    alert_context context;
  };
  enum class verdict { delivered, refused, failed };

  boost::asio::awaitable<void> deliver();
  boost::asio::awaitable<void> pause(std::size_t failures);
  boost::asio::awaitable<verdict> post(std::shared_ptr<const receiver> to, std::string body);
  void note_resolved(posted_alert alert);
  void begin_delivery();

  boost::asio::io_context& loop_;
  // The connections to webhooks; null until the first webhook is configured.
  std::unique_ptr<proxy::outbound> outbound_;
  // The current webhook. A running delivery keeps using the webhook with which it began.
  std::shared_ptr<const receiver> receiver_;
  std::vector<posted_alert> regressions_, budgets_;  // the firing alerts
  std::vector<posted_alert> resolved_;
  bool has_news_ = false;
  bool is_delivering_ = false;
  bool is_stopping_ = false;
  std::function<void()> interrupt_;  // a function that ends the delivery's current pause
  proxy::signal delivery_ended_;
};

}  // namespace photofinish::gateway
