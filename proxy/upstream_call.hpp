// The upstream that is used in production. It combines one exchange, one dialect and one stream of events.
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/dialect.hpp"
#include "proxy/dialects/own_words.hpp"
#include "proxy/dialects/sse_parser.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/http/exchange.hpp"
#include "proxy/http/finisher.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/upstream.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace photofinish::proxy {

class upstream_call final : public upstream {
 public:
  // `stream` belongs to the dialect that prepared `request`. The provider, the clock and the finisher must outlive the
  // call. `key` and `secrets` are removed from the provider's error texts. All attempts with the same configuration
  // share `secrets`. `memory` counts three things: a body that was written for this attempt, events that arrive in
  // parts, and an answer that is not a stream.
  upstream_call(const provider& target, secret key, prepared_request request, std::unique_ptr<dialect_stream> stream,
                std::unique_ptr<exchange> over, alarms& clock, finisher& finish,
                std::shared_ptr<const redactor> secrets = {}, memory_share memory = {});

  boost::asio::awaitable<result<void>> open() override;
  boost::asio::awaitable<void> readable() override;
  std::optional<result<stream_event>> read() override;
  std::optional<result<stream_event>> poll() override;
  bool keep_unread() override;
  bool may_have_event() const override;
  void close() noexcept override;
  const stream_summary& summary() const override;

 private:
  boost::asio::awaitable<void> sign();
  void expect(answer_kind kind);
  boost::asio::awaitable<failure> read_refusal(const response_head& head);
  result<void> take(std::string_view bytes);
  result<bool> take_frame();
  result<std::span<const stream_event>> end_body();
  std::optional<result<stream_event>> take_whole(std::string_view bytes);
  std::optional<result<stream_event>> end_whole();
  result<void> take_next_of_whole();
  // Removes secrets from texts. Created when the provider sends the first text of its own.
  struct word_cleaning {
    std::optional<redactor> without_key;
    own_words words;
  };

  failure cleaned(failure why) const;
  stream_event cleaned(const stream_event& event);
  std::optional<result<stream_event>> await_more();
  void note_connection() noexcept;
  stream_event give(const stream_event& ready);

  // These members are first in the object because each event needs them. They then share as few cache lines as
  // possible.
  std::unique_ptr<exchange> exchange_;
  alarms& clock_;
  std::span<const stream_event> ready_;  // events of the last read that have not been returned yet
  instant read_at_;
  bool is_closed_ = false;
  bool has_spoken_ = false;         // true if an event other than `progress` was returned since the last read
  bool has_bytes_ = false;          // true if the answer consists of frames or is forwarded unchanged
  bool has_whole_ = false;          // true if `stream_` has received a whole answer but not yet returned all of its
                                    // events
  mutable stream_summary summary_;  // this member is mutable, because summary() stores the connection in it
  std::unique_ptr<dialect_stream> stream_;
  sse_parser parser_;
  memory_share memory_;
  finisher& finisher_;
  const provider& target_;
  secret key_;
  std::shared_ptr<const redactor> secrets_;
  // The request. It is freed after it was sent, because the answer may take minutes.
  std::unique_ptr<prepared_request> request_;
  std::unique_ptr<std::string> whole_;    // the bytes received so far of an answer that is not a stream
  std::unique_ptr<frame_reader> frames_;  // the reader of frames, if the answer consists of frames
  std::unique_ptr<word_cleaning> own_;
};

}  // namespace photofinish::proxy
