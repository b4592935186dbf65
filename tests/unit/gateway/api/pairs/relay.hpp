// Reads a provider's bytes in the provider's dialect, and writes them for a client of any API.
#pragma once

#include "gateway/api/api.hpp"
#include "proxy/find_dialect.hpp"
#include "proxy/json/tolerant_json.hpp"
#include "tests/support/streams/stream_player.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway::pairs {

using nlohmann::json;

enum class sent_as : std::uint8_t { events, frames, whole };

struct sent_answer {
  const char* dialect;
  proxy::wire_format format;
  sent_as form;
  std::string bytes;
};

// Passes the provider's events to the client's writer. If the stream fails, stores the failure.
class relay_of_bytes {
 public:
  relay_of_bytes(proxy::dialect_stream& from, answer_writer& to) : stream_(from), client_(to) {}

  void feed(const sent_answer& sent) {
    if (sent.form == sent_as::whole) return feed_whole(sent.bytes);
    if (sent.form == sent_as::frames) feed_frames(sent.bytes);
    else feed_events(sent.bytes);
  }

  const testing::answer_driver& client() const { return client_; }
  const std::optional<proxy::failure>& failure() const { return failure_; }
  bool has_token() const { return has_token_; }

 private:
  void feed_events(const std::string& bytes) {
    const test::padded_bytes fed(bytes);
    proxy::sse_parser parser;
    parser.feed(fed.view());
    while (const auto event = parser.next()) take(stream_.on_event(*event, {}));
    take(stream_.on_body_end(parser.unfinished_data(), {}));
  }
  void feed_frames(const std::string& bytes) {
    const test::padded_bytes fed(bytes);
    proxy::frame_reader parser(1u << 24);
    parser.feed(fed.view());
    while (const auto frame = parser.next()) take(stream_.on_frame(*frame, {}));
    take(stream_.on_body_end(parser.unfinished(), {}));
  }
  void feed_whole(const std::string& bytes) {
    if (auto read = stream_.on_whole(bytes); !read) failure_ = std::move(read).error();
    while (!failure_ && !has_ended_) take(stream_.next_of_whole({}));
  }

  void take(const proxy::result<std::span<const proxy::stream_event>>& given) {
    if (failure_) return;
    if (!given) return void(failure_ = given.error());
    for (const proxy::stream_event& event : *given) {
      client_.add(event);
      has_token_ |= event.kind == proxy::event_kind::token;
      if (event.kind == proxy::event_kind::end) client_.end(), has_ended_ = true;
    }
  }

  proxy::dialect_stream& stream_;
  testing::answer_driver client_;
  std::optional<proxy::failure> failure_;
  bool has_ended_ = false;
  bool has_token_ = false;
};

struct relayed_answer {
  std::string bytes;                     // the bytes that the client gets
  std::optional<proxy::failure> failed;  // the failure of the attempt; empty if there is an answer
  bool has_token = false;                // true if the answer has a token; it can then win a race before it ends
};

// Relays an answer to a client of the API `by`. `request` is in the format of this API.
inline relayed_answer relay(const api& by, json request, const sent_answer& sent, bool is_stream) {
  request["model"] = "m";
  request["stream"] = is_stream;
  if (!is_stream) request.erase("stream_options");
  proxy::tolerant_parser parser;
  const auto asked = by.read(request.dump(), parser);
  if (!std::holds_alternative<parsed_request>(asked)) throw std::invalid_argument(std::get<api_error>(asked).message);
  const std::unique_ptr<answer_writer> writer =
      by.writer(std::get<parsed_request>(asked), {.id = "req_1", .created = 1, .model = "m", .spoken = sent.format});
  proxy::stream_settings settings;
  settings.format = sent.format;
  settings.client = std::get<parsed_request>(asked).format;
  settings.id = "req_1";
  settings.model = "m";
  settings.usage = proxy::usage_chunk::wanted;
  const auto stream = proxy::find_dialect(sent.dialect)->open_stream(settings);
  proxy::response_head head;
  head.status = 200;
  head.fields.emplace_back("content-type", sent.form == sent_as::whole    ? "application/json"
                                           : sent.form == sent_as::frames ? "application/vnd.amazon.eventstream"
                                                                          : "text/event-stream");
  EXPECT_EQ(stream->on_head(head), sent.form == sent_as::whole    ? proxy::answer_kind::whole
                                   : sent.form == sent_as::frames ? proxy::answer_kind::frames
                                                                  : proxy::answer_kind::events);
  relay_of_bytes relayed(*stream, *writer);
  relayed.feed(sent);
  EXPECT_TRUE(relayed.client().is_good());
  return {relayed.client().bytes(), relayed.failure(), relayed.has_token()};
}

}  // namespace photofinish::gateway::pairs
