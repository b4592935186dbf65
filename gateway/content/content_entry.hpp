// The request and answer of one client, for the content log. Both are kept while the request runs, with a size limit.
// [pure]
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

// A part of an answer: the text of consecutive events of the same kind.
struct answer_part {
  std::string_view kind;  // the kind of part, as a literal: "text", "reasoning", "call", …
  std::int64_t choice = 0;
  std::string text;
};

// Collects an answer from its events, in any format: texts, calls, ends. If an API's answers are not conversations, it
// collects the JSON of the answers. Bytes of sound are counted, but not kept.
class kept_answer {
 public:
  kept_answer() = default;
  // Collects at most `longest` bytes, and no more than there is memory for.
  kept_answer(std::size_t longest, proxy::memory_share memory) : memory_(std::move(memory)), longest_(longest) {}

  // Reserves memory for data in addition to the answer. Returns false if there is not enough memory.
  bool take_room(std::size_t bytes_beside);
  void see(const proxy::stream_event& event);
  void restart();  // drops the collected parts, because another answer replaces this one

  const std::vector<answer_part>& parts() const { return parts_; }
  std::uint64_t bytes() const { return bytes_; }  // number of all received bytes, including bytes that are not kept
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

// The part of a request's body that is kept for the content log.
struct kept_request {
  std::string text;  // the body, or its beginning if it is longer than the line may be
  std::uint64_t bytes = 0;
  bool is_form = false;  // true if the request is a form, whose text is not kept
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
  std::shared_ptr<const proxy::redactor> redacts = {};  // removes the configuration's secrets; null if there are none
  std::vector<proxy::secret> keys = {};                 // keys that the caller sent, which are also removed

  std::size_t held_bytes() const { return request.text.size() + answer.held_bytes() + sizeof(content_entry); }
};

// Keeps the beginning of a request's body, if there is enough memory for it.
void keep_request(content_entry& entry, std::string_view body);

// Cuts the text to at most `most` bytes, and never inside a character.
std::string_view cut_text(std::string_view text, std::size_t most);

}  // namespace photofinish::gateway
