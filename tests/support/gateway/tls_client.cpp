#include "tests/support/gateway/tls_client.hpp"

#include "tests/support/patience.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

namespace photofinish::testing {
namespace {

int connected(std::uint16_t port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit{std::chrono::duration_cast<std::chrono::seconds>(patience).count(), 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  if (fd < 0 || ::connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) throw std::runtime_error("no connection");
  return fd;
}

// Returns the position after the first response in `bytes`, or npos if the first response is incomplete.
std::size_t end_of_answer(const std::string& bytes) {
  const std::size_t head = bytes.find("\r\n\r\n");
  if (head == std::string::npos) return std::string::npos;
  const std::size_t length = bytes.find("content-length: ");
  if (length < head) {
    const std::size_t end = head + 4 + static_cast<std::size_t>(std::atol(bytes.c_str() + length + 16));
    return end <= bytes.size() ? end : std::string::npos;
  }
  const std::size_t last = bytes.find("\r\n0\r\n\r\n", head);
  return last == std::string::npos ? last : last + 7;
}

}  // namespace

tls_client::tls_client(std::uint16_t port, const tls_client_options& options)
    : fd_(connected(port)), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
  if (!options.preamble.empty()) (void)!::write(fd_, options.preamble.data(), options.preamble.size());
  if (!options.ca_file.empty()) {
    SSL_CTX_load_verify_locations(context_.get(), options.ca_file.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  }
  if (options.version != 0) {
    SSL_CTX_set_min_proto_version(context_.get(), options.version);
    SSL_CTX_set_max_proto_version(context_.get(), options.version);
  }
  if (options.who) {
    SSL_CTX_use_certificate(context_.get(), options.who->certificate.get());
    SSL_CTX_use_PrivateKey(context_.get(), options.who->key.get());
  }
  ssl_ = SSL_new(context_.get());
  if (!options.alpn.empty())
    SSL_set_alpn_protos(ssl_, reinterpret_cast<const unsigned char*>(options.alpn.data()),
                        static_cast<unsigned>(options.alpn.size()));
  SSL_set_fd(ssl_, fd_);
  is_up_ = SSL_connect(ssl_) == 1;
}

tls_client::~tls_client() {
  SSL_free(ssl_);
  ::close(fd_);
}

std::string tls_client::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(ssl_, &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

long tls_client::serial() const {
  const X509* shown = SSL_get0_peer_certificate(ssl_);
  return shown == nullptr ? 0 : ASN1_INTEGER_get(X509_get0_serialNumber(shown));
}

bool tls_client::send(std::string_view bytes) {
  return is_up_ && SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size())) == static_cast<int>(bytes.size());
}

bool tls_client::post(std::string_view text, std::string_view fields) {
  return send("POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n" +
              std::string(fields) + "content-length: " + std::to_string(text.size()) + "\r\n\r\n" + std::string(text));
}

bool tls_client::get(std::string_view path, std::string_view fields) {
  return send("GET " + std::string(path) + " HTTP/1.1\r\nhost: localhost\r\n" + std::string(fields) + "\r\n");
}

std::string tls_client::read() {
  std::size_t end = end_of_answer(pending_);
  while (end == std::string::npos && read_some()) end = end_of_answer(pending_);
  was_whole_ = end != std::string::npos;
  const std::string answer = pending_.substr(0, end);
  pending_.erase(0, end);
  return answer;
}

bool tls_client::read_some() {
  std::array<char, 16384> bytes;
  const int got = is_up_ ? SSL_read(ssl_, bytes.data(), static_cast<int>(bytes.size())) : 0;
  if (got > 0) pending_.append(bytes.data(), static_cast<std::size_t>(got));
  return got > 0;
}

void tls_client::change_keys() {
  SSL_key_update(ssl_, SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(ssl_);
}

std::string sent_and_read(std::uint16_t port, std::string_view bytes) {
  const int fd = connected(port);
  (void)!::write(fd, bytes.data(), bytes.size());
  std::string got;
  std::array<char, 4096> part;
  for (ssize_t count; (count = ::read(fd, part.data(), part.size())) > 0;)
    got.append(part.data(), static_cast<std::size_t>(count));
  ::close(fd);
  return got;
}

}  // namespace photofinish::testing
