#include "proxy/net/tunnel.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/failures/sanitized_text.hpp"

#include <array>
#include <span>
#include <utility>

namespace photofinish::proxy {
namespace {

// The maximum size of the head of the proxy's answer. The answer has no body.
constexpr std::size_t max_head_bytes = 16u << 10;
constexpr std::size_t max_reason_bytes = 80;
constexpr std::string_view head_end = "\r\n\r\n";

std::string name_of(const forward_proxy& via) { return "the proxy " + authority_of(via.host, via.port); }

failure refused(const forward_proxy& via, const std::string& what) {
  return network_failure(failure_kind::connect, name_of(via) + " " + what);
}

std::string advice_for(std::string_view status) {
  if (status == "407") return " (give its user and password: http://USER:PASSWORD@HOST:PORT)";
  if (status == "403") return " (the proxy does not allow this host)";
  return {};
}

}  // namespace

std::string authority_of(std::string_view host, std::uint16_t port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  const std::string name = is_ipv6 ? "[" + std::string(host) + "]" : std::string(host);
  return name + ":" + std::to_string(port);
}

std::string tunnel_request(const forward_proxy& via, std::string_view host, std::uint16_t port) {
  const std::string authority = authority_of(host, port);
  std::string request = "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n";
  if (!via.credentials.empty()) request += "Proxy-Authorization: Basic " + via.credentials.reveal() + "\r\n";
  return request + "\r\n";
}

result<void> read_tunnel_answer(std::string_view head, const forward_proxy& via) {
  const std::string_view line = head.substr(0, head.find("\r\n"));
  const bool is_http = line.starts_with("HTTP/1.") && line.size() >= 12 && line[8] == ' ';
  const std::string_view status = is_http ? line.substr(9, 3) : std::string_view{};
  if (status.find_first_not_of("0123456789") != std::string_view::npos || status.size() != 3)
    return refused(via, "does not answer like an HTTP proxy");
  if (status.front() == '2') return {};
  return refused(via, "refused: " + clean_text(line.substr(9), max_reason_bytes) + advice_for(status));
}

boost::asio::awaitable<result<void>> open_tunnel(byte_stream& stream, const forward_proxy& via, std::string host,
                                                 std::uint16_t port) {
  const std::string request = tunnel_request(via, host, port);
  const std::array<std::string_view, 1> pieces{request};
  auto sent = co_await stream.write(pieces);
  if (!sent) co_return std::move(sent).error();
  std::string answer;
  std::string room(4096, '\0');
  while (answer.find(head_end) == std::string::npos) {
    if (answer.size() > max_head_bytes) co_return refused(via, "sent a response head that is too long");
    auto read = co_await stream.read_some(std::span<char>(room));
    if (!read) co_return std::move(read).error();
    if (*read == 0) co_return refused(via, "closed the connection without an answer");
    answer.append(room, 0, *read);
  }
  auto opened = read_tunnel_answer(answer, via);
  // In TLS and HTTP, a server never sends first. If bytes follow the head, the provider cannot have sent them.
  if (opened && !answer.ends_with(head_end)) co_return refused(via, "sent further bytes after its response");
  co_return opened;
}

}  // namespace photofinish::proxy
