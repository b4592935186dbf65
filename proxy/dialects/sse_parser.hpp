// Bytes in, server-sent events out: the whole WHATWG event-stream algorithm, without its reconnection. [pure]
// Any split of the bytes gives the same events. An event that lies wholly in the fed bytes is not copied.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

// Both live until the parser is next fed or asked, and 64 bytes behind `data` may be read.
struct sse_event {
  std::string_view type;  // empty when the stream named none
  std::string_view data;  // several data lines are joined by \n
  bool is_line = false;   // there was one data line: `data` has no \n
};

// Old llama.cpp servers report trouble in a field `error: {json}`: it comes out as an event of type "error".
class sse_parser {
 public:
  explicit sse_parser(std::size_t max_event_bytes = 16u << 20) : max_event_bytes_(max_event_bytes) {}

  // Borrows the bytes until the next feed; 64 bytes behind them must be readable. Only when next() has
  // given nothing.
  void feed(std::string_view bytes);

  // The next whole event; none when more bytes are needed. What is unfinished then is kept here.
  std::optional<sse_event> next();

  // Fed bytes are left that next() has not looked at.
  bool has_unread() const { return at_ != end_; }

  // They are kept until next() has looked at them: the caller's may be overwritten. Ends the life of the last event.
  // Gives how many they are.
  std::size_t keep_unread();

  // What it holds of an event that did not come in one piece: the bytes that are written, for room that was never
  // touched is no memory.
  std::size_t held_bytes() const { return partial_line_.size() + joined_.size() + bare_json_.size(); }

  // An event grew above the limit: nothing comes out any more.
  bool is_oversized() const { return is_oversized_; }

  // The data of the event that the end of the body cut off: for telling a [DONE] without its blank line from
  // a stream that broke. Only when next() has given nothing.
  std::string_view unfinished_data() const;
  std::string_view unfinished_name() const { return is_given_ ? std::string_view{} : type_; }

  // Lines that are JSON outside of any field, from the first that begins an object or a list: some servers report
  // trouble so. The beginning of them, where there are many. Only when next() has given nothing.
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

  // What each event needs is first, and so in as few cache lines as can be.
  // The fed bytes. Each is looked at once for either line end: the next of both kinds is remembered.
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  const char* next_lf_ = nullptr;
  const char* next_cr_ = nullptr;
  std::size_t max_event_bytes_;
  bool is_oversized_ = false;
  bool is_after_cr_ = false;     // a \n that comes next belongs to that \r
  bool is_first_line_ = true;    // may begin with a byte order mark
  bool has_partial_line_ = false;
  // The event so far.
  bool is_given_ = false;        // next() has given it: it is to be forgotten
  bool has_data_ = false;
  bool is_joined_ = false;       // of several lines
  bool owns_data_ = false;       // data_ is a view of joined_; else of the fed bytes or of partial_line_
  std::string_view data_;
  std::string type_;

  std::unique_ptr<std::string> unread_;  // what keep_unread() has kept, until the next feed
  std::string joined_;
  std::string partial_line_;     // a line that began in an earlier feed
  std::string bare_json_;
};

}  // namespace photofinish::proxy
