// A raw connection to the gateway. A test can send any bytes, and need not read the answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::neighbourhood {

class raw_client {
 public:
  // Connects to a port, and throws an exception on failure. A small `receive_buffer` (in bytes) limits how much data the kernel accepts
  // while the client does not read. 0 selects the system's default size.
  explicit raw_client(std::uint16_t port, int receive_buffer = 0);
  raw_client(const raw_client&) = delete;
  ~raw_client();

  // Sends bytes. Returns false if the gateway has closed the connection, or has accepted no byte during `patience`.
  bool send(std::string_view bytes);
  // Returns the bytes that arrive within `time`, at most 64 KiB. Returns an empty text if no bytes arrive, or if the
  // connection has ended.
  std::string receive(std::chrono::milliseconds time);
  bool has_ended() const { return has_ended_; }
  // Reads and returns the head of the answer, or an empty text if no head arrives within `time`.
  std::string head(std::chrono::milliseconds time);
  // Reads and drops bytes, until the connection ends or `time` has passed.
  void drain(std::chrono::milliseconds time);
  void half_close();

 private:
  static constexpr std::chrono::seconds patience{5};
  int fd_;
  bool has_ended_ = false;
};

// Returns the head of a POST request to the chat endpoint. `length` is the announced length of the body.
std::string chat_head(std::string_view key, std::size_t length, std::string_view path = "/v1/chat/completions");
// Returns a whole chat request as bytes.
std::string chat(std::string_view key, std::string_view model, bool streamed = true);

}  // namespace photofinish::neighbourhood
