// Compares the gateway's HTTP/1.1 parser with Beast's parser, for the heads of a race (docs/decisions/0018-own-http-parsing.md).
// --shapes prints how each parser reads bytes that attackers use for request smuggling.
#include "gateway/http/request_parser.hpp"
#include "proxy/http/http1_response.hpp"
#include "tests/support/network/smuggling_payloads.hpp"

#include <benchmark/benchmark.h>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstdio>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace photofinish {
namespace {

namespace http = boost::beast::http;

const std::string request =
    "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost:7777\r\nAccept-Encoding: gzip, deflate\r\n"
    "Connection: keep-alive\r\nAccept: application/json\r\nContent-Type: application/json\r\n"
    "User-Agent: OpenAI/Python 2.8.1\r\nX-Stainless-Lang: python\r\nX-Stainless-Package-Version: 2.8.1\r\n"
    "X-Stainless-OS: Linux\r\nX-Stainless-Arch: x64\r\nX-Stainless-Runtime: CPython\r\n"
    "X-Stainless-Runtime-Version: 3.11.2\r\nAuthorization: Bearer sk-0123456789abcdef0123456789abcdef\r\n"
    "X-Stainless-Async: false\r\nx-stainless-retry-count: 0\r\nx-stainless-read-timeout: 600\r\n"
    "Content-Length: 93\r\n\r\n";

const std::string response_head =
    "HTTP/1.1 200 OK\r\nDate: Fri, 21 Nov 2025 12:00:00 GMT\r\nContent-Type: text/event-stream; charset=utf-8\r\n"
    "Transfer-Encoding: chunked\r\nConnection: keep-alive\r\nCache-Control: no-cache\r\nServer: cloudflare\r\n"
    "x-request-id: req_0123456789abcdef\r\nopenai-processing-ms: 312\r\nopenai-version: 2020-10-01\r\n"
    "x-ratelimit-limit-requests: 10000\r\nx-ratelimit-remaining-requests: 9999\r\nx-ratelimit-reset-requests: 6ms\r\n"
    "strict-transport-security: max-age=31536000\r\nCF-RAY: 0123456789abcdef-FRA\r\n\r\n";

// Returns an event of 316 bytes in an HTTP chunk of its own, as providers send it.
std::string chunk_of_an_event() { return "144\r\ndata: " + std::string(316, 'x') + "\n\n\r\n"; }
constexpr int events = 16;

// A body type for Beast's parser that stores spans and copies nothing, like the gateway's parser.
struct spans_body {
  using value_type = std::vector<std::string_view>;
  class reader {
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>&, value_type& spans) : spans_(spans) {}
    void init(const boost::optional<std::uint64_t>&, boost::system::error_code& ec) { ec = {}; }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, boost::system::error_code& ec) {
      ec = {};
      std::size_t bytes = 0;
      const auto end = boost::asio::buffer_sequence_end(buffers);
      for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end; ++at) {
        const boost::asio::const_buffer piece(*at);
        spans_.emplace_back(static_cast<const char*>(piece.data()), piece.size());
        bytes += piece.size();
      }
      return bytes;
    }
    void finish(boost::system::error_code& ec) { ec = {}; }

   private:
    value_type& spans_;
  };
};

void request_head_ours(benchmark::State& state) {
  for (auto _ : state) {
    gateway::request_head_parser parser({});
    const auto got = parser.look_at(request);
    if (!std::holds_alternative<gateway::request_head_parser::arrived>(got)) return state.SkipWithError("refused");
  }
}
BENCHMARK(request_head_ours);

bool beast_reads(std::string_view bytes) {
  http::request_parser<http::string_body> parser;
  boost::system::error_code ec;
  parser.put(boost::asio::buffer(bytes.data(), bytes.size()), ec);
  benchmark::DoNotOptimize(parser.get().target().data());
  return !ec && parser.is_header_done();
}

void request_head_beast(benchmark::State& state) {
  for (auto _ : state)
    if (!beast_reads(request)) return state.SkipWithError("refused");
}
BENCHMARK(request_head_beast);

void request_head_guard_then_beast(benchmark::State& state) {
  for (auto _ : state)
    if (!proxy::scan_head(request) || !beast_reads(request)) return state.SkipWithError("refused");
}
BENCHMARK(request_head_guard_then_beast);

// Measures the gateway's parser with an answer that arrives in 17 reads: the head, and then sixteen events, each in its own read.
void response_ours(benchmark::State& state) {
  const std::string chunk = chunk_of_an_event();
  for (auto _ : state) {
    proxy::http1_response parser;
    if (!parser.feed(response_head)) return state.SkipWithError("refused");
    for (int event = 0; event < events; ++event) {
      if (!parser.feed(chunk)) return state.SkipWithError("refused");
      while (const auto span = parser.next_span()) benchmark::DoNotOptimize(span->data());
    }
  }
}
BENCHMARK(response_ours);

enum class guard { none, http_head };

void response_beast(benchmark::State& state, guard before) {
  // Beast leaves the line end of a chunk in the caller's buffer until the head of the next chunk arrives. In this benchmark the next head
  // has always arrived already.
  const std::string whole = chunk_of_an_event();
  const std::string first = whole.substr(0, whole.size() - 2);
  const std::string next = "\r\n" + first;
  for (auto _ : state) {
    http::response_parser<spans_body> parser;
    parser.body_limit(boost::none);
    boost::system::error_code ec;
    if (before == guard::http_head && !proxy::scan_head(response_head)) return state.SkipWithError("refused");
    parser.put(boost::asio::buffer(response_head), ec);
    parser.eager(true);
    for (int event = 0; event < events; ++event) {
      std::string_view rest = event == 0 ? first : next;
      while (!rest.empty() && !ec) rest.remove_prefix(parser.put(boost::asio::buffer(rest.data(), rest.size()), ec));
      if (ec == http::error::need_more) ec = {};
      if (ec) return state.SkipWithError(ec.message().c_str());
      for (const std::string_view span : parser.get().body()) benchmark::DoNotOptimize(span.data());
      parser.get().body().clear();
    }
  }
}
BENCHMARK_CAPTURE(response_beast, alone, guard::none);
BENCHMARK_CAPTURE(response_beast, behind_the_guard, guard::http_head);

const std::string victim = "POST /victim HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";

std::string ours_of_request(const std::string& bytes) {
  gateway::request_head_parser heads({});
  auto got = heads.look_at(bytes);
  if (std::holds_alternative<gateway::refusal>(got)) return "refused";
  const auto* found = std::get_if<gateway::request_head_parser::arrived>(&got);
  if (found == nullptr) return "waits for more";
  gateway::request_body_parser body(found->request.framing, 1u << 20);
  std::string text;
  body.take(std::string_view(bytes).substr(found->bytes), text);
  if (body.fault() != gateway::body_fault::none) return "refused";
  return body.is_complete() ? "accepted" : "waits for more";
}

std::string ours_of_answer(const std::string& bytes) {
  std::string padded = bytes;
  padded.reserve(bytes.size() + 64);
  proxy::http1_response parser;
  if (!parser.feed(padded)) return "refused";
  return parser.is_complete() ? "accepted" : "waits for more";
}

template <bool is_request>
std::string beasts(std::string_view bytes) {
  http::parser<is_request, http::string_body> parser;
  parser.eager(true);
  boost::system::error_code ec;
  std::size_t parsed = 0;
  while (parsed < bytes.size() && !parser.is_done() && !ec) {
    const std::size_t count = parser.put(boost::asio::buffer(bytes.data() + parsed, bytes.size() - parsed), ec);
    parsed += count;
    if (count == 0) break;
  }
  if (ec && ec != http::error::need_more) return "refused: " + ec.message();
  if (!parser.is_done()) return parser.is_header_done() ? "ACCEPTED, body goes on" : "waits for more";
  return "ACCEPTED, body of " + std::to_string(parser.get().body().size()) + " bytes";
}

void print_shapes() {
  for (const auto& [name, bytes] : testing::smuggling_requests())
    std::printf("request %-30s ours: %-15s Beast: %s\n", name, ours_of_request(bytes + victim).c_str(),
                beasts<true>(bytes + victim).c_str());
  for (const auto& [name, bytes] : testing::smuggling_answers())
    std::printf("answer  %-30s ours: %-15s Beast: %s\n", name, ours_of_answer(bytes).c_str(),
                beasts<false>(bytes).c_str());
}

}  // namespace
}  // namespace photofinish

int main(int count, char** arguments) {
  if (count == 2 && std::string_view(arguments[1]) == "--shapes") return photofinish::print_shapes(), 0;
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
}
