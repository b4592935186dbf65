#include "proxy/http1_response.hpp"

#include "proxy/http_head.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include <algorithm>
#include <cctype>
#include <utility>

namespace photofinish::proxy {

namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

constexpr std::size_t json_padding = 64;
constexpr std::size_t max_chunk_head = 16u << 10;

failure bad_stream(std::string detail) {
  failure why;
  why.kind = failure_kind::bad_stream;
  why.detail = std::move(detail);
  return why;
}

// A body that is noted as spans of the bytes it came in.
struct span_body {
  using value_type = std::vector<std::string_view>*;

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>&, value_type& spans) : spans_(spans) {}
    void init(const boost::optional<std::uint64_t>&, error_code& ec) { ec = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& ec) {
      ec = {};
      std::size_t count = 0;
      for (auto at = boost::asio::buffer_sequence_begin(buffers);
           at != boost::asio::buffer_sequence_end(buffers); ++at) {
        const boost::asio::const_buffer part = *at;
        if (part.size() > 0) spans_->emplace_back(static_cast<const char*>(part.data()), part.size());
        count += part.size();
      }
      return count;
    }
    void finish(error_code& ec) { ec = {}; }

   private:
    value_type& spans_;
  };
};

std::string lower(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

struct http1_response::body_parser {
  http::response_parser<span_body> beast;
};

http1_response::http1_response() = default;
http1_response::http1_response(http1_response&&) noexcept = default;
http1_response& http1_response::operator=(http1_response&&) noexcept = default;
http1_response::~http1_response() = default;

result<void> http1_response::feed(std::string_view bytes) {
  spans_.clear();
  next_span_ = 0;
  carried_.erase(0, std::exchange(parsed_, 0));
  if (!head_) return take_head(bytes);
  return take_body(bytes);
}

// Heads are rare: they are gathered in one place, and the body bytes behind them are taken from there.
result<void> http1_response::take_head(std::string_view bytes) {
  carried_ += bytes;
  while (!head_) {
    const std::size_t end = carried_.find("\r\n\r\n");
    if (end == std::string::npos) {
      if (carried_.size() > head_limits{}.max_bytes) return bad_stream("the response's head is too large");
      return {};
    }
    const std::string_view block = std::string_view(carried_).substr(0, end + 4);
    const head_view view = scan_head(block);
    if (!view) return bad_stream("the response's head holds " + std::string(to_string(view.fault)));
    const status_line line = read_status_line(view.start_line);
    if (line.status == 0) return bad_stream("the response is not HTTP/1.1");
    if (line.status == 101) return bad_stream("the provider switched protocols without being asked");
    if (line.status < 200) {
      carried_.erase(0, block.size());
      continue;
    }
    const body_framing framing = response_framing(view.fields, line);
    if (!framing) return bad_stream("the response has " + std::string(to_string(framing.fault)));
    head_.emplace();
    head_->status = line.status;
    for (const auto& [name, value] : view.fields) head_->fields.emplace_back(lower(name), std::string(value));
  }
  parser_ = std::make_unique<body_parser>();
  parser_->beast.get().body() = &spans_;
  parser_->beast.header_limit(static_cast<std::uint32_t>(head_limits{}.max_bytes));
  parser_->beast.body_limit(boost::none);
  parser_->beast.eager(true);
  return take_body({});
}

result<void> http1_response::take_body(std::string_view bytes) {
  // Carried bytes are parsed where they are gathered; without any, the fed bytes are parsed where they lie.
  const bool is_carried = !carried_.empty();
  if (is_carried) {
    carried_.reserve(carried_.size() + bytes.size() + json_padding);
    carried_ += bytes;
  }
  const std::string_view all = is_carried ? std::string_view(carried_) : bytes;
  std::size_t parsed = 0;
  error_code ec;
  while (parsed < all.size() && !parser_->beast.is_done()) {
    const std::size_t count = parser_->beast.put(boost::asio::buffer(all.data() + parsed, all.size() - parsed), ec);
    parsed += count;
    if (ec == http::error::need_more) break;
    if (ec) return bad_stream("the response's framing is broken: " + ec.message());
  }
  has_bytes_behind_ = parser_->beast.is_done() && parsed < all.size();
  if (all.size() - parsed > max_chunk_head) return bad_stream("the head of a chunk is too large");
  if (is_carried) parsed_ = parsed;
  else carried_ = all.substr(parsed);
  return {};
}

result<void> http1_response::feed_end(ending how) {
  spans_.clear();
  next_span_ = 0;
  if (!head_) return bad_stream("the connection ended before a response");
  if (is_complete()) return {};
  error_code ec;
  parser_->beast.put_eof(ec);
  if (ec || how == ending::abrupt) return bad_stream("the connection ended in the middle of the response");
  return {};
}

std::optional<std::string_view> http1_response::next_span() {
  if (next_span_ == spans_.size()) return std::nullopt;
  return spans_[next_span_++];
}

bool http1_response::is_complete() const { return parser_ && parser_->beast.is_done(); }

bool http1_response::may_reuse() const {
  return is_complete() && !has_bytes_behind_ && parser_->beast.keep_alive();
}

}  // namespace photofinish::proxy
