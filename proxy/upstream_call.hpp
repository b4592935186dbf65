// The upstream for production. It combines one exchange, one dialect and one stream of events.
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
  // call. Error texts of the provider are shown without `key` and without the secrets in `secrets`, which all attempts
  // under one configuration share. `memory` accounts for a body that was written for this attempt, for events that
  // arrive in pieces, and for a whole answer.
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
  // The objects that clean texts. They are created when the provider sends the first text of its own.
  struct word_cleaning {
    std::optional<redactor> without_key;
    own_words words;
  };

  failure cleaned(failure why) const;
  stream_event cleaned(const stream_event& event);
  std::optional<result<stream_event>> await_more();
  void note_connection() noexcept;
  stream_event give(const stream_event& ready);

  // The members that each event needs come first, so that they share as few cache lines as possible.
  std::unique_ptr<exchange> exchange_;
  alarms& clock_;
  std::span<const stream_event> ready_;  // events of the last read that are not yet returned
  instant read_at_;
  bool is_closed_ = false;
  bool has_spoken_ = false;         // an event other than progress was returned since the last read
  bool has_bytes_ = false;          // true if the answer is neither text events nor one whole body
  bool has_whole_ = false;          // the stream received a whole answer and has not yet returned all of its events
  mutable stream_summary summary_;  // this member is mutable, because summary() stores the connection
  std::unique_ptr<dialect_stream> stream_;
  sse_parser parser_;
  memory_share memory_;
  finisher& finisher_;
  const provider& target_;
  secret key_;
  std::shared_ptr<const redactor> secrets_;
  // The request, which is freed once it is sent, because an answer may take minutes.
  std::unique_ptr<prepared_request> request_;
  std::unique_ptr<std::string> whole_;    // the bytes of a whole answer that have arrived
  std::unique_ptr<frame_reader> frames_;  // the reader of frames, if the answer consists of frames
  std::unique_ptr<word_cleaning> own_;
};

}  // namespace photofinish::proxy
