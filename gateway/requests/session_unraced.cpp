// Requests that race nothing: probes, lists of models, kept responses, counts of tokens, and requests that an exception
// ended. A session, continued.
#include "gateway/api/error_response.hpp"
#include "gateway/api/messages/token_count.hpp"
#include "gateway/api/models/model_shapes.hpp"
#include "gateway/requests/count_tokens.hpp"
#include "gateway/requests/kept_responses.hpp"
#include "gateway/requests/request_limits.hpp"
#include "gateway/requests/session.hpp"
#include "proxy/loop/spawn.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

namespace {

struct readiness {
  int status = 200;
  std::string_view text = "ok\n";
};

// Without `egress=own` a gateway stays ready as long as no other one reaches its providers, because a whole fleet would
// leave its balancer together when the providers are down.
readiness readiness_by(egress_state egress, std::string_view query) {
  if (egress == egress_state::works) return {};
  if (egress == egress_state::lost_alone) return {503, "no provider can be reached from this gateway\n"};
  if (query == "egress=own") return {503, "no provider can be reached\n"};
  return {200, "ok, but no provider can be reached\n"};
}

}  // namespace

asio::awaitable<after_response> session::answer_probe(const client_request& request, const routed_request& wanted) {
  const bool is_serving = worker_.state == service_state::serving;
  const bool knows_keys = worker_.tokens->is_ready(*settings_) && !settings_->is_first_reading();
  readiness found;
  if (wanted.to != endpoint::live)
    found = is_serving && knows_keys ? readiness_by(worker_.keeper.egress(), request.query)
                                     : readiness{503, is_serving ? "starting\n" : "draining\n"};
  return send(whole_response(found.status, "text/plain; charset=utf-8", found.text, fields_, style_));
}

asio::awaitable<after_response> session::answer_models(const client_request& request, const routed_request& wanted,
                                                       caller who) {
  const std::chrono::sys_seconds created = worker_.keeper.started_at();
  const auto answer = wanted.to == endpoint::models ? list_models(*settings_, who, request, created)
                                                    : describe_model(*settings_, who, wanted.model, request, created);
  if (const auto* error = std::get_if<api_error>(&answer)) return refuse(request, *error, who);
  note_answer(request, who);
  show_limits(worker_, *limits_, who, fields_);
  return send(whole_response(200, "application/json", std::get<std::string>(answer), fields_, style_));
}

asio::awaitable<after_response> session::answer_kept(client_request& request, routed_request wanted,
                                                     presented_keys keys, caller who) {
  const load_place place(worker_.load.requests);  // among the requests that race
  if (place.number() > settings_->limits.max_inflight) {
    const api_error full = requests_overloaded();
    co_return co_await refuse(request, full, who);
  }
  client_.charge(account_of(who));
  proxy::memory_share memory(worker_.load.memory, account_of(who), worker_.alarms);
  if (!memory.grow_to(memory_of_request, proxy::memory_use::arriving))
    co_return co_await refuse_for_memory(request, who);
  const limited_request limited{.table = limits_, .who = who};
  auto taken = take_limits(worker_, limited, fields_);
  if (auto* awaited = std::get_if<awaited_limits>(&taken)) {
    auto waited = co_await await_limits(worker_, limited, std::move(*awaited), fields_);
    if (auto* error = std::get_if<api_error>(&waited)) taken = std::move(*error);
    else taken = std::get<limit_hold>(std::move(waited));
  }
  if (const auto* refused = std::get_if<api_error>(&taken)) co_return co_await refuse(request, *refused, who);
  proxy::memory_share answers = memory.another();  // until it is written
  kept_question question{wanted.action, std::move(wanted.id), request, settings_,       limits_,
                         std::move(keys), who,                  &answers};
  if (asks_for_stream(question)) co_return co_await stream_answer(request, std::move(question));
  auto answer = co_await ask_for_kept(worker_, client_, std::move(question));
  if (client_.has_left()) {
    note_departure(request, who);
    co_return after_response::close;
  }
  if (client_.is_interrupted()) answer = gateway_draining();
  if (const auto* error = std::get_if<api_error>(&answer)) co_return co_await refuse(request, *error, who);
  note_answer(request, who);
  std::string text = whole_response(200, "application/json", std::get<std::string>(answer), fields_, style_);
  answer.emplace<std::string>();
  co_return co_await send(std::move(text));
}

asio::awaitable<after_response> session::stream_answer(client_request& request, kept_question question) {
  const caller who = question.who;
  if (style_.is_http_1_0) style_.then = after_response::close;  // where a stream ends with its connection
  const streamed_kept done = co_await stream_kept(worker_, client_, std::move(question), fields_, style_);
  if (client_.has_left()) {
    note_departure(request, who);
    co_return after_response::close;
  }
  if (done.refused) co_return co_await refuse(request, *done.refused, who);
  if (done.end == answer_end::complete) {
    note_answer(request, who);
    co_return style_.then;
  }
  plain_request seen{.id = request_id_, .peer = from_, .path = request.path};
  seen.outcome = client_.is_interrupted() ? request_outcome::drained : request_outcome::truncated;
  if (client_.is_interrupted()) seen.code = "gateway_draining";
  note(seen, request, who);
  co_return after_response::close;
}

asio::awaitable<after_response> session::answer_count(client_request& request, caller who) {
  const load_place place(worker_.load.requests);
  if (place.number() > settings_->limits.max_inflight) {
    const api_error full = requests_overloaded();
    co_return co_await refuse(request, full, who);
  }
  const std::variant<std::string, api_error> counted =
      co_await count_tokens(worker_, settings_, std::move(request.body), who, asked_model_);
  if (const auto* error = std::get_if<api_error>(&counted)) co_return co_await refuse(request, *error, who);
  fields_.add(token_count_header, token_count_kind);
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", std::get<std::string>(counted), fields_, style_));
}

// A client that has no byte of an answer gets an error; what has begun ends as broken. A second failure is run()'s.
asio::awaitable<after_response> session::answer_bug(std::exception_ptr bug) {
  proxy::report_bug("a request", bug);
  if (client_.has_written() || client_.has_left()) {
    client_.abort();
    co_return after_response::close;
  }
  const api_error error = explain_bug(bug);
  fields_ = {};
  if (!request_id_.empty()) fields_.add("x-request-id", request_id_);
  style_.then = after_response::close;
  note_refusal(client_request(), error, {});
  co_return co_await send(error_response(error, worded(error), fields_, style_));
}

// The running request gets an error. A client that does not read it, and a second call, end the connection.
void session::cut() {
  is_draining_ = true;
  if (!is_serving_ || last_write_) return client_.abort();
  last_write_ = std::make_unique<proxy::alarm>(worker_.alarms, [this] { client_.abort(); });
  last_write_->arm(worker_.alarms.now() + client_connection::last_write);
  client_.interrupt();
}

}  // namespace photofinish::gateway
