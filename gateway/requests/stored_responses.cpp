#include "gateway/requests/stored_responses.hpp"

#include "gateway/api/responses/passed_responses.hpp"
#include "gateway/http/leave_hook.hpp"
#include "proxy/dialects/own_words.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/make_exchange.hpp"
#include "proxy/read_refusal.hpp"

#include <span>
#include <utility>

namespace photofinish::gateway {

namespace {

class stored_response_call {
 public:
  stored_response_call(worker_context& worker, const stored_response_query& asked, const stored_response_target& at)
      : worker_(worker),
        asked_(asked),
        at_(at),
        exchange_(proxy::make_exchange(worker.outbound, *at.provider, at.target.model)),
        limit_(worker.alarms, [this] { is_late_ = true, exchange_->cancel(); }) {}

  void cancel() { exchange_->cancel(); }

  boost::asio::awaitable<std::variant<std::string, api_error>> run() {
    limit_.arm(worker_.alarms.now() + stored_response_patience);
    const proxy::request_head head = stored_response_head(asked_, at_, "application/json");
    auto answer = co_await exchange_->start(head, {});
    if (!answer) co_return explained(std::move(answer).error());
    std::optional<proxy::failure> broken = co_await read_body();
    if (broken) co_return explained(*std::move(broken));
    if (answer->status != 200) co_return refused(*answer);
    proxy::json_scan scan;
    if (!scan.see(body_) || !scan.is_complete()) co_return refused(*answer);
    co_return std::move(body_);
  }

 private:
  boost::asio::awaitable<std::optional<proxy::failure>> read_body() {
    const std::size_t most = at_.provider->limits.max_event_bytes;
    while (true) {
      auto bytes = co_await exchange_->next();
      if (!bytes) co_return std::move(bytes).error();
      if (bytes->empty()) co_return std::nullopt;
      if (bytes->size() > most - body_.size() ||
          !asked_.memory->grow_to(body_.size() + bytes->size(), proxy::memory_use::running)) {
        exchange_->cancel();
        co_return proxy::no_memory_for("an answer of this size");
      }
      body_ += *bytes;
    }
  }

  api_error refused(const proxy::response_head& head) {
    return explained(proxy::read_refusal(head, std::string_view(body_).substr(0, proxy::max_error_bytes)));
  }

  api_error explained(proxy::failure why) {
    if (is_late_) why.kind = proxy::failure_kind::timeout;
    return explain_stored_response(worker_, asked_, at_, std::move(why));
  }

  worker_context& worker_;
  const stored_response_query& asked_;
  const stored_response_target& at_;
  std::unique_ptr<proxy::exchange> exchange_;
  bool is_late_ = false;
  proxy::alarm limit_;
  std::string body_;
};

}  // namespace

boost::asio::awaitable<std::variant<std::string, api_error>> fetch_stored_response(worker_context& worker,
                                                                                   client_connection& client,
                                                                                   stored_response_query question) {
  const auto found = find_stored_response(worker, question);
  if (const auto* error = std::get_if<api_error>(&found)) co_return *error;
  const auto& at = std::get<stored_response_target>(found);
  stored_response_call call(worker, question, at);
  const leave_hook hook(client, [&call] { call.cancel(); });
  if (client.is_abandoned()) call.cancel();
  auto answer = co_await call.run();
  if (std::holds_alternative<api_error>(answer)) co_return std::move(answer);
  const std::string& body = std::get<std::string>(answer);
  if (const auto used = usage_in(body)) charge_background(worker, question, at, *used, body.size());
  const answer_identity shown = stored_response_identity(worker, question, at);
  std::string json = std::get<std::string>(std::move(answer));
  if (question.action != stored_response_action::input_items) {
    const auto clean = [&](std::string_view text) {
      const std::string known = worker.attempts.redactors.of(question.settings)->redact(text);
      return proxy::redact(known, std::span(&at.key.key, 1));
    };
    if (auto cleaned = proxy::with_clean_words(json, clean)) json = *std::move(cleaned);
    json = with_shown_ids(json.substr(json.find('{')), shown);
  }
  co_return json;
}

}  // namespace photofinish::gateway
