#include "gateway/requests/kept_responses.hpp"

#include "gateway/access/caller_digest.hpp"
#include "gateway/api/model_name.hpp"
#include "gateway/api/responses/passed_responses.hpp"
#include "proxy/dialects/provider_head.hpp"
#include "proxy/failures/foreign_text.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/make_exchange.hpp"
#include "proxy/read_refusal.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::size_t shown_bytes = 100;  // of a client's text in an error

// Nothing is computed there: it is only looked up.
constexpr std::chrono::seconds patience{60};

struct kept_target {
  const proxy::provider* provider = nullptr;
  target_name target;
  chosen_key key;
};

// As in a request that names it as its model: by a route of the caller's, or directly.
bool may_reach(const kept_question& asked, const target_name& target, const chosen_key& key) {
  for (const auto& [name, route] : asked.settings->routes) {
    const auto& all = route.targets;
    if (may_use_route(asked.who, name) && std::find(all.begin(), all.end(), target) != all.end()) return true;
  }
  if (!may_use_targets_directly(asked.who)) return false;
  return key.source != key_source::configured || may_call_directly(*asked.settings, target);
}

std::variant<kept_target, api_error> find_target(const kept_question& asked, const kept_response& kept) {
  const auto found = asked.settings->providers.find(kept.target.provider);
  if (found == asked.settings->providers.end() || !found->second.apis.contains(proxy::served_api::responses))
    return no_such_response(asked.id, {});
  const std::array targets{kept.target};
  chosen_key key = key_for(found->second, asked.keys, *asked.settings, targets);
  if (key.source == key_source::none) return to_api_error(no_key_for(targets, *asked.settings));
  if (!may_reach(asked, kept.target, key)) return no_such_response(asked.id, {});
  return kept_target{&found->second, kept.target, std::move(key)};
}

// A provider's id may be anything; a path may not.
std::string percent_encoded(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~";
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (plain.find(each) != std::string_view::npos) out.push_back(each);
    else out.append({'%', hex[byte >> 4], hex[byte & 15]});
  }
  return out;
}

// A query in chat_path holds here, too: Azure's older APIs want their version there.
std::string path_of(const kept_question& asked, const proxy::provider& provider, std::string_view id) {
  std::string path = "/responses/" + percent_encoded(id);
  if (asked.action == kept_action::cancel) path += "/cancel";
  if (asked.action == kept_action::input_items) path += "/input_items";
  const std::size_t own = provider.chat_path.find('?');
  if (own != std::string::npos) path.append(provider.chat_path, own);
  if (!asked.query.empty()) path.append(own == std::string::npos ? "?" : "&").append(asked.query);
  return path;
}

bool asks_for_stream(std::string_view query) {
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    if (query.substr(at, end - at) == "stream=true") return true;
    at = end + 1;
  }
  return false;
}

std::string_view method_of(kept_action action) {
  if (action == kept_action::remove) return "DELETE";
  return action == kept_action::cancel ? "POST" : "GET";
}

// Gone when what it refers to goes, however that ends.
class leave_hook {
 public:
  leave_hook(client_connection& client, std::function<void()> hook) : client_(client) {
    client_.on_leave(std::move(hook));
  }
  ~leave_hook() { client_.on_leave({}); }
  leave_hook(const leave_hook&) = delete;
  leave_hook& operator=(const leave_hook&) = delete;

 private:
  client_connection& client_;
};

class kept_call {
 public:
  kept_call(services& worker, kept_question& asked, const kept_target& at)
      : worker_(worker),
        asked_(asked),
        at_(at),
        exchange_(proxy::make_exchange(worker.outbound, *at.provider, at.target.model)),
        limit_(worker.alarms, [this] { is_late_ = true, exchange_->cancel(); }) {}

  void cancel() { exchange_->cancel(); }

  asio::awaitable<std::variant<std::string, api_error>> run(std::string id) {
    limit_.arm(worker_.alarms.now() + patience);
    constexpr std::array<proxy::header_field, 2> fields{
        {{"content-type", "application/json"}, {"accept", "application/json"}}};
    const std::string path = path_of(asked_, *at_.provider, id);
    proxy::request_head head = proxy::provider_head(*at_.provider, at_.key.key, path, fields);
    head.method = method_of(asked_.action);
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
  asio::awaitable<std::optional<proxy::failure>> read_body() {
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
    worker_.attempts.redactors.of(asked_.settings)->redact(why);
    proxy::redact(why, std::span(&at_.key.key, 1));
    if (is_late_) why.kind = proxy::failure_kind::timeout;
    const attempt_failure failed{at_.target.text(), std::move(why), at_.key.source == key_source::own};
    return explain_defeat(std::span(&failed, 1), racing::defeat::all_failed);
  }

  services& worker_;
  kept_question& asked_;
  const kept_target& at_;
  std::unique_ptr<proxy::exchange> exchange_;
  bool is_late_ = false;
  proxy::alarm limit_;
  std::string body_;
};

}  // namespace

api_error no_such_response(std::string_view id, std::string_view param) {
  api_error error = bad_request("no response with the id '" + proxy::clean_text(id, shown_bytes) +
                                    "' was kept for this caller: only with `store: true` a response is kept, and its "
                                    "id works with the key that it was made with",
                                std::string(param), "response_not_found");
  error.status = 404;
  return error;
}

asio::awaitable<std::variant<std::string, api_error>> ask_for_kept(services& worker, client_connection& client,
                                                                   kept_question question) {
  if (asks_for_stream(question.query))
    co_return bad_request("a kept response is not served as a stream: leave 'stream' out, and ask again until its "
                          "status is completed",
                          "stream");
  const response_ids ids = ids_of(worker, *question.settings);
  const digest owner = caller_digest(question.who, question.keys);
  const auto kept = ids.opened(question.id, owner);
  if (!kept) co_return no_such_response(question.id, {});
  const auto found = find_target(question, *kept);
  if (const auto* error = std::get_if<api_error>(&found)) co_return *error;
  const auto& at = std::get<kept_target>(found);
  const auto place = take_place(worker.attempts.flights.at_provider(at.provider->name),
                                at.provider->limits.max_running.value_or(SIZE_MAX));
  if (!place) co_return provider_busy("max_running of '" + at.provider->name + "' attempts are running already");
  kept_call call(worker, question, at);
  const leave_hook hook(client, [&call] { call.cancel(); });
  if (client.has_left()) call.cancel();
  auto answer = co_await call.run(kept->id);
  if (std::holds_alternative<api_error>(answer)) co_return std::move(answer);
  answer_identity shown;
  shown.shown_id = [&](std::string_view id) { return ids.sealed({kept->target, std::string(id)}, owner); };
  std::string json = std::get<std::string>(std::move(answer));
  if (question.action != kept_action::input_items) json = with_shown_ids(json.substr(json.find('{')), shown);
  co_return json;
}

}  // namespace photofinish::gateway
