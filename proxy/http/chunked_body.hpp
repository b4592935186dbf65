// Takes a chunked body apart (RFC 9112, section 7.1): bytes in, spans of its data out. [pure]
// Strict where parsers differ, for that is how requests and answers are smuggled: a line ends in CR LF and holds no
// other control character, a quoted extension is closed within its line, a trailer is a header field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

class chunked_body {
 public:
  // Takes bytes off the front of `bytes` up to a piece of data, and gives that piece: a span of `bytes`. Empty when
  // all is taken, the body is over, or it is broken; what then is left of `bytes` does not belong to it.
  std::string_view next(std::string_view& bytes);

  bool is_complete() const { return at_ == place::end; }
  bool is_broken() const { return at_ == place::nowhere; }  // the connection cannot be trusted any further

 private:
  enum class place {
    first_digit, size, extension, quoted, quoted_pair, size_lf,
    data, data_cr, data_lf,
    trailer, trailer_name, trailer_value, trailer_lf, last_lf,
    end, nowhere,
  };

  bool take_plain_head(std::string_view& bytes);
  std::string_view take_data(std::string_view& bytes);
  place step(char byte);
  place in_size(char byte);
  place in_extension(char byte) const;
  place in_quotes(char byte) const;
  place in_trailer(char byte) const;

  place at_ = place::first_digit;
  std::uint64_t left_ = 0;      // of the chunk's data
  std::size_t line_bytes_ = 0;  // of this chunk's head, or of the trailers
};

}  // namespace photofinish::proxy
