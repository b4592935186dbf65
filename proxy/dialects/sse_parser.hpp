// Parses bytes into server-sent events: the whole WHATWG event-stream algorithm, except reconnection. [pure] Any split
// of the bytes gives the same events. An event that is completely in the fed bytes is not copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// One event. Its texts live until the parser is next fed or called, and 64 bytes after `data` are readable.
struct sse_event {
  std::string_view type;  // name of the event; empty if the stream gave none
  std::string_view data;  // data lines, joined by \n
  bool is_line = false;   // true if there was one data line, so that `data` has no \n
};

// Old llama.cpp servers report errors in a field `error: {json}`, which becomes an event of type "error".
class sse_parser {
 public:
  explicit sse_parser(std::size_t max_event_bytes = 16u << 20) : max_event_bytes_(max_event_bytes) {}

  // Borrows the bytes until the next feed. 64 bytes after them must be readable. Must be called only after
  // next() returned nullopt.
  void feed(std::string_view bytes);

  // Returns the next complete event, or nullopt if more bytes are needed. The parser then keeps the unfinished bytes.
  std::optional<sse_event> next();

  // True if next() has not read all fed bytes.
  bool has_unread() const { return at_ != end_; }

  // Copies unread bytes until next() has read them, so the caller may overwrite its buffer. Invalidates the last event.
  // Returns the number of copied bytes.
  std::size_t keep_unread();

  // Returns the bytes that are held for an event that came in several pieces. Unused capacity does not count, because
  // untouched pages cost no memory.
  std::size_t held_bytes() const { return partial_line_.size() + joined_.size() + bare_json_.size(); }

  // True if an event became larger than the limit. No more events follow.
  bool is_oversized() const { return is_oversized_; }

  // Returns the data of an event that the body's end cut off. The data distinguishes a [DONE] without its blank line
  // from a broken stream. Must be called only after next() returned nullopt.
  std::string_view unfinished_data() const;
  std::string_view unfinished_name() const { return is_given_ ? std::string_view{} : type_; }

  // Returns JSON lines outside of any field, beginning with the first object or list, because some servers report
  // errors in this way. Long texts are truncated. Must be called only after next() returned nullopt.
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

  // The fed bytes. Members that each event needs come first, so that they share few cache lines. Each byte is searched
  // once for either line end, because the next \n and the next \r are both remembered.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* next_lf_ = nullptr;
  const char* next_cr_ = nullptr;
  std::size_t max_event_bytes_;
  bool is_oversized_ = false;
  bool is_after_cr_ = false;     // true after \r, because a \n directly after it belongs to the same line end
  bool is_first_line_ = true;    // true for the first line, which may begin with a byte order mark
  bool has_partial_line_ = false;
  // The event that is being read.
  bool is_given_ = false;        // next() has returned the event, and the next call drops it
  bool has_data_ = false;
  bool is_joined_ = false;       // the event consists of several data lines
  // True if data_ is a view of joined_, false if it is a view of the fed bytes or of partial_line_.
  bool owns_data_ = false;
  std::string_view data_;
  std::string type_;

  std::unique_ptr<std::string> unread_;  // bytes that keep_unread() copied, until the next feed
  std::string joined_;
  std::string partial_line_;     // a line that began in an earlier feed
  std::string bare_json_;
};

}  // namespace photofinish::proxy
