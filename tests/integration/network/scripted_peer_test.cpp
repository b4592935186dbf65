// Tests the scripted peer that other tests use: it must never use a file descriptor after closing it.
#include "tests/support/network/scripted_peer.hpp"

#include "tests/support/network/certificates.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace photofinish::testing {
namespace {

// A connection whose two ends are in this process.
struct socket_pair {
  socket_pair() { ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()); }
  ~socket_pair() {
    for (const int end : ends)
      if (end >= 0) ::close(end);
  }
  socket_pair(const socket_pair&) = delete;

  std::array<int, 2> ends{-1, -1};
};

// Runs the client's side of a TLS handshake, and accepts any certificate.
void shake_hands(int socket) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()), &SSL_CTX_free);
  const std::unique_ptr<SSL, decltype(&SSL_free)> client(SSL_new(context.get()), &SSL_free);
  SSL_set_fd(client.get(), socket);
  EXPECT_EQ(SSL_connect(client.get()), 1);
}

TEST(ScriptedPeer, AClosedOneReadsNothingFromTheNextSocketOfItsNumber) {
  test_authority authority;
  const std::shared_ptr<SSL_CTX> context = server_context(authority.issue());
  socket_pair first;
  const int number = std::exchange(first.ends[0], -1);
  peer closed(number);  // owns it
  std::jthread client(shake_hands, first.ends[1]);
  ASSERT_TRUE(closed.handshake(context.get()));
  client.join();
  closed.close();

  socket_pair stranger;
  ASSERT_EQ(::dup2(stranger.ends[0], number), number);  // the system may give the closed descriptor's number to the next connection
  const std::string_view answer = "HTTP/1.1 200 OK";
  ASSERT_EQ(::send(stranger.ends[1], answer.data(), answer.size(), 0), static_cast<ssize_t>(answer.size()));
  EXPECT_EQ(closed.read_some(), "");
  EXPECT_FALSE(closed.write("not for the stranger"));

  std::array<char, 64> bytes;
  const ssize_t got = ::recv(number, bytes.data(), bytes.size(), MSG_DONTWAIT);
  EXPECT_EQ(std::string(bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0), answer);
  EXPECT_EQ(::recv(stranger.ends[1], bytes.data(), bytes.size(), MSG_DONTWAIT), -1);
  ::close(number);
}

}  // namespace
}  // namespace photofinish::testing
