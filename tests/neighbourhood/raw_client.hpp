// A raw connection to the gateway: it sends any bytes, and reads the answer or leaves it unread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::neighbourhood {

class raw_client {
 public:
  // A small receive buffer (bytes) makes a client that accepts little while it does not read; 0: the system's default. Throws if
  // it cannot connect.
  explicit raw_client(std::uint16_t port, int receive_buffer = 0);
  raw_client(const raw_client&) = delete;
  ~raw_client();

  // Returns false if the gateway has closed the connection, or has accepted no byte for `patience`.
  bool send(std::string_view bytes);
  // Returns the bytes that arrived within `time`, at most 64 KiB. Empty: none, or the connection has ended.
  std::string receive(std::chrono::milliseconds time);
  bool has_ended() const { return has_ended_; }
  // Reads and returns the head of the answer. Empty: none arrived within `time`.
  std::string head(std::chrono::milliseconds time);
  // Reads and drops bytes until the connection ends or `time` is over.
  void drain(std::chrono::milliseconds time);
  void half_close();

 private:
  static constexpr std::chrono::seconds patience{5};
  int fd_;
  bool has_ended_ = false;
};

// The head of a POST to the chat endpoint. `length` is the announced length of the body.
std::string chat_head(std::string_view key, std::size_t length, std::string_view path = "/v1/chat/completions");
// A whole chat request.
std::string chat(std::string_view key, std::string_view model, bool streamed = true);

}  // namespace photofinish::neighbourhood
