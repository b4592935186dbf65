// The request and the answer of one client for the content log. Both are kept in memory while the request runs, up to a
// maximum size. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/failures/secret.hpp"
#include "proxy/memory/memory_share.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

// A part of an answer: the joined text of consecutive events of the same kind.
struct answer_part {
  std::string_view kind;  // the kind as a string literal: "text", "reasoning", "call", …
  std::int64_t choice = 0;
  std::string text;
};

// Collects an answer in any format from its events: texts, calls, and the reasons why choices ended. If answers of an
// API are not conversations, collects their JSON. Audio data is counted but not stored.
class kept_answer {
 public:
  kept_answer() = default;
  // Collects at most `longest` bytes. Collects less if memory is short.
  kept_answer(std::size_t longest, proxy::memory_share memory) : memory_(std::move(memory)), longest_(longest) {}

  // Reserves memory for data other than the answer. Returns false if there is not enough memory.
  bool take_room(std::size_t bytes_beside);
  void see(const proxy::stream_event& event);
  void restart();  // removes all collected parts, because the client gets another answer instead

  const std::vector<answer_part>& parts() const { return parts_; }
  std::uint64_t bytes() const { return bytes_; }  // the number of received bytes, including bytes that are not stored
  bool is_cut() const { return is_cut_; }
  std::size_t held_bytes() const { return held_; }
  proxy::memory_share take_memory() { return std::move(memory_); }

 private:
  enum class joining : bool { with_the_last, never };
  void add(std::string_view kind, std::int64_t choice, std::string_view text, joining how);

  std::vector<answer_part> parts_;
  proxy::memory_share memory_;
  std::size_t longest_ = 0;
  std::size_t beside_ = 0;
  std::size_t held_ = 0;
  std::uint64_t bytes_ = 0;
  bool is_cut_ = false;
};

// The part of a request's body that is stored for the content log.
struct kept_request {
  std::string text;  // the body, or only its beginning if it does not fit into the log line
  std::uint64_t bytes = 0;
  bool is_form = false;  // true if the request is a form, whose text is not stored
};

struct content_entry {
  std::chrono::sys_time<std::chrono::milliseconds> received_at;
  std::string id, race_id, client, team, endpoint, route, model, winner, outcome, code, cache;
  int status = 0;
  bool is_streamed = false;
  std::chrono::milliseconds duration{0};

  kept_request request;
  kept_answer answer;

  std::size_t max_line = 0;  // bytes
  std::shared_ptr<const proxy::redactor> redacts = {};  // redacts the configured secrets; null if there are none
  std::vector<proxy::secret> keys = {};                 // the keys that the caller sent, which are also removed from
                                                        // log lines

  std::size_t held_bytes() const { return request.text.size() + answer.held_bytes() + sizeof(content_entry); }
};

// Stores the beginning of a request's body if there is enough memory.
void keep_request(content_entry& entry, std::string_view body);

// Cuts the text to at most `most` bytes. Never cuts inside a character.
std::string_view cut_text(std::string_view text, std::size_t most);

}  // namespace photofinish::gateway
