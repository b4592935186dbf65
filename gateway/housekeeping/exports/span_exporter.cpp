#include "gateway/housekeeping/exports/span_exporter.hpp"

#include "gateway/config/webhook_url.hpp"
#include "gateway/process/instance_name.hpp"
#include "gateway/traces/gzip.hpp"
#include "gateway/traces/otlp_json.hpp"
#include "proxy/failures/retry_after.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/providers/url.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The header in which a collector asks for a pause.
constexpr std::string_view pause_field = "retry-after";

// The time limit of a post, which is the default of OpenTelemetry's SDKs.
constexpr std::chrono::seconds collector_patience{10};
constexpr std::size_t longest_collector_answer = 64u << 10;
constexpr std::chrono::milliseconds first_span_pause{500}, longest_span_pause{30'000};
constexpr std::chrono::milliseconds longest_asked_pause{60'000};  // the longest pause that a collector may ask for
// The maximum number of posts for one batch. The pauses between these posts add up to two to three minutes, which is
// enough time for a collector to restart.
constexpr std::size_t most_posts = 10;
constexpr std::chrono::seconds flush_patience{3};
constexpr std::chrono::minutes quiet{1};  // the pause between two log lines about the same problem

// True for the statuses that the OTLP specification calls retryable. After any other error status, the collector would
// refuse the same post again.
bool may_be_posted_again(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

}  // namespace

span_exporter::span_exporter(asio::io_context& loop, std::string version)
    : loop_(loop), version_(std::move(version)) {}

void span_exporter::configure(const tracing_settings& settings) {
  if (receiver_ && receiver_->settings == settings) return;
  receiver_.reset();
  while (!settings.is_on() && !queue_.empty()) counts_.dropped += queue_.take().spans;
  if (!settings.is_on()) return;
  auto parsed = parse_webhook_url(settings.endpoint);
  if (!parsed.url) return spdlog::error("tracing.endpoint {}", parsed.problem);
  receiver made;
  made.host.name = "tracing";
  made.host.url = parsed.url->origin;
  made.host.limits.max_spares = 1;  // one connection is enough, because posts run one after another
  made.path = std::move(parsed.url->path);
  made.shown = proxy::to_string(made.host.url);
  made.settings = settings;
  made.resource = resource_of_gateway(settings.resource, version_, default_instance_name());
  receiver_ = std::make_shared<const receiver>(std::move(made));
  say_again_at_ = {};
  if (!outbound_) outbound_ = std::make_unique<proxy::outbound>(loop_);
  if (end_pause_) end_pause_();
}

bool span_exporter::add(const race_trace& trace) {
  const std::uint64_t spans = trace.spans.size();
  const bool is_kept = receiver_ && queue_.put(otlp_spans(trace), spans);
  if (!is_kept) counts_.dropped += spans;
  if (queue_.spans() >= span_queue::most_batch_spans) send();
  return is_kept;
}

void span_exporter::send() {
  if (is_delivering_ || is_cut_ || queue_.empty() || !receiver_) return;
  is_delivering_ = true;
  const auto ended = [this] {
    is_delivering_ = false;
    delivery_ended_.wake();
  };
  try {
    proxy::spawn(loop_, "the span exporter", deliver(), ended);
  } catch (...) {  // the delivery of the spans could not be started
    is_delivering_ = false;
    throw;
  }
}

asio::awaitable<void> span_exporter::deliver() {
  while (!queue_.empty() && receiver_ && !is_cut_) {
    const span_batch batch = queue_.take();
    co_await deliver_batch(batch);
  }
}

// If the configured endpoint changes, the next try uses the new endpoint.
asio::awaitable<void> span_exporter::deliver_batch(const span_batch& batch) {
  for (std::size_t posts = 1;; ++posts) {
    const std::shared_ptr<const receiver> to = receiver_;
    if (!to || is_cut_) break;
    const outcome last = co_await post(to, batch);
    if (last.said == verdict::delivered) co_return;
    const bool may_try = last.said == verdict::try_again && posts < most_posts && !is_stopping_;
    say(*to, last.why + (may_try ? "; the gateway will send the spans again" : "; the spans are lost"));
    if (!may_try) break;
    co_await pause(pause_after(posts, last));
  }
  counts_.failed += batch.spans;
}

asio::awaitable<span_exporter::outcome> span_exporter::post(std::shared_ptr<const receiver> to,
                                                            const span_batch& batch) {
  proxy::fetch_request request;
  request.head.path = to->path;
  request.head.fields = {{"content-type", "application/json"}, {"user-agent", "photofinish/" + version_}};
  for (const auto& [name, value] : to->settings.headers) request.head.fields.emplace_back(name, value.reveal());
  request.body = otlp_request(to->resource, version_, batch.traces);
  if (to->settings.is_compressed) {
    request.body = gzipped(request.body);
    request.head.fields.emplace_back("content-encoding", "gzip");
  }
  request.patience = collector_patience;
  request.max_body = longest_collector_answer;
  proxy::fetch call(*outbound_, to->host);
  running_ = &call;
  const auto answer = co_await call.run(std::move(request));
  running_ = nullptr;
  if (!answer) {
    const bool is_late = answer.error().kind == proxy::failure_kind::timeout;
    const std::string_view why = is_late ? "no answer in time" : to_string(answer.error().kind);
    co_return outcome{verdict::try_again, std::nullopt, std::string(why)};
  }
  outcome read = read_answer(answer->head.status, answer->body, batch.spans);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  read.retry_after = proxy::read_retry_after({}, answer->head.field(pause_field), now);
  co_return read;
}

span_exporter::outcome span_exporter::read_answer(int status, std::string_view body, std::uint64_t spans) {
  if (status < 200 || status >= 300)
    return {may_be_posted_again(status) ? verdict::try_again : verdict::refused, std::nullopt,
            "status " + std::to_string(status)};
  const std::uint64_t rejected = std::min(rejected_spans(body), spans);
  counts_.exported += spans - rejected;
  counts_.failed += rejected;
  return {};
}

// Returns the pause that the collector asks for. Otherwise returns a pause that grows with the number of failures and
// has a random part, so that gateways do not retry at the same time.
std::chrono::milliseconds span_exporter::pause_after(std::size_t failures, const outcome& last) {
  if (last.retry_after) return std::min(*last.retry_after, longest_asked_pause);
  const auto longest = std::min(first_span_pause * (1 << std::min<std::size_t>(failures - 1, 10)), longest_span_pause);
  return longest * std::uniform_int_distribution<int>(50, 100)(random_) / 100;
}

asio::awaitable<void> span_exporter::pause(std::chrono::milliseconds time) {
  if (is_stopping_) co_return;
  bool is_over = false;
  proxy::signal over;
  const auto end = [&is_over, &over] { is_over = true, over.wake(); };
  proxy::alarm limit(outbound_->alarms(), end);
  limit.arm(outbound_->alarms().now() + time);
  end_pause_ = end;
  while (!is_over) co_await over.wait();
  end_pause_ = nullptr;
}

void span_exporter::say(const receiver& of, const std::string& what) {
  const proxy::instant now = outbound_->alarms().now();
  if (now < say_again_at_) return;
  say_again_at_ = now + quiet;
  spdlog::warn("spans not delivered to {}: {}", of.shown, what);
}

asio::awaitable<void> span_exporter::stop() {
  is_stopping_ = true;
  if (!outbound_) co_return;
  send();
  proxy::alarm limit(outbound_->alarms(), [this] {
    is_cut_ = true;
    if (running_) running_->cancel();
  });
  limit.arm(outbound_->alarms().now() + flush_patience);
  if (end_pause_) end_pause_();
  while (is_delivering_) co_await delivery_ended_.wait();
  is_cut_ = true;
  if (const std::uint64_t left = queue_.spans(); left > 0)
    spdlog::warn("{} spans were not sent before the gateway ended", left);
  limit.disarm();
  co_await outbound_->stop();
}

}  // namespace photofinish::gateway
