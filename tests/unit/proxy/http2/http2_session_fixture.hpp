// A fixture with an HTTP/2 session but without a connection. The test reads the session's output as frames, and supplies the session's
// input.
#pragma once

#include "proxy/http2/http2_session.hpp"
#include "tests/support/network/http2_frames.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

struct sent_frame {
  std::uint8_t type;
  std::uint8_t flags;
  std::uint32_t stream;
  std::string payload;
};

inline std::uint32_t read_number(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char each : bytes) value = value << 8 | static_cast<unsigned char>(each);
  return value;
}

class Http2SessionTest : public ::testing::Test {
 protected:
  Http2SessionTest() { sent(); }  // discards the first output of the connection: the preface, SETTINGS and WINDOW_UPDATE

  std::vector<sent_frame> sent() {
    std::string out;
    for (std::string more; session.collect(more), !more.empty(); more.clear()) out += more;
    constexpr std::string_view preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    if (out.starts_with(preface)) out.erase(0, preface.size());
    std::vector<sent_frame> frames;
    for (std::string_view rest = out; !rest.empty();) {
      const std::size_t size = read_number(rest.substr(0, 3));
      frames.push_back({static_cast<std::uint8_t>(rest[3]), static_cast<std::uint8_t>(rest[4]),
                        read_number(rest.substr(5, 4)), std::string(rest.substr(9, size))});
      rest.remove_prefix(9 + size);
      const sent_frame& last = frames.back();
      if (last.type == testing::h2::window_update && last.stream == 0) credited += read_number(last.payload);
    }
    return frames;
  }
  std::vector<sent_frame> sent(std::uint8_t type) {
    auto frames = sent();
    std::erase_if(frames, [type](const sent_frame& each) { return each.type != type; });
    return frames;
  }

  stream_id ask(std::span<const std::string_view> body = {}) {
    request_head head;
    head.path = "/v1/chat/completions";
    head.host = "llm.example.com";
    return session.submit(head, "https", body);
  }
  stream_id asked() {
    const stream_id which = ask();
    sent();
    return which;
  }

  // Feeds these bytes in a single call, and returns the events.
  std::vector<http2_event> hear(std::string_view bytes) {
    EXPECT_TRUE(session.receive(bytes));
    return session.take_events();
  }
  std::vector<http2_event_kind> kinds(const std::vector<http2_event>& events) {
    std::vector<http2_event_kind> out;
    for (const auto& each : events) out.push_back(each.kind);
    return out;
  }
  using list = std::vector<http2_event_kind>;

  http2_session session;
  std::size_t credited = 0;  // number of bytes by which the session has enlarged the connection's flow-control window
};

}  // namespace photofinish::proxy
