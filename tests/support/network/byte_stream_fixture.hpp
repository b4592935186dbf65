// A fixture that connects a byte stream to a scripted server, with or without TLS. The server's certificate is signed by an authority of
// the test.
#pragma once

#include "proxy/net/byte_stream.hpp"
#include "tests/support/network/certificates.hpp"
#include "tests/support/network/net_fixture.hpp"
#include "tests/support/network/scripted_peer.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::testing {

struct byte_stream_fixture : net_fixture {
  using tcp = boost::asio::ip::tcp;

  proxy::byte_stream connect(const scripted_server& to) {
    tcp::socket socket(loop);
    socket.connect({boost::asio::ip::address_v4::loopback(), to.port()});
    return proxy::byte_stream(std::move(socket));
  }

  proxy::result<void> secure(proxy::byte_stream& stream, const scripted_server& server,
                             const std::string& host = "localhost") {
    return run(stream.handshake(*context, host, server.port()));
  }

  // Reads all bytes until the stream ends. After a failed read, appends "!" and the kind of failure.
  boost::asio::awaitable<std::string> read_all(proxy::byte_stream& stream) {
    std::string all;
    while (true) {
      const auto got = co_await stream.read_some(scratch);
      if (!got) co_return all + "!" + std::string(to_string(got.error().kind));
      if (*got == 0) co_return all;
      all.append(scratch.data(), *got);
    }
  }

  boost::asio::awaitable<proxy::result<void>> send(proxy::byte_stream& stream, std::vector<std::string_view> pieces) {
    auto sent = co_await stream.write(pieces);
    co_return sent;
  }

  test_authority authority;
  std::shared_ptr<SSL_CTX> good = server_context(authority.issue());
  std::unique_ptr<proxy::tls_context> context = std::move(*proxy::tls_context::make(authority.pem_file()));
  std::array<char, 65536> scratch;
};

inline scripted_server::script tls_script(SSL_CTX* with, scripted_server::script then) {
  return [with, then = std::move(then)](peer& client) {
    if (client.handshake(with)) then(client);
  };
}

}  // namespace photofinish::testing
