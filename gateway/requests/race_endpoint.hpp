// One request for an answer, whatever its API, from its body to its last byte and its log line, in four steps: prepare,
// race, relay, record. It puts the parts together and decides nothing itself: which targets run is the planner's, who
// wins the race's, what an answer and an error read like the API's.
#pragma once

#include "gateway/access/access.hpp"
#include "gateway/access/keys.hpp"
#include "gateway/api/api.hpp"
#include "gateway/api/race_headers.hpp"
#include "gateway/cache/cache_part.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/http/response.hpp"
#include "gateway/relay/crawl_watch.hpp"
#include "gateway/relay/recorded_source.hpp"
#include "gateway/relay/relay.hpp"
#include "gateway/relay/winner_reader.hpp"
#include "gateway/relay/continued_source.hpp"
#include "gateway/relay/text_so_far.hpp"
#include "gateway/requests/late_accounts.hpp"
#include "gateway/attempts/request_plan.hpp"
#include "gateway/attempts/race_observer.hpp"
#include "gateway/requests/request_limits.hpp"
#include "gateway/requests/services.hpp"
#include "proxy/memory/memory_share.hpp"
#include "racing/race_run.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace photofinish::gateway {

// A request whose body has come, and whose caller is known.
struct admitted_request {
  const api& by;
  std::shared_ptr<const config> settings;  // those that `keys` and `who` were read under
  std::shared_ptr<const limit_table> limits;  // of those
  client_request request;
  std::string model;  // that its path names; empty: its body does
  presented_keys keys;
  caller who;
  std::string id;
  boost::asio::ip::tcp::endpoint peer;
  header_fields fields;  // of every answer
  response_style style;
  proxy::memory_share memory;  // what the request holds beside its body
  bool is_https = false;       // the client calls over TLS
};

class judging;

class race_endpoint {
 public:
  // `worker` and `client` outlive the call of serve().
  race_endpoint(services& worker, client_connection& client, admitted_request admitted);
  ~race_endpoint();

  // Answers the request. Afterwards the connection may be used again, or must be closed.
  boost::asio::awaitable<after_response> serve();

 private:
  using read_ask = std::variant<ask, api_error>;

  // Prepare: from the body to a plan.
  boost::asio::awaitable<std::optional<after_response>> prepare_or_refuse();
  boost::asio::awaitable<read_ask> read_aside();
  read_ask read_body(proxy::tolerant_parser& parser);
  void take_cost_request(read_ask& read, proxy::tolerant_parser& parser);
  void show_usage(ask& asked) const;  // in a stream, to a client that wants its cost in it
  std::optional<api_error> prepare(read_ask asked);
  bool counts_tokens(std::string_view route) const;
  std::optional<api_error> take_own_limits();
  boost::asio::awaitable<std::optional<api_error>> wait_for_limits();
  limited_request limited() const;
  void note_limits(limit_hold taken);
  bool count_forms();  // in the request's memory; false: the limit is reached
  std::optional<speed_source> known_speed();
  void note_size(const ask& asked);
  void note_plan();
  void add_observers();
  void begin_trace_of(const admitted_request& admitted);
  void add_content_log();
  boost::asio::awaitable<relayed> relay_kept(answer_source& from, client_answer& answer);
  boost::asio::awaitable<relayed> relay_seen(answer_source& from, client_answer& answer);
  // Cache: an answer from before, or of a race that runs already; and what others get of this one.
  void look_into_cache();
  void follow_another();
  void join_cache();
  void forget_race();
  usage_shown usage_for_client() const;
  bool is_answered_already() const { return shared_ && shared_->from; }
  boost::asio::awaitable<after_response> replay();
  boost::asio::awaitable<void> wait_for_other(answer_reader& from, client_answer& to);
  boost::asio::awaitable<after_response> relay_other(answer_reader& from, client_answer& to);
  boost::asio::awaitable<after_response> fail_as_other(answer_reader& from, client_answer& to);
  void note_source(const answer_origin& origin);
  void when_client_leaves(std::function<void()> leave);
  void note_running();
  bool goes_on_for_others();
  bool is_read_by_others() const;
  void begin_recording(const answer_identity& answer, const target_name& winner, std::string_view media_type);
  boost::asio::awaitable<void> read_on_for_others(recording_source& from);
  void keep_answer(const recording_source& from, const relayed& result);
  void tell_others(const api_error& error);
  // Guardrails: no byte is written before their verdicts.
  void find_guardrails();
  boost::asio::awaitable<void> do_with_body(std::function<void()> work);
  boost::asio::awaitable<std::optional<api_error>> judge();
  boost::asio::awaitable<std::optional<api_error>> mask();
  boost::asio::awaitable<std::optional<api_error>> send_instead(std::string body);
  boost::asio::awaitable<std::optional<api_error>> await_verdicts();
  boost::asio::awaitable<std::optional<after_response>> end_unless_passed(racing::race_run& run, client_answer& to);
  boost::asio::awaitable<std::optional<after_response>> refuse_unless_passed();
  void note_verdict(std::chrono::nanoseconds held_before);
  void note_departure();
  // Race.
  void limit_writes();
  boost::asio::awaitable<after_response> race();
  boost::asio::awaitable<after_response> decide(racing::race_run& run, client_answer& answer);
  void let_client_leave(racing::race_run& run);
  void watch(racing::race_run& run);
  void see_losers_off(racing::race_run& run, after_response then);
  // Relay.
  boost::asio::awaitable<after_response> answer(racing::race_run& run, client_answer& answer);
  void follow_winner(racing::race_run& run);
  bool may_keep(const racing::race_run& run, const racing::ask_to_keep& asked);
  bool may_be_replaced(const racing::race_run& run, const client_answer& answer, const relayed& result) const;
  void watch_crawl(crawl_watch& watch, winner_reader& winner, racing::race_run& run, client_answer& answer);
  metrics::crawl_end end_of_crawl(const racing::race_run& run, const client_answer& answer) const;
  std::unique_ptr<answer_writer> writer_for(racing::race_run& run);
  std::string cost_text(const racing::race_run& run) const;
  void show_costs(const racing::race_run& run, client_answer& to);
  void make_known(answer_identity& answer, const target_name& winner);
  boost::asio::awaitable<relayed> pass_on(racing::race_run& run, client_answer& answer);
  boost::asio::awaitable<relayed> relay_recorded(answer_source& winner, client_answer& answer);
  boost::asio::awaitable<relayed> relay_winner(answer_source& winner, client_answer& answer);
  boost::asio::awaitable<after_response> end(racing::race_run& run, client_answer& answer, relayed result);
  void begin(racing::race_run& run, client_answer& answer) const;
  boost::asio::awaitable<after_response> end_broken(racing::race_run& run, client_answer& answer);
  boost::asio::awaitable<after_response> end_drained(client_answer& answer, const racing::race_report& report);
  boost::asio::awaitable<after_response> end_departed();
  metrics::request_outcome departure() const;  // of a request whose client left, or that was interrupted
  boost::asio::awaitable<after_response> answer_defeat(racing::race_run& run, client_answer& answer);
  boost::asio::awaitable<after_response> fail(const api_error& error, client_answer& answer, const race_facts& facts);
  boost::asio::awaitable<after_response> refuse(const api_error& error);
  boost::asio::awaitable<after_response> send(std::string response);
  boost::asio::awaitable<after_response> answer_bug(std::exception_ptr bug);
  // Continue: where the answer broke off, another target may go on with it.
  void keep_for_continuation(racing::race_run& run);
  bool may_continue(const relayed& result) const;
  boost::asio::awaitable<void> continue_answer(racing::race_run& broken, client_answer& answer, relayed& result);
  std::shared_ptr<request_plan> attempts_of_continuation(const racing::race_run& broken, std::size_t started,
                                                          continued_text& before);
  std::vector<target_name> targets_that_spoke(const racing::race_run& broken) const;
  std::unique_ptr<race_account> record_of_continuation(const request_plan& attempts) const;
  boost::asio::awaitable<void> run_continuation(request_plan& attempts, race_account& record,
                                                continued_text& before, client_answer& answer, relayed& result);
  boost::asio::awaitable<void> pass_continuation_on(racing::race_run& run, race_account& record,
                                                    continued_text& before, client_answer& answer, relayed& result);
  race_account& last_speaker();
  // Record.
  void record();
  void note_error(const api_error& error);
  void note_end(const relayed& result, const client_answer& answer);
  race_facts facts_of(const racing::race_report& report) const;
  void note_left_out(race_facts& facts) const;
  header_fields early_fields() const;
  api_error explain(const racing::race_report& report) const;
  header_fields fields_with(const race_facts& facts) const;
  static metrics::request_outcome outcome_of(const api_error& error);

  services& worker_;
  client_connection& client_;
  const api& api_;
  std::shared_ptr<const config> settings_;  // kept: a reload does not touch a request that runs
  std::shared_ptr<const limit_table> own_limits_;  // until the race begins
  std::unique_ptr<awaited_limits> awaited_;        // while it waits for the store
  caller who_;
  header_fields fields_;
  response_style style_;
  proxy::memory_share memory_;
  load_place place_;  // among all requests that race; its race takes it over

  std::shared_ptr<request_plan> attempts_;  // until no other target may answer: an answer may take minutes
  std::unique_ptr<answer_writer> writer_;    // from the plan on
  std::unique_ptr<text_so_far> said_;        // null: the answer is not one that another target could go on with
  std::shared_ptr<request_plan> rest_;      // with it, once the race is decided: what it was made of
  racing::race_settings limits_;
  request_marks marks_;  // until the plan
  proxy::usage_chunk usage_ = proxy::usage_chunk::unwanted;  // that the client asks for, on routes with a cache
  std::unique_ptr<cache_part> shared_;  // null: the route has no cache, or the request is not known yet
  std::unique_ptr<judging> guard_;  // until its verdicts; null: no guardrail judges it
  bool wants_cost_ = false;           // in its answer's usage
  bool is_lowered_by_store_ = false;  // the race, to one attempt at a time
  std::vector<std::pair<std::string, std::string>> skipped_;  // target, reason
  std::vector<std::pair<std::string, std::string>> dropped_;  // target, parameter
  race_observers observers_;
  std::unique_ptr<open_account> account_;  // until the end of serve()
  answer_tokens& tokens_;
  request_record& record_;
};

}  // namespace photofinish::gateway
