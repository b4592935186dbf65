#include "tests/support/gateway/test_client.hpp"

#include "tests/support/patience.hpp"

#include <nlohmann/json.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace photofinish::testing {
namespace {

using clock = std::chrono::steady_clock;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
  return out;
}

std::string not_canonical(std::string_view block) { return "NOT CANONICAL: " + std::string(block); }

}  // namespace

std::optional<std::string> http_response::field(std::string_view lower_case_name) const {
  for (std::size_t at = head.find("\r\n"); at != std::string::npos; at = head.find("\r\n", at + 2)) {
    const std::string line = head.substr(at + 2, head.find("\r\n", at + 2) - at - 2);
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos && lower(line.substr(0, colon)) == lower_case_name) return line.substr(colon + 2);
  }
  return std::nullopt;
}

std::string http_response::field_or(std::string_view lower_case_name, std::string_view instead) const {
  return field(lower_case_name).value_or(std::string(instead));
}

std::vector<std::string> http_response::events() const {
  std::vector<std::string> all;
  std::size_t from = 0;
  for (std::size_t to; (to = body.find("\n\n", from)) != std::string::npos; from = to + 2) {
    const std::string block = body.substr(from, to - from);
    const bool is_one_line = block.find('\n') == std::string::npos;
    if (is_one_line && block.starts_with("data: ")) all.push_back(block.substr(6));
    else if (!is_one_line || !block.starts_with(": ")) all.push_back(not_canonical(block));
  }
  if (from != body.size()) all.push_back(not_canonical(body.substr(from)));
  return all;
}

std::string http_response::text() const {
  std::string joined;
  for (const std::string& event : events()) {
    if (event == "[DONE]") continue;
    const auto json = nlohmann::json::parse(event);
    if (json.contains("error") || json["choices"].empty()) continue;
    const auto& delta = json["choices"][0]["delta"];
    if (delta.contains("content") && delta["content"].is_string()) joined += delta["content"].get<std::string>();
  }
  return joined;
}

std::string http_response::error(std::string_view member) const {
  const auto json = nlohmann::json::parse(body);
  const auto& error = json.at("error");
  if (!error.is_object() || error.size() != 4) throw std::runtime_error("no error of the OpenAI shape: " + body);
  for (const char* name : {"message", "type", "param", "code"}) error.at(name);
  const auto& value = error.at(std::string(member));
  return value.is_null() ? "" : value.get<std::string>();
}

test_client::test_client(std::uint16_t port, int receive_buffer_bytes)
    : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), is_narrow_(receive_buffer_bytes > 0) {
  if (is_narrow_)
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &receive_buffer_bytes, sizeof receive_buffer_bytes);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    throw std::system_error(errno, std::generic_category(), "connect");
}

test_client::test_client(test_client&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      is_narrow_(other.is_narrow_),
      pending_(std::move(other.pending_)),
      has_ended_(other.has_ended_) {}

test_client::~test_client() {
  if (fd_ >= 0) ::close(fd_);
}

bool test_client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void test_client::post(std::string_view body, std::string_view fields, std::string_view path) {
  send("POST " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
       std::string(fields) + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body));
}

void test_client::get(std::string_view path, std::string_view fields, std::string_view method) {
  send(std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) + "\r\n");
}

// Reads a complete response. First enlarges a small receive buffer. If the buffer has only a few kB, the kernel's timers determine the
// speed, and one test run in thousands took over a minute.
http_response test_client::read() {
  constexpr int wide = 1 << 20;
  if (std::exchange(is_narrow_, false)) ::setsockopt(fd_, SOL_SOCKET, SO_RCVBUF, &wide, sizeof wide);
  return read_until({});
}

http_response test_client::read_until(std::string_view text) {
  http_response got;
  const auto until = clock::now() + patience;
  std::size_t decoded = 0;
  while (!parse(got, decoded)) {
    if (got.first_body_byte_at == clock::time_point{} && !got.body.empty()) got.first_body_byte_at = last_read_at_;
    if (!text.empty() && got.body.find(text) != std::string::npos) return got;
    if (!read_some(until)) break;
  }
  if (got.first_body_byte_at == clock::time_point{}) got.first_body_byte_at = last_read_at_;
  return got;
}

bool test_client::has_bytes() const {
  pollfd here{fd_, POLLIN, 0};
  return !pending_.empty() || ::poll(&here, 1, 0) > 0;
}

http_response test_client::read_head() {
  http_response got;
  const auto until = clock::now() + patience;
  std::size_t end;
  while ((end = pending_.find("\r\n\r\n")) == std::string::npos)
    if (!read_some(until)) return got;
  got.head = pending_.substr(0, end);
  got.status = std::stoi(got.head.substr(9, 3));
  take(got, end + 4);
  return got;
}

bool test_client::has_head() {
  const auto until = clock::now() + patience;
  while (pending_.find("\r\n\r\n") == std::string::npos)
    if (!read_some(until)) return false;
  return true;
}

bool test_client::is_closed() {
  const auto until = clock::now() + patience;
  while (read_some(until)) pending_.clear();
  return has_ended_;
}

void test_client::fin() { ::shutdown(fd_, SHUT_WR); }

void test_client::reset() {
  const linger at_once{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(fd_, -1));
}

bool test_client::read_some(clock::time_point until) {
  if (has_ended_) return false;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
  pollfd watched{fd_, POLLIN, 0};
  if (::poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(0, left.count()))) <= 0) return false;
  std::array<char, 65536> bytes;
  const auto count = ::recv(fd_, bytes.data(), bytes.size(), 0);
  last_read_at_ = clock::now();
  has_ended_ = count <= 0;
  was_reset_ = count < 0;
  if (count > 0) pending_.append(bytes.data(), static_cast<std::size_t>(count));
  return !has_ended_;
}

bool test_client::take(http_response& got, std::size_t used) {
  got.is_complete = true;
  pending_.erase(0, used);
  return true;
}

bool test_client::parse(http_response& got, std::size_t& decoded) {
  if (decoded == 0 && !parse_head(got, decoded)) return false;
  if (const auto length = got.field("content-length")) {
    const std::size_t size = std::stoul(*length);
    const std::size_t come = std::min(pending_.size() - decoded, size - got.body.size());
    got.body.append(pending_, decoded, come);
    decoded += come;
    return got.body.size() == size && take(got, decoded);
  }
  if (got.status == 204) return take(got, decoded);
  if (got.field_or("transfer-encoding", "") == "chunked") return parse_chunks(got, decoded);
  got.body.append(pending_, decoded);
  decoded = pending_.size();
  return has_ended_ && take(got, decoded);
}

bool test_client::parse_head(http_response& got, std::size_t& decoded) {
  const std::size_t head_end = pending_.find("\r\n\r\n");
  if (head_end == std::string::npos) return false;
  if (pending_.starts_with("HTTP/1.1 100 ")) {
    pending_.erase(0, head_end + 4);
    return parse_head(got, decoded);
  }
  got.head = pending_.substr(0, head_end);
  got.status = std::stoi(got.head.substr(9, 3));
  decoded = head_end + 4;
  return true;
}

bool test_client::parse_chunks(http_response& got, std::size_t& decoded) {
  while (true) {
    const std::size_t line_end = pending_.find("\r\n", decoded);
    if (line_end == std::string::npos) return false;
    const std::size_t size = std::stoul(pending_.substr(decoded, line_end - decoded), nullptr, 16);
    if (pending_.size() < line_end + 2 + size + 2) return false;
    got.body.append(pending_, line_end + 2, size);
    decoded = line_end + 2 + size + 2;
    if (size == 0) return take(got, decoded);
  }
}

}  // namespace photofinish::testing
