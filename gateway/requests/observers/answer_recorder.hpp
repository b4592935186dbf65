// Records the answer of a race for equal requests, which either share the running race or arrive later. If the client
// that started the race leaves, the race continues as long as another request reads the answer.
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/attempts/race_observer.hpp"
#include "gateway/cache/answer_cache.hpp"
#include "gateway/cache/cache_rules.hpp"
#include "gateway/http/client_connection.hpp"
#include "gateway/relay/recorded_source.hpp"
#include "gateway/relay/relay.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace photofinish::gateway {

class answer_recorder final : public race_observer {
 public:
  // Describes the answer that is recorded. The referenced objects must outlive the recorder.
  struct place {
    answer_cache& cache;
    const boost::asio::any_io_executor& executor;  // the executor on which the race runs
    metrics::endpoint called;
    digest question;
    std::string_view route;          // the route's name in the settings
    const cache_settings& limits;    // the route's cache settings
    digest owner;
  };

  // `memory` accounts for the memory of the recorded answer. `usage` is `yes` if the client's own stream contains the
  // usage.
  answer_recorder(place to, proxy::memory_share memory, usage_shown usage)
      : place_(to),
        answer_(std::make_shared<recorded_answer>(std::move(memory), answer_cache::longest_answer)),
        usage_(usage) {}
  ~answer_recorder() override { end_race(); }

  // From now on, equal requests share the race of this request. Returns false if another equal request has already
  // started a shared race.
  bool lead(const digest& race);
  // Allows the recorder to store the answer, provided that it is complete and contains no error.
  void keep_if_sound() { may_be_kept_ = true; }
  // Prevents the recorder from storing an answer whose text comes from two targets. The requests that share the race
  // still get this answer.
  void keep_nothing() { may_be_kept_ = false; }
  usage_shown usage_for_client() const { return usage_; }

  // Call begin_race() before the race runs, and end_race() after it. begin_race() reserves the memory that is needed if
  // the client leaves.
  void begin_race();
  void end_race();
  // Sets the function that ends the race. It is called when the client leaves. If other requests read the answer, it is
  // called when the last of them leaves.
  void on_leave(client_connection& client, std::function<void()> leave);

  // Call begin() when the race has a winner. After this call, the recorder gets the winner's answer.
  void begin(const answer_identity& answer, const target_name& winner, std::string_view media_type,
             const request_trace* trace);
  // Returns true if another answer may replace the recorded answer. This is possible as long as no other request has
  // read the recorded answer.
  bool may_restart() { return answer_->restart(); }
  // Reads the rest of the answer for the other requests that share it. Call this after the client that started the race
  // has left.
  boost::asio::awaitable<void> read_rest(recording_source& from, answer_tokens& tokens);
  // Stores the answer if it is complete and contains no error. Call this function after the whole answer was read, or
  // after the client has left.
  void keep(const recording_source& from, const relayed& result, proxy::instant now);

  bool reads_answer() const override { return true; }
  void event(const proxy::stream_event& event) override;
  void restart() override { seen_ = {}; }
  void failed(const api_error& error) override;

 private:
  // Holds a function that ends the race of a client that has left. The function is called when no other request reads
  // the answer. This object outlives the recorder.
  struct unread_call {
    answer_recorder* recorder;  // the answer recorder; null after the end of the race
    std::function<void()> call;
  };

  place place_;
  std::shared_ptr<recorded_answer> answer_;
  std::optional<led_answer> led_;
  const usage_shown usage_;
  bool may_be_kept_ = false;
  sound_answer seen_;
  std::function<void()> leave_;
  std::shared_ptr<unread_call> when_unread_;
};

}  // namespace photofinish::gateway
