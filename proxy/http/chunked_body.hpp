// Decodes a chunked body (RFC 9112, section 7.1) and returns its data as spans of the input. The parser is strict,
// because attackers smuggle requests and answers through differences between parsers. A line must end in CR LF and
// contain no other control character. A quoted extension must be closed within its line. A trailer must be a valid
// header field. [pure]
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

class chunked_body {
 public:
  // Removes bytes from the front of `bytes` up to the next piece of data, and returns this piece as a span of `bytes`.
  // Returns an empty view if all bytes are consumed, or if the body is complete or malformed. If the body is complete
  // or malformed, the remaining bytes do not belong to it.
  std::string_view next(std::string_view& bytes);

  bool is_complete() const { return at_ == place::end; }
  bool is_broken() const { return at_ == place::nowhere; }  // the connection can no longer be trusted

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
  std::uint64_t left_ = 0;      // number of bytes of the current chunk that have not arrived yet
  std::size_t line_bytes_ = 0;  // number of bytes read of the current chunk's first line, or of the trailers
};

}  // namespace photofinish::proxy
