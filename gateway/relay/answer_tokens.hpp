// Counts the o200k_base tokens of one winner's answer while it streams. This count makes providers comparable, whatever
// their tokenizers are. Text is added only after its event was written. The text of a burst, whose events must not
// wait, is copied together with their JSON. Long texts are counted on another thread.
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
  // Counts a text's tokens on another thread, then calls back on this thread. Returns false if too many
  // texts wait for that thread.
  using counts_elsewhere = std::function<bool(std::string text, std::function<void(std::uint64_t)> counted)>;

  explicit answer_tokens(counts_elsewhere elsewhere) : elsewhere_(std::move(elsewhere)) {}

  // Adds the text of one event that was read at `read_at`. Events must be added in the order of the stream.
  void add(std::span<const proxy::delta> deltas, proxy::instant read_at);

  // Adds the events that were held until the race was decided.
  void add(std::vector<proxy::kept_event>& events);

  // Keeps a copy of an event's text until add_held().
  void hold(std::span<const proxy::delta> deltas, proxy::instant read_at);
  void add_held();

  // Returns the count so far, except the last piece of each text. Returns nothing while another thread still counts a
  // part, or if a part could not be counted.
  std::optional<std::uint64_t> so_far() const;

  // Stops the count for the text that is added from now on, because the source has already counted this text.
  void count_nothing() { is_counting_ = false; }

  // Begins a new count, because another answer replaces the added text.
  void restart();

  // Call this when no more text arrives.
  void finish();
  // True while another thread counts. The object must not be destroyed before that count ends.
  bool is_waiting() const { return waiting_ > 0; }
  boost::asio::awaitable<void> all_counted();
  // Waits without a coroutine. While is_waiting(), sets the function that is called when everything is counted. The
  // function may destroy this object.
  void when_counted(std::function<void()> call) { when_counted_ = std::move(call); }

  // Returns the result when everything is counted, or nothing if a part could not be counted.
  std::optional<counted_tokens> result() const;

 private:
  // One of the texts that form the answer, with its counter.
  struct channel {
    proxy::delta_kind kind;
    std::int64_t choice;
    std::int64_t part;
    proxy::token_counter counter;
  };
  enum class tally { all, first, both };  // the members of counted_tokens to which a count is added
  struct held_delta {
    proxy::delta its;  // the text of `its` is in held_text_, in the same order
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
  counted_tokens counted_;  // the counts without the text that the channels hold
  bool is_first_over_ = false;
  bool is_complete_ = true;
  bool is_counting_ = true;
  std::uint32_t waiting_ = 0;  // the number of texts that another thread is counting
  std::uint32_t round_ = 0;    // the number of restarts; counts of earlier rounds are ignored
  proxy::signal settled_;
  std::function<void()> when_counted_;

  std::string held_text_;
  std::vector<held_delta> held_;
};

}  // namespace photofinish::gateway
