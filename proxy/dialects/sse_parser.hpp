// Parses bytes into server-sent events. The parser implements the whole WHATWG event-stream algorithm, except
// reconnection. [pure] However the bytes are split into pieces, the events are the same. An event that is completely in
// the fed bytes is not copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// One event. Its texts are valid until the next call of next() or feed(), and 64 bytes after `data` are readable.
struct sse_event {
  std::string_view type;  // the event's name; empty if the stream contains no name
  std::string_view data;  // the data lines, joined by \n
  bool is_line = false;   // true if the event has one data line, so `data` has no \n
};

// A parser of server-sent events. Old llama.cpp servers report errors in a field `error: {json}`, which becomes an
// event of type "error".
class sse_parser {
 public:
  explicit sse_parser(std::size_t max_event_bytes = 16u << 20) : max_event_bytes_(max_event_bytes) {}

  // Gives the parser more bytes, which must be valid until the next feed(). 64 bytes after them must be readable. Must
  // be called only after next() returned nullopt.
  void feed(std::string_view bytes);

  // Returns the next complete event. Returns nullopt if more bytes are needed, after the parser has copied the bytes of
  // the unfinished event.
  std::optional<sse_event> next();

  // True if next() has not read all bytes of the last feed().
  bool has_unread() const { return at_ != end_; }

  // Copies the unread bytes, so that the caller may overwrite its buffer before next() has read them. Invalidates the
  // last event. Returns the number of copied bytes.
  std::size_t keep_unread();

  // Returns the memory in bytes for an event that arrived in several pieces. Reserved capacity is not counted, because
  // untouched pages take no physical memory.
  std::size_t held_bytes() const { return partial_line_.size() + joined_.size() + bare_json_.size(); }

  // True if an event was larger than the limit. In this case, no more events are returned.
  bool is_oversized() const { return is_oversized_; }

  // Returns the data of an event that is incomplete at the end of the body. The data distinguishes a [DONE] without a
  // blank line after it from a broken stream. Must be called only after next() returned nullopt.
  std::string_view unfinished_data() const;
  std::string_view unfinished_name() const { return is_given_ ? std::string_view{} : type_; }

  // Returns the JSON that a server sent outside any field, from the line with the first object or list, because some
  // servers report errors in this way. Long texts are truncated. Must be called only after next() returned nullopt.
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

  // The fed bytes. Members that are used for each event come first, so that they share few cache lines. Each byte is
  // searched only once for \n and once for \r, because the offsets of the next \n and the next \r are both stored.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* next_lf_ = nullptr;
  const char* next_cr_ = nullptr;
  std::size_t max_event_bytes_;
  bool is_oversized_ = false;
  bool is_after_cr_ = false;     // true after \r, which may be followed by a \n of the same line end
  bool is_first_line_ = true;    // true for the first line, which may begin with a byte order mark
  bool has_partial_line_ = false;
  // The current event: the next event to return, or the event that was returned last.
  bool is_given_ = false;        // true if next() has returned the event; the next call forgets it
  bool has_data_ = false;
  bool is_joined_ = false;       // true if the event has several data lines
  // True if data_ is a view of joined_, false if it is a view of the fed bytes or of partial_line_.
  bool owns_data_ = false;
  std::string_view data_;
  std::string type_;

  std::unique_ptr<std::string> unread_;  // bytes that keep_unread() has copied; the next feed() frees them
  std::string joined_;
  std::string partial_line_;     // a line that began in an earlier feed
  std::string bare_json_;
};

}  // namespace photofinish::proxy
