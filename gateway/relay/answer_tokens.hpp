// Counts the o200k_base tokens of one winner's answer while it streams. Providers use different tokenizers, so only
// this count is comparable. Text is added after its event was written to the client. If several events arrive at once,
// they are written without delay, and their text is copied and counted later. Long texts are counted on another thread.
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
  // A function that counts a text's tokens on another thread, and then calls back on the calling thread. It returns
  // false if too many texts already wait for the other thread.
  using counts_elsewhere = std::function<bool(std::string text, std::function<void(std::uint64_t)> counted)>;

  explicit answer_tokens(counts_elsewhere elsewhere) : elsewhere_(std::move(elsewhere)) {}

  // Adds the text of one event that was read at `read_at`. Events must be added in the order of the stream.
  void add(std::span<const proxy::delta> deltas, proxy::instant read_at);

  // Adds the events that the winner sent before the race was decided.
  void add(std::vector<proxy::kept_event>& events);

  // Stores a copy of an event's text until add_held() is called.
  void hold(std::span<const proxy::delta> deltas, proxy::instant read_at);
  void add_held();

  // Returns the number of tokens so far. The last piece of each text is not included, because it may be incomplete.
  // Returns nothing while another thread is still counting, or if a part could not be counted.
  std::optional<std::uint64_t> so_far() const;

  // Stops counting. Further text belongs to another winner, or its tokens were already counted elsewhere.
  void count_nothing() { is_counting_ = false; }

  // Starts to count from zero again, because another answer replaces the text that was counted.
  void restart();

  // Call this after the last text has been added.
  void finish();
  // True while another thread is counting. The object must not be destroyed before that thread has finished.
  bool is_waiting() const { return waiting_ > 0; }
  boost::asio::awaitable<void> all_counted();
  // Sets a function that is called when everything is counted. Call it only while is_waiting() is true. Unlike
  // all_counted(), it needs no coroutine. The function may destroy this object.
  void when_counted(std::function<void()> call) { when_counted_ = std::move(call); }

  // Returns the token counts after all texts were counted. Returns nothing if a part could not be counted.
  std::optional<counted_tokens> result() const;

 private:
  // One text of the answer and its token counter. A text is, for example, a choice or the arguments of a call.
  struct channel {
    proxy::delta_kind kind;
    std::int64_t choice;
    std::int64_t part;
    proxy::token_counter counter;
  };
  enum class tally { all, first, both };  // selects the counts to which tokens are added
  struct held_delta {
    proxy::delta its;  // the delta without its text; held_text_ contains the texts of all deltas in the same order
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
  counted_tokens counted_;  // the counts so far, without the text that is still being counted
  bool is_first_over_ = false;
  bool is_complete_ = true;
  bool is_counting_ = true;
  std::uint32_t waiting_ = 0;  // the number of texts that are being counted on another thread
  std::uint32_t round_ = 0;    // the number of restarts; a count that began before the last restart is ignored
  proxy::signal settled_;
  std::function<void()> when_counted_;

  std::string held_text_;
  std::vector<held_delta> held_;
};

}  // namespace photofinish::gateway
