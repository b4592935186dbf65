// Reads arbitrary bytes as a client's requests. The parsed requests do not depend on how the bytes are split into reads. The gateway must
// reject every request that another parser would read differently. The test compares the gateway with Beast's parser, and with a lenient
// parser that accepts bare line feeds, spaces before colons and folded lines.
#include "gateway/http/request_parser.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>

namespace photofinish::fuzz {
namespace {

namespace http = boost::beast::http;

constexpr std::size_t max_body = 1u << 20;

struct request {
  std::string head;  // the head of the request as it was received
  std::string method, target, body;
  std::size_t bytes = 0;  // number of bytes in the request's head and body

  bool operator==(const request&) const = default;
};

struct conversation {
  std::vector<request> requests;
  bool is_refused = false;

  bool operator==(const conversation&) const = default;
};

// A connection that reads requests in the same way as the gateway's request_reader, but never waits for bytes.
class reader {
 public:
  void feed(std::string_view bytes) {
    unread_ += bytes;
    while (!seen_.is_refused && (body_ ? go_on_with_body() : take_head())) {
    }
  }
  const conversation& seen() const { return seen_; }

 private:
  bool take_head() {
    // parses a copy of the bytes at a new address each time, because the buffer of a real connection may also move
    const exact_bytes held(unread_);
    auto got = head_.look_at(held.view());
    seen_.is_refused = std::holds_alternative<gateway::refusal>(got);
    if (const auto* found = std::get_if<gateway::request_head_parser::arrived>(&got)) begin(*found);
    return body_ != nullptr;
  }

  void begin(const gateway::request_head_parser::arrived& found) {
    now_ = {.head = unread_.substr(0, found.bytes), .method = std::string(found.request.method),
            .target = std::string(found.request.target), .body = {}, .bytes = found.bytes};
    unread_.erase(0, found.bytes);
    body_ = std::make_unique<gateway::request_body_parser>(found.request.framing, max_body);
    head_ = gateway::request_head_parser(limits());
  }

  bool go_on_with_body() {
    const std::size_t taken = body_->take(unread_, now_.body);
    unread_.erase(0, taken);
    now_.bytes += taken;
    seen_.is_refused = body_->fault() != gateway::body_fault::none;
    if (!body_->is_complete()) return false;
    seen_.requests.push_back(std::move(now_));
    body_.reset();
    return true;
  }

  static gateway::guard_limits limits() {
    gateway::guard_limits limits;
    limits.max_body = max_body;
    return limits;
  }

  std::string unread_;
  gateway::request_head_parser head_{limits()};
  std::unique_ptr<gateway::request_body_parser> body_;
  request now_;
  conversation seen_;
};

conversation converse(const pieces& cut) {
  reader server;
  for (const std::string_view piece : cut) server.feed(piece);
  return server.seen();
}

std::string without_space(std::string_view text) {
  std::string out;
  for (const char letter : text)
    if (static_cast<unsigned char>(letter) > ' ') out += proxy::lower_case({&letter, 1});
  return out;
}

// Returns how many fields with this name a lenient server would see. The lenient server ends a line at each line feed, and ignores white
// space in a name.
std::size_t careless_count(std::string_view head, std::string_view name) {
  std::size_t count = 0;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find_first_of("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    count += without_space(line.substr(0, line.find(':'))) == name && line.find(':') != std::string_view::npos;
  }
  return count;
}

void check_against_a_careless_server(const request& got) {
  const std::size_t lengths = careless_count(got.head, "content-length");
  const std::size_t encodings = careless_count(got.head, "transfer-encoding");
  require(lengths + encodings <= 1, "no server sees two framings");
  require(lengths + encodings == 1 || got.body.empty(), "no server misses the body");
  require(careless_count(got.head, "host") <= 1, "no server sees two hosts");
  require(got.head.find("\r\n\r\n") + 4 == got.head.size() || got.head.starts_with("\r\n"), "no server sees an earlier end");
  require(got.head.find('\0') == std::string::npos, "no server stops at a NUL");
}

void check_against_beast(const request& got, std::string_view bytes) {
  http::request_parser<http::string_body> parser;
  parser.body_limit(max_body);
  parser.header_limit(1u << 17);
  parser.eager(true);
  boost::system::error_code ec;
  std::size_t parsed = 0;
  std::size_t empty_lines = 0;  // number of bytes in the empty lines before the request; Beast does not skip empty lines
  while (bytes.substr(empty_lines).starts_with("\r\n")) empty_lines += 2;
  const std::string_view alone = bytes.substr(empty_lines, got.bytes - empty_lines);
  while (parsed < alone.size() && !parser.is_done() && !ec)
    parsed += parser.put(boost::asio::buffer(alone.data() + parsed, alone.size() - parsed), ec);
  if (ec) return;  // Beast accepts neither an extension without a name nor a framing field among the trailers
  require(parser.is_done() && parsed == alone.size(), "Beast sees it end in the same place");
  require(parser.get().method_string() == got.method, "Beast sees the same method");
  require(parser.get().target() == got.target, "Beast sees the same target");
  require(parser.get().body() == got.body, "Beast sees the same body");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish::fuzz;
  const std::string_view bytes = as_text(data, size);
  const conversation whole = converse({bytes});
  require(converse(at_random(bytes)) == whole, "any split gives the same requests");
  if (bytes.size() < 2000) require(converse(byte_by_byte(bytes)) == whole, "byte by byte gives the same requests");
  std::string_view rest = bytes;
  for (const request& each : whole.requests) {
    check_against_a_careless_server(each);
    check_against_beast(each, rest);
    rest.remove_prefix(each.bytes);
  }
  return 0;
}
