// One recorded answer, which several readers can read event by event. The readers are requests with the same question
// that arrived during the race, and later requests that are answered from the cache. One race writes the answer, and
// each reader belongs to one thread. A lock guards the answer. It is held while a few pointers are copied: once for
// each written event, and once for about sixty read events.
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

// Describes an answer as the first client has received it. All other clients get the same bytes.
struct answer_origin {
  std::string id;
  std::int64_t created = 0;  // the time when the answer was created, in seconds since 1970
  target_name winner;
  proxy::wire_format spoken = proxy::wire_format::none;
  std::string media_type = {};  // the content type; empty if the answer is JSON or an event stream
  std::optional<proxy::trace_parent> trace = {};  // the trace span of the request that ran the race; empty without
                                                  // tracing
};

class answer_reader;

class recorded_answer {
 public:
  enum class stage : std::uint8_t {
    waiting,    // no attempt of the race has won yet
    begun,
    complete,
    failed,     // the answer has failed, and error() returns the reason; events before the failure can still be read
    abandoned,  // the recording was stopped, because no client was left or the answer could not be stored; no new
                // reader can be added
  };

  // Makes an empty answer. `memory` is a reservation for its contents. An answer of more than `longest` bytes is not
  // stored.
  recorded_answer(proxy::memory_share memory, std::size_t longest) : memory_(std::move(memory)), longest_(longest) {}

  // The race that writes the answer calls the functions below.
  void begin(answer_origin origin);
  void add(const proxy::stream_event& event);
  // Removes all events, because another answer replaces them. Returns false if a reader has already read an event.
  bool restart();
  void complete();
  void fail(api_error error);  // ends the answer with an error, unless it has already ended
  // A callback. It is shared, so that no memory is allocated when a client or reader leaves.
  using callback = std::shared_ptr<const std::function<void()>>;
  // Call this function when the client that started the race has left. Returns true if other clients still read the
  // answer. When the last of these clients has left, `when_unread` is called on the executor `of_race`. Returns false
  // if no other client reads the answer. In that case no new reader can be added.
  bool outlive_client(const boost::asio::any_io_executor& of_race, callback when_unread);
  // Ends the answer and returns true if the answer has no readers. No new reader can be added after that.
  bool abandon_unless_read();

  // Adds a reader. Any thread may call this function. Returns null if no new reader can be added.
  static std::unique_ptr<answer_reader> read(const std::shared_ptr<recorded_answer>& answer,
                                             const boost::asio::any_io_executor& of_reader);
  bool is_complete() const;
  std::size_t bytes() const;
  void charge(proxy::memory_budget::account who);  // from now on, counts the answer's memory as memory of the cache

 private:
  friend class answer_reader;
  struct reader_place {
    explicit reader_place(boost::asio::any_io_executor of_reader) : executor(std::move(of_reader)) {}
    boost::asio::any_io_executor executor;
    proxy::signal changed;      // wakes the reader on the reader's own thread
    bool has_changed = false;   // same
    bool is_told = false;       // true if the reader was notified; guarded by the lock
  };

  bool is_over() const { return stage_ >= stage::complete; }
  void tell_readers();
  void leave(const std::shared_ptr<reader_place>& place);
  bool has_room_for(std::size_t more);

  mutable std::mutex guard_;
  std::deque<proxy::kept_event> events_;  // a deque is used, because its elements never move
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

// Reads an answer from its beginning. Each reader has its own position.
class answer_reader {
 public:
  answer_reader(std::shared_ptr<recorded_answer> answer, std::shared_ptr<recorded_answer::reader_place> place)
      : answer_(std::move(answer)), place_(std::move(place)) {}
  ~answer_reader() { answer_->leave(place_); }
  answer_reader(const answer_reader&) = delete;
  answer_reader& operator=(const answer_reader&) = delete;

  // Reads the available events. The events stay valid as long as the reader exists.
  recorded_answer::stage look();
  bool has_next() const { return next_ < here_.size(); }
  std::optional<proxy::stream_event> next();  // returns the next of the events that look() has read
  bool is_at_end() const { return !has_next() && !has_more_; }  // true if look() found no further event

  // Waits until look() can read more events, or wake() is called.
  boost::asio::awaitable<void> changed();
  void wake();

  const answer_origin& origin() const { return answer_->origin_; }  // may also be called after the answer has failed
  const api_error& error() const { return *answer_->error_; }       // call this only after the answer has failed

 private:
  static constexpr std::size_t at_once = 64;

  std::shared_ptr<recorded_answer> answer_;
  std::shared_ptr<recorded_answer::reader_place> place_;
  std::vector<proxy::kept_event*> here_;
  std::size_t next_ = 0;   // the index in `here_` of the event that is returned next
  std::size_t taken_ = 0;  // the number of events that this reader has copied from the answer
  bool has_more_ = false;
};

}  // namespace photofinish::gateway
