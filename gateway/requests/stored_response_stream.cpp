// Streams a response that a provider stores. The stream comes from the only target that has the response, so there is
// no race.
#include "gateway/api/responses/passed_responses.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/requests/stored_responses.hpp"
#include "proxy/dialects/responses/response_stream.hpp"
#include "proxy/make_exchange.hpp"
#include "proxy/upstream_call.hpp"

#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

proxy::upstream_call make_call(worker_context& worker, const stored_response_query& asked,
                               const stored_response_target& at) {
  proxy::prepared_request request;
  request.head = stored_response_head(asked, at, "text/event-stream");
  return {*at.provider,
          at.key.key,
          std::move(request),
          std::make_unique<proxy::response_stream>(&worker.outbound.parser()),
          proxy::make_exchange(worker.outbound, *at.provider, at.target.model),
          worker.alarms,
          worker.outbound.finisher(),
          worker.attempts.redactors.of(asked.settings),
          asked.memory->another()};
}

// Limits the duration of the whole stream, but not the pauses between its events. A background response may send
// nothing for minutes.
racing::race_settings limits_of(const stored_response_query& asked) {
  racing::race_settings limits = asked.settings->race;
  limits.stall_timeout = limits.total_timeout;
  return limits;
}

// Does not count the tokens of a stored response, because they were counted when the response was made.
bool count_nothing(const std::string&, const std::function<void(std::uint64_t)>&) { return false; }

}  // namespace

asio::awaitable<stored_response_stream> stream_stored_response(worker_context& worker, client_connection& client,
                                                               stored_response_query question, header_fields fields,
                                                               response_style style) {
  stored_response_stream done;
  const auto found = find_stored_response(worker, question);
  if (const auto* error = std::get_if<api_error>(&found)) {
    done.refused = *error;
    co_return done;
  }
  const auto& at = std::get<stored_response_target>(found);
  proxy::upstream_call call = make_call(worker, question, at);
  const leave_hook hook(client, [&call] { call.close(); });
  if (client.is_abandoned()) call.close();
  bool is_late = false;
  proxy::alarm limit(worker.alarms, [&] { is_late = true, call.close(); });
  limit.arm(worker.alarms.now() + stored_response_patience);
  auto opened = co_await call.open();
  limit.disarm();
  if (!opened) {
    if (is_late) opened.error().kind = proxy::failure_kind::timeout;
    done.refused = client.is_interrupted() ? gateway_draining()
                                           : explain_stored_response(worker, question, at, std::move(opened).error());
    co_return done;
  }
  const racing::race_settings limits = limits_of(question);
  const proxy::instant ends_at = worker.alarms.now() + limits.total_timeout;
  client.set_stall_timeout(limits.client_stall_timeout);
  client.set_write_end(ends_at + client_connection::last_write);
  client_answer to(client, worker.batch, answer_form::stream, style);
  to.begin_early(fields);  // sends the head immediately, because the first event may take as long as the whole response
  std::vector<proxy::kept_event> none;
  winner_reader from(call, none, {}, worker.alarms, limits, ends_at, [&to] { to.send_keepalive(waiting_comment); });
  passed_response_stream writer(stored_response_identity(worker, question, at));
  answer_tokens tokens(count_nothing);
  relayed passed = co_await relay(from, writer, to, tokens, worker.alarms, &worker.beside);
  call.close();
  if (call.summary().usage) charge_background(worker, question, at, *call.summary().usage, call.summary().text_bytes);
  else charge_background_so_far(worker, question, at, call.summary().text_bytes);
  done.end = client.has_left() ? answer_end::client_left : passed.end;
  if (done.end != answer_end::truncated) co_return done;
  to.out().begin_batch();
  writer.fail(client.is_interrupted() ? gateway_draining() : explain_broken_winner(at.target.text(), *passed.why),
              to.out());
  to.start(false);
  co_await to.finish();
  if (!to.shows_its_end()) client.abort();
  co_return done;
}

}  // namespace photofinish::gateway
