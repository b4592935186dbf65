// Posts spans to an OpenTelemetry collector, on the housekeeper's thread, in batches and one post at a time. It posts
// again with growing pauses while the collector is unreachable or busy. No other work waits for the posts, and the
// queue of spans is bounded.
#pragma once

#include "gateway/config/config.hpp"
#include "gateway/housekeeping/exports/span_queue.hpp"
#include "gateway/traces/race_trace.hpp"
#include "metrics/exposition.hpp"
#include "proxy/fetch.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/outbound.hpp"
#include "proxy/providers/provider.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>

namespace photofinish::gateway {

class span_exporter {
 public:
  // `version` is this gateway's version.
  span_exporter(boost::asio::io_context& loop, std::string version);

  // Sets the collector. If no endpoint is configured, the queued spans are dropped and nothing is sent.
  void configure(const tracing_settings& settings);

  // Encodes the trace and adds it to the queue. Returns false if the trace will not be sent.
  bool add(const race_trace& trace);

  // Starts to send the queued spans, and returns without waiting for the posts.
  void send();

  const metrics::span_facts& counts() const { return counts_; }

  // Sends the queued spans for at most a few seconds. After stop(), the object sends nothing.
  boost::asio::awaitable<void> stop();

 private:
  struct receiver {
    // The collector's host. It is stored as a provider, so that the code for provider connections can also connect to
    // the collector.
    proxy::provider host;
    std::string path;
    std::string shown;  // the scheme and host of the collector's URL, for log lines
    tracing_settings settings;
    std::map<std::string, std::string> resource;
  };
  enum class verdict { delivered, refused, try_again };
  struct outcome {
    verdict said = verdict::delivered;
    std::optional<std::chrono::milliseconds> retry_after;
    std::string why;
  };

  boost::asio::awaitable<void> deliver();
  boost::asio::awaitable<void> deliver_batch(const span_batch& batch);
  boost::asio::awaitable<outcome> post(std::shared_ptr<const receiver> to, const span_batch& batch);
  boost::asio::awaitable<void> pause(std::chrono::milliseconds time);
  std::chrono::milliseconds pause_after(std::size_t failures, const outcome& last);
  outcome read_answer(int status, std::string_view body, std::uint64_t spans);
  void say(const receiver& of, const std::string& what);

  boost::asio::io_context& loop_;
  const std::string version_;
  // The connections to collectors; null until the first collector is configured.
  std::unique_ptr<proxy::outbound> outbound_;
  // The current collector. A running post keeps using the collector with which it began.
  std::shared_ptr<const receiver> receiver_;
  span_queue queue_;
  metrics::span_facts counts_;
  std::minstd_rand random_{std::random_device{}()};
  bool is_delivering_ = false;
  bool is_stopping_ = false;
  bool is_cut_ = false;
  proxy::fetch* running_ = nullptr;
  std::function<void()> end_pause_;
  proxy::signal delivery_ended_;
  proxy::instant say_again_at_{};  // the earliest time of the next log line about a problem with the collector
};

}  // namespace photofinish::gateway
