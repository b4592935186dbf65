// A blocking HTTP client for tests of one provider. It reads a complete answer, with a time limit.
#pragma once

#include "tests/support/patience.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::tests {

namespace asio = boost::asio;
using nlohmann::json;

using testing::patience;

struct response {
  int status = 0;
  std::string head;  // the status line and the header fields, in lower case as the simulator writes them
  std::string body;  // the body without the sizes of its chunks
  bool is_complete = false;

  std::vector<std::string> events() const {
    std::vector<std::string> all;
    for (std::size_t from = 0, to; (to = body.find("\n\n", from)) != std::string::npos; from = to + 2) {
      EXPECT_EQ(body.substr(from, 6), "data: ");
      all.push_back(body.substr(from + 6, to - from - 6));
    }
    return all;
  }
  // Returns the JSON of each event, without [DONE].
  std::vector<json> chunks() const {
    std::vector<json> all;
    for (const std::string& event : events())
      if (event != "[DONE]") all.push_back(json::parse(event));
    return all;
  }
  // Concatenates the values of this member in all deltas of the answer.
  std::string joined(const char* member) const {
    std::string text;
    for (const json& chunk : chunks())
      if (!chunk.contains("error") && !chunk["choices"].empty())
        text += chunk["choices"][0]["delta"].value(member, "");
    return text;
  }
};

// A blocking client with a time limit for each read.
class sim_client {
 public:
  explicit sim_client(std::uint16_t port) : socket_(io_) {
    socket_.connect(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), port));
  }

  void send(std::string_view bytes) { asio::write(socket_, asio::buffer(bytes)); }

  void post(const std::string& body, const std::string& fields = "") { post_to("/v1/chat/completions", body, fields); }
  void post_to(const std::string& path, const std::string& body, const std::string& fields = "") {
    send("POST " + path + " HTTP/1.1\r\nHost: sim\r\n" + fields + "Content-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body);
  }

  void ask(const std::string& model, bool is_stream = true, json more = json::object()) {
    more["model"] = model;
    more["stream"] = is_stream;
    more["messages"] = json::array({{{"role", "user"}, {"content", "hi"}}});
    post(more.dump());
  }

  // Reads one response until its end or until the connection ends. If the connection ends early, `ended` contains its error.
  response read() {
    response got;
    while (!parse(got) && read_some()) continue;
    return got;
  }

  response read_until(std::string_view text) {
    response got;
    while (parse(got), got.body.find(text) == std::string::npos)
      if (!read_some()) break;
    return got;
  }

  // Returns the number of bytes that arrive within this time.
  std::size_t bytes_within(std::chrono::milliseconds time) { return read_some(time), pending_.size(); }

  void close() { socket_.close(); }

  boost::system::error_code ended;

 private:
  bool read_some(std::chrono::steady_clock::duration limit = patience) {
    std::optional<std::size_t> size;
    char bytes[65536];
    socket_.async_read_some(asio::buffer(bytes), [&](boost::system::error_code ec, std::size_t read) {
      ended = ec;
      size = read;
    });
    io_.restart();
    io_.run_for(limit);
    if (!size) {
      socket_.cancel();
      io_.run();
      ended = asio::error::timed_out;
      return false;
    }
    pending_.append(bytes, *size);
    return !ended;
  }

  bool parse(response& got) {
    const std::size_t head_end = pending_.find("\r\n\r\n");
    if (head_end == std::string::npos) return false;
    got.head = pending_.substr(0, head_end + 2);
    got.status = std::stoi(got.head.substr(9, 3));
    if (const auto at = got.head.find("content-length: "); at != std::string::npos) {
      const std::size_t size = std::stoul(got.head.substr(at + 16));
      got.body = pending_.substr(head_end + 4, size);
      return finish(got, got.body.size() == size, head_end + 4 + size);
    }
    got.body.clear();
    for (std::size_t at = head_end + 4;;) {
      const std::size_t line_end = pending_.find("\r\n", at);
      if (line_end == std::string::npos) return false;
      const std::size_t size = std::stoul(pending_.substr(at, line_end - at), nullptr, 16);
      if (pending_.size() < line_end + 2 + size + 2) return false;
      got.body += pending_.substr(line_end + 2, size);
      at = line_end + 2 + size + 2;
      if (size == 0) return finish(got, true, at);
    }
  }

  bool finish(response& got, bool is_complete, std::size_t used) {
    got.is_complete = is_complete;
    if (is_complete) pending_.erase(0, used);
    return is_complete;
  }

  asio::io_context io_;
  asio::ip::tcp::socket socket_;
  std::string pending_;
};

}  // namespace photofinish::tests
