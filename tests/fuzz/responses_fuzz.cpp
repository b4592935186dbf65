// Reads arbitrary bytes as one response of a provider. The response does not depend on how the bytes are split into reads, and a connection
// is reused only after a complete response. If Beast's parser also accepts the response, both parsers read it in the same way.
#include "proxy/http/http1_response.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <optional>

namespace photofinish::fuzz {
namespace {

namespace http = boost::beast::http;

struct response {
  bool is_broken = false;
  int status = 0;
  std::vector<std::pair<std::string, std::string>> fields;
  std::string body;
  bool is_complete = false;  // true if the end of the response was known before the connection ended
  bool may_reuse = false;
  bool is_whole = false;     // true if the response was complete when the connection ended

  bool operator==(const response&) const = default;
};

response read(const pieces& cut) {
  proxy::http1_response reader;
  response got;
  std::optional<exact_bytes> fed;
  for (const std::string_view piece : cut) {
    exact_bytes next(piece, 64);
    got.is_broken = !reader.feed(next.view());
    fed.emplace(std::move(next));
    if (got.is_broken) return {.is_broken = true};
    while (const auto span = reader.next_span()) got.body += *span;
  }
  if (reader.head()) got.status = reader.head()->status, got.fields = reader.head()->fields;
  got.is_complete = reader.is_complete();
  got.may_reuse = reader.may_reuse();
  got.is_whole = reader.feed_end(proxy::http1_response::ending::proper).has_value();
  return got;
}

// Returns the bytes of the final response only, because Beast reads a 1xx response as a separate response.
std::string_view without_informational(std::string_view bytes) {
  while (bytes.starts_with("HTTP/1.1 1") || bytes.starts_with("HTTP/1.0 1")) bytes.remove_prefix(bytes.find("\r\n\r\n") + 4);
  return bytes;
}

void check_against_beast(const response& got, std::string_view bytes) {
  bytes = without_informational(bytes);
  http::response_parser<http::string_body> parser;
  parser.body_limit(boost::none);
  parser.header_limit(1u << 17);
  parser.eager(true);
  boost::system::error_code ec;
  while (!bytes.empty() && !parser.is_done() && !ec)
    bytes.remove_prefix(parser.put(boost::asio::buffer(bytes.data(), bytes.size()), ec));
  if (!ec && !parser.is_done()) parser.put_eof(ec);
  if (ec) return;  // Beast is stricter in some cases: for example, it rejects a status line without a space after the status
  require(parser.is_done(), "Beast sees its end, too");
  require(static_cast<int>(parser.get().result_int()) == got.status, "Beast sees the same status");
  require(parser.get().body() == got.body, "Beast sees the same body");
  if (got.may_reuse) require(parser.keep_alive() && bytes.empty(), "Beast would reuse the connection, too");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish::fuzz;
  const std::string_view bytes = as_text(data, size);
  const response whole = read({bytes});
  require(read(at_random(bytes)) == whole, "any split gives the same response");
  if (bytes.size() < 2000) require(read(byte_by_byte(bytes)) == whole, "byte by byte gives the same response");
  if (whole.is_broken) return 0;
  require(!whole.may_reuse || whole.is_complete, "only a whole response's connection is used again");
  if (whole.is_whole) check_against_beast(whole, bytes);
  return 0;
}
