// A connection to the gateway with no manners: it sends what it is given, and reads what comes or does not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::neighbourhood {

class raw_client {
 public:
  // A small receive buffer (bytes) makes a client that takes little while it does not read; 0: the system's. Throws when
  // it cannot connect.
  explicit raw_client(std::uint16_t port, int receive_buffer = 0);
  raw_client(const raw_client&) = delete;
  ~raw_client();

  // False when the gateway has closed, or has taken no byte for `patience`.
  bool send(std::string_view bytes);
  // What has come within `time`, at most 64 KiB; empty: nothing, or the end.
  std::string receive(std::chrono::milliseconds time);
  bool has_ended() const { return has_ended_; }
  // Reads until the answer's head is here, and returns it; empty when none comes within `time`.
  std::string head(std::chrono::milliseconds time);
  // Reads and drops until the end, or `time` is over.
  void drain(std::chrono::milliseconds time);
  void half_close();

 private:
  static constexpr std::chrono::seconds patience{5};
  int fd_;
  bool has_ended_ = false;
};

// A POST to the chat endpoint, complete but for its body. `length` is what it announces.
std::string chat_head(std::string_view key, std::size_t length, std::string_view path = "/v1/chat/completions");
// The whole request.
std::string chat(std::string_view key, std::string_view model, bool streamed = true);

}  // namespace photofinish::neighbourhood
