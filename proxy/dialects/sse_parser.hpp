// Parses bytes into server-sent events. [pure] The parser implements the complete WHATWG event-stream algorithm, except
// reconnection. The events do not depend on how the bytes are split into pieces. An event that one piece contains
// completely is not copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// One event. Its strings are valid until next() or feed() is called again. The buffer has 64 readable bytes after
// `data`.
struct sse_event {
  std::string_view type;  // the event's name; empty if the stream contains no name
  std::string_view data;  // the data lines, joined by \n
  bool is_line = false;   // true if the event has a single data line, so that `data` contains no \n
};

// A parser of server-sent events. Old llama.cpp servers report errors in a field `error: {json}`, which becomes an
// event of type "error".
class sse_parser {
 public:
  explicit sse_parser(std::size_t max_event_bytes = 16u << 20) : max_event_bytes_(max_event_bytes) {}

  // Gives the parser more bytes, which must stay valid until the next feed(). The buffer must have 64 readable bytes
  // after `bytes`. May be called only after next() returned nullopt.
  void feed(std::string_view bytes);

  // Returns the next complete event. If more bytes are needed, copies the bytes of the unfinished event and returns
  // nullopt.
  std::optional<sse_event> next();

  // True if next() has not yet read all bytes of the last feed().
  bool has_unread() const { return at_ != end_; }

  // Copies the unread bytes, so that the caller may overwrite its buffer before next() has read them. Invalidates the
  // last event. Returns the number of copied bytes.
  std::size_t keep_unread();

  // Returns the memory for an event that arrived in several pieces, in bytes. Reserved capacity is not counted, because
  // untouched pages take no physical memory.
  std::size_t held_bytes() const { return partial_line_.size() + joined_.size() + bare_json_.size(); }

  // True if an event was larger than the limit. After that, the parser returns no more events.
  bool is_oversized() const { return is_oversized_; }

  // Returns the data of an event that is incomplete at the end of the body. The data shows whether the body ends in a
  // [DONE] without a blank line or in a broken stream. May be called only after next() returned nullopt.
  std::string_view unfinished_data() const;
  std::string_view unfinished_name() const { return is_given_ ? std::string_view{} : type_; }

  // Returns JSON that a server sent outside any field, because some servers report errors in this way. The JSON begins
  // at the first line that starts with an object or list. Long texts are truncated. May be called only after next()
  // returned nullopt.
  std::string bare_json() const;

 private:
  void borrow(std::string_view bytes);
  void begin_event();
  std::optional<std::string_view> take_line();
  std::string_view whole_line(std::string_view end_of_line);
  void take_field(std::string_view line);
  void add_data(std::string_view value);
  void note_bare(std::string_view line);
  void own_data();
  void keep_unfinished();

  // The unread bytes of the last feed(). The members that are used most often come first, so that they share few cache
  // lines. The positions of the next \n and of the next \r are both stored. Therefore, each byte is searched only once
  // for \n and once for \r.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* next_lf_ = nullptr;
  const char* next_cr_ = nullptr;
  std::size_t max_event_bytes_;
  bool is_oversized_ = false;
  bool is_after_cr_ = false;     // true after a \r, which may be followed by a \n of the same line end
  bool is_first_line_ = true;    // true for the first line, which may begin with a byte order mark
  bool has_partial_line_ = false;
  // The current event. If is_given_ is true, next() has already returned it.
  bool is_given_ = false;        // true if next() has already returned the current event
  bool has_data_ = false;
  bool is_joined_ = false;       // true if the event has several data lines
  // True if data_ is a view of joined_. False if it is a view of partial_line_ or of the bytes of the last feed().
  bool owns_data_ = false;
  std::string_view data_;
  std::string type_;

  std::unique_ptr<std::string> unread_;  // the bytes that keep_unread() has copied; the next feed() frees them
  std::string joined_;
  std::string partial_line_;     // the beginning of a line whose end has not arrived yet
  std::string bare_json_;
};

}  // namespace photofinish::proxy
