// One answer as its source gave it, event by event, for several readers: those who asked the same while it came, and
// later ones, from the cache. One race writes it; each reader is of one thread, whichever.
// A lock guards it: it is held for the copying of a few pointers, once for each event written and for some sixty read.
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/config/config.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/http/trace_context.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/memory/memory_share.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

// What its first client was shown of it: others get the same bytes.
struct answer_origin {
  std::string id;
  std::int64_t created = 0;  // Unix time in seconds
  target_name winner;
  proxy::wire_format spoken = proxy::wire_format::none;
  std::string media_type = {};  // empty: JSON, or a stream of events
  std::optional<proxy::trace_parent> trace = {};  // the span of the request that raced; none without tracing
};

class answer_reader;

class recorded_answer {
 public:
  enum class stage : std::uint8_t {
    waiting,    // no attempt has won
    begun,
    complete,
    failed,     // error() says why; what came before stays
    abandoned,  // none was there to read it, or it could not be kept: it has no further reader
  };

  // `memory` is for what it holds; with more than `longest` bytes it is not kept.
  recorded_answer(proxy::memory_share memory, std::size_t longest) : memory_(std::move(memory)), longest_(longest) {}

  // Of the race that writes it.
  void begin(answer_origin origin);
  void add(const proxy::stream_event& event);
  // Another answer comes in the place of what was added. False: a reader has it already.
  bool restart();
  void complete();
  void fail(api_error error);  // nothing where it is over
  // Shared, so that neither a client nor a reader needs memory to leave.
  using callback = std::shared_ptr<const std::function<void()>>;
  // The race's own client has left. True: others read on, and once the last of them has left too, `when_unread` is
  // called on that executor. False: it has no reader, and will have none.
  bool outlive_client(const boost::asio::any_io_executor& of_race, callback when_unread);
  // Whether it has no reader; it will have none, then.
  bool abandon_unless_read();

  // Any thread. None: it can have no further reader.
  static std::unique_ptr<answer_reader> read(const std::shared_ptr<recorded_answer>& answer,
                                             const boost::asio::any_io_executor& of_reader);
  bool is_complete() const;
  std::size_t bytes() const;
  void charge(proxy::memory_budget::account who);  // it is the cache's from now on

 private:
  friend class answer_reader;
  struct reader_place {
    explicit reader_place(boost::asio::any_io_executor of_reader) : executor(std::move(of_reader)) {}
    boost::asio::any_io_executor executor;
    proxy::signal changed;      // of the reader's thread
    bool has_changed = false;   // likewise
    bool is_told = false;       // under the lock
  };

  bool is_over() const { return stage_ >= stage::complete; }
  void tell_readers();
  void leave(const std::shared_ptr<reader_place>& place);
  bool has_room_for(std::size_t more);

  mutable std::mutex guard_;
  std::deque<proxy::kept_event> events_;  // what is there stays where it is, unchanged
  stage stage_ = stage::waiting;
  bool was_read_ = false;
  std::size_t bytes_ = 0;
  proxy::memory_share memory_;
  const std::size_t longest_;
  answer_origin origin_;
  std::optional<api_error> error_;
  std::vector<std::shared_ptr<reader_place>> readers_;
  boost::asio::any_io_executor of_race_;
  callback when_unread_;
};

// One reader's place in it.
class answer_reader {
 public:
  answer_reader(std::shared_ptr<recorded_answer> answer, std::shared_ptr<recorded_answer::reader_place> place)
      : answer_(std::move(answer)), place_(std::move(place)) {}
  ~answer_reader() { answer_->leave(place_); }
  answer_reader(const answer_reader&) = delete;
  answer_reader& operator=(const answer_reader&) = delete;

  // What there is now. Events that it brings live as long as the reader.
  recorded_answer::stage look();
  bool has_next() const { return next_ < here_.size(); }
  std::optional<proxy::stream_event> next();  // of those that look() brought
  bool is_at_end() const { return !has_next() && !has_more_; }  // of what look() saw

  // Until look() may bring more, or wake() was called.
  boost::asio::awaitable<void> changed();
  void wake();

  const answer_origin& origin() const { return answer_->origin_; }  // once it has begun
  const api_error& error() const { return *answer_->error_; }       // once it has failed

 private:
  static constexpr std::size_t at_once = 64;

  std::shared_ptr<recorded_answer> answer_;
  std::shared_ptr<recorded_answer::reader_place> place_;
  std::vector<proxy::kept_event*> here_;
  std::size_t next_ = 0;   // in `here_`
  std::size_t taken_ = 0;  // of all its events
  bool has_more_ = false;
};

}  // namespace photofinish::gateway
