// Replays the recorded answer of another race, which may still be running, as the source of this answer. Only a limited
// number of bytes is read in each turn of the event loop, so that other requests are not delayed.
#pragma once

#include "gateway/cache/recorded_answer.hpp"
#include "gateway/relay/answer_source.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>

namespace photofinish::gateway {

// States whether the stream to the client contains the usage.
enum class usage_shown : bool { no, yes };

class recorded_source final : public answer_source {
 public:
  // `from` must outlive this object.
  recorded_source(answer_reader& from, boost::asio::any_io_executor loop, usage_shown usage)
      : from_(from), loop_(std::move(loop)), usage_(usage) {}

  // Stops reading, because the client has left. A pending wait ends with `cancelled`.
  void client_left();

  std::optional<proxy::result<proxy::stream_event>> poll() override;
  bool may_have_event() const override { return from_.has_next() && taken_ < most_a_turn; }
  boost::asio::awaitable<void> readable() override;
  std::optional<proxy::result<proxy::stream_event>> read() override;

 private:
  // The maximum number of bytes that are read in one turn of the event loop. It is about as large as one read from a
  // provider.
  static constexpr std::size_t most_a_turn = 64u << 10;

  answer_reader& from_;
  boost::asio::any_io_executor loop_;
  usage_shown usage_;
  std::size_t taken_ = 0;  // the number of bytes that were read in this turn of the event loop
  bool has_left_ = false;
};

// Wraps a source and records its events while they pass through.
class recording_source final : public answer_source {
 public:
  // `from` must outlive this object, and so must all objects to which `seen` refers. The source calls `seen` with each
  // event before it returns the event.
  recording_source(answer_source& from, usage_shown usage, std::function<void(const proxy::stream_event&)> seen)
      : from_(from), usage_(usage), seen_(std::move(seen)) {}

  bool is_over() const { return is_over_; }  // true if the source has no more events or has failed
  const proxy::maybe_failure& failed() const { return failed_; }

  std::optional<proxy::result<proxy::stream_event>> poll() override { return noted(from_.poll()); }
  bool may_have_event() const override { return from_.may_have_event(); }
  boost::asio::awaitable<void> readable() override { return from_.readable(); }
  std::optional<proxy::result<proxy::stream_event>> read() override { return noted(from_.read()); }

 private:
  std::optional<proxy::result<proxy::stream_event>> noted(std::optional<proxy::result<proxy::stream_event>> event);

  answer_source& from_;
  usage_shown usage_;
  std::function<void(const proxy::stream_event&)> seen_;
  bool is_over_ = false;
  proxy::maybe_failure failed_;
};

}  // namespace photofinish::gateway
