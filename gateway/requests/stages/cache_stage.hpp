// Answers a request from the cache of its route, or from the running race of an equal request. If the request starts a
// race itself, shares its answer with other requests.
#pragma once

#include "gateway/requests/stages/client_reply.hpp"
#include "gateway/requests/stages/guardrail_stage.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

class cache_stage {
 public:
  // `context` must outlive the stage.
  explicit cache_stage(request_context& context) : context_(context) {}

  // Searches the cache for an answer. Call this only if the plan of the request has no error. The answer is not used
  // before join() is called.
  void look(const request_plan& plan);
  // Returns true if the request is answered from the cache or from the race of another request.
  bool has_answer() const { return entry_ && entry_->answer; }
  // Looks for an equal request that another worker has received in the meantime. If the race of that request is
  // running, this request also gets the answer of that race. Call join() after the request has passed its limits and
  // guardrails.
  void join(request_plan& plan);

  // Sends a stored answer, or the answer of the race that this request shares. Call replay() after the guardrails have
  // passed the request.
  boost::asio::awaitable<after_response> replay(load_place place, request_plan& plan, guardrail_stage& guardrails,
                                                client_reply& reply);

  // Returns the recorder for the answer of the race that this request has started; null if no other request gets the
  // answer.
  answer_recorder* recorder() const { return recorder_; }
  // Sets the function that ends the request's running race if the client leaves.
  void on_leave(std::function<void()> leave) {
    if (recorder_ == nullptr) context_.client.on_leave(std::move(leave));
    else recorder_->on_leave(context_.client, std::move(leave));
  }

 private:
  struct entry {
    std::string_view route;
    const cache_settings& limits;
    cache_directives directives;
    metrics::cache_result result = metrics::cache_result::bypass;
    digest question{}, race{}, owner{};
    bool may_be_kept = false;  // true if the answer of the race that this request starts may be stored
    bool may_be_shared = false;
    // The reader of the answer that was found in the cache; null if the request needs its own race.
    std::unique_ptr<answer_reader> answer = {};
    std::chrono::seconds age{0};
  };

  void follow_race();
  void record_race(request_plan& plan);
  void forget_race();
  usage_shown usage_for_client(const parsed_request& asked) const;
  boost::asio::awaitable<std::optional<after_response>> end_unless_passed(guardrail_stage& guardrails,
                                                                          client_reply& reply);
  boost::asio::awaitable<void> wait_for_winner(client_answer& to, client_reply& reply);
  boost::asio::awaitable<after_response> relay(request_plan& plan, client_reply& reply, client_answer& to);
  boost::asio::awaitable<after_response> fail_as_race(client_reply& reply, client_answer& to);

  request_context& context_;
  // The request's cache entry, kept until the request starts a race; null if the request's route has no cache.
  std::unique_ptr<entry> entry_;
  answer_recorder* recorder_ = nullptr;  // the recorder of the answer, owned by the list of observers
};

}  // namespace photofinish::gateway
