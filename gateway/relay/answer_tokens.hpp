// The o200k_base tokens of one winner's answer, counted while it streams: the one count that makes providers
// comparable, whatever their tokenizer. Text comes here when its event has been written, never before; of a burst,
// whose events must not be waited for, it is copied aside together with their JSON.
// What is much to count at once is counted on another thread.
#pragma once

#include "gateway/records/counted_tokens.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/tokens/token_counter.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {

class answer_tokens {
 public:
  // Counts a text's tokens on another thread, then calls back on this one. False: too much is waiting there.
  using counts_elsewhere = std::function<bool(std::string text, std::function<void(std::uint64_t)> counted)>;

  explicit answer_tokens(counts_elsewhere elsewhere) : elsewhere_(std::move(elsewhere)) {}

  // Text of one event that was read at `read_at`; events come in the order of the stream.
  void add(std::span<const proxy::delta> deltas, proxy::instant read_at);

  // The same for the events that were held until the race was decided.
  void add(std::vector<proxy::kept_event>& events);

  // Keeps a copy of an event's text until add_held().
  void hold(std::span<const proxy::delta> deltas, proxy::instant read_at);
  void add_held();

  // What is counted until now, but for the last piece of each text. None while some of it is counted elsewhere, or
  // could not be counted.
  std::optional<std::uint64_t> so_far() const;

  // What is added from now on is not counted: it was, where it came from.
  void count_nothing() { is_counting_ = false; }

  // Another answer comes in the place of what was added.
  void restart();

  // Nothing more comes.
  void finish();
  // What is counted elsewhere must be awaited before this goes.
  bool is_waiting() const { return waiting_ > 0; }
  boost::asio::awaitable<void> all_counted();
  // The same without a coroutine: while it is waiting, sets what is called once all is counted. It may destroy this.
  void when_counted(std::function<void()> call) { when_counted_ = std::move(call); }

  // Once all is counted; none when something could not be counted.
  std::optional<counted_tokens> result() const;

 private:
  // One text among those that make up the answer.
  struct channel {
    proxy::delta_kind kind;
    std::int64_t choice;
    std::int64_t part;
    proxy::token_counter counter;
  };
  enum class tally { all, first, both };  // of counted_tokens
  struct held_delta {
    proxy::delta its;  // its text is in held_text_, in this order
    std::size_t bytes;
    proxy::instant read_at;
  };

  void add(const proxy::delta& each);
  channel& channel_of(const proxy::delta& its);
  void end_call(const proxy::delta& name);
  void close_first_part();
  void count_elsewhere(std::string much, tally into);
  tally current() const { return is_first_over_ ? tally::all : tally::both; }

  counts_elsewhere elsewhere_;
  std::vector<channel> channels_;
  std::optional<proxy::instant> first_read_at_;
  counted_tokens counted_;  // but for what the channels hold
  bool is_first_over_ = false;
  bool is_complete_ = true;
  bool is_counting_ = true;
  std::uint32_t waiting_ = 0;  // counts that are made elsewhere
  std::uint32_t round_ = 0;    // of restart(): what was counted before it is not of this answer
  proxy::signal settled_;
  std::function<void()> when_counted_;

  std::string held_text_;
  std::vector<held_delta> held_;
};

}  // namespace photofinish::gateway
